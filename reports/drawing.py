"""The drawing of a violation in verdict.json: lanes with spans and marks."""

from dataclasses import dataclass

from parsing import Node

Span = tuple[int, int]  # from_ns, to_ns


@dataclass(frozen=True, slots=True)
class Mark:
    at_ns: int
    letter: str  # as in Doublehold's drawings on the terminal
    text: str = ""  # describes the event: "wrote 4"

    @property
    def shows_token(self) -> bool:
        """Whether the mark is a grant with a fencing token."""
        return self.letter in ("a", "b") and bool(self.text)


@dataclass(frozen=True, slots=True)
class Lane:
    name: str
    client: int  # client of the session, or target of the fault; below 1: no client
    fault: str | None  # the name of the fault; None: a session's lane
    spans: list[tuple[str, Span]]  # a state and its time
    marks: list[Mark]

    def spans_in(self, *states: str) -> list[Span]:
        return [span for state, span in self.spans if state in states]

    def describe_hold_at(self, at_ns: int) -> str | None:
        """Describes the session's hold at a time: "client 1 (token 7, lease over)". Returns None if
        the session does not believe that it holds the lock then."""
        held = [begin for begin, end in self.spans_in("held") if begin <= at_ns <= end]
        if not held:
            return None
        tokens = [mark.text for mark in self.marks
                  if mark.shows_token and max(held) <= mark.at_ns <= at_ns]
        live = any(begin <= at_ns <= end for begin, end in self.spans_in("live"))
        return f"{self.name} ({', '.join([*tokens, 'lease valid' if live else 'lease over'])})"


def list_shown_holds(lanes: list[Lane], at_ns: int) -> str:
    """Returns `; holds shown at that time: ...`, or an empty text if there is none. Other sessions
    may also hold the lock: a timeline has lanes for some sessions only."""
    holds = [hold for lane in lanes if (hold := lane.describe_hold_at(at_ns))]
    return f"; holds shown at that time: {', '.join(holds)}" if holds else ""


def read_lanes(violation: Node) -> tuple[Lane, ...]:
    """Returns no lanes if the violation names no hold."""
    if "lanes" not in violation.data:
        return ()
    return tuple(
        Lane(node.text("name"), node.count("client"), node.maybe_text("fault"),
             [(span.text("state"), (span.count("from_ns"), span.count("to_ns")))
              for span in node.nodes("spans")],
             [Mark(mark.count("at_ns"), mark.text("letter"), mark.text("text"))
              for mark in node.nodes("marks")])
        for node in violation.nodes("lanes"))
