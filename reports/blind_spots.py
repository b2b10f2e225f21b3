"""Reads `blind_spots` of verdict.json: what may hide a violation in a run's history."""

from dataclasses import dataclass, field

from parsing import Node

CALLS = ("acquires", "extends", "releases", "writes")


@dataclass(frozen=True, slots=True)
class Stall:
    process: str
    from_ns: int
    to_ns: int


@dataclass(frozen=True, slots=True)
class BlindSpots:
    # By operation: the number of calls of unknown outcome, and how many could hide a violation.
    unanswered: dict[str, tuple[int, int]] = field(default_factory=dict)
    sentences: list[str] = field(default_factory=list)  # describe the first unanswered calls
    without_lease: dict[int, int] = field(default_factory=dict)  # number of holds, by client
    stalls: list[Stall] = field(default_factory=list)  # the longest ones

    @property
    def could_hide(self) -> int:
        return sum(hides for _, hides in self.unanswered.values())


def read_blind_spots(verdict: Node) -> BlindSpots | None:
    """Returns None if the checkers did not examine blind spots."""
    spots = verdict.maybe_node("blind_spots")
    if spots is None:
        return None
    calls = {name: spots.node(name) for name in CALLS}
    return BlindSpots(
        {name: (call.count("unknown"), call.count("could_hide")) for name, call in calls.items()},
        [spot.text("sentence") for spot in spots.nodes("first")],
        {each.count("client"): each.count("holds") for each in spots.nodes("without_lease")},
        [Stall(each.text("process"), each.count("from_ns"), each.count("to_ns"))
         for each in spots.nodes("longest_stalls")])
