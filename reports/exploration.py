"""Reads the result of `doublehold explore --all --into DIR` and prepares it for its page."""

from dataclasses import dataclass
from pathlib import Path

from parsing import BadInput, Node, read_json

VERSION = 1


@dataclass(frozen=True, slots=True)
class Search:
    """All executions of one scenario with a given number of faults."""

    depth: int
    executions: int
    complete: bool
    violated: list[tuple[str, str, str]]  # claim, sentence, replay string
    unknown: list[str]
    judged: list[str]


@dataclass(frozen=True, slots=True)
class Place:
    fault: str
    text: str  # details as printed
    searches: list[Search]
    titles: dict[str, str]  # of the claims

    @property
    def outcome(self) -> str:
        if self.violated:
            return "violated"
        return "unknown" if self.undecided else "valid"

    @property
    def executions(self) -> int:
        return sum(search.executions for search in self.searches)

    @property
    def violated(self) -> dict[str, int]:
        """The violated claims, each with the least number of faults that violates it."""
        depths: dict[str, int] = {}
        for search in self.searches:
            for claim, _, _ in search.violated:
                depths.setdefault(claim, search.depth)
        return depths

    @property
    def undecided(self) -> list[str]:
        """The claims that may be violated, although no explored execution is known to violate
        them."""
        found = [claim for search in self.searches
                 for claim in (search.unknown if search.complete else search.judged)]
        return [claim for claim in dict.fromkeys(found) if claim not in self.violated]

    @property
    def claims(self) -> list[str]:
        """Returns the titles of the violated claims. A title includes the number of faults if it
        is above the smallest depth."""
        first = self.searches[0].depth if self.searches else 0
        return [self.title(claim) if depth == first else f"{self.title(claim)} ({depth} faults)"
                for claim, depth in self.violated.items()]

    def title(self, claim: str) -> str:
        return self.titles.get(claim, f"{claim} violated")

    def judged(self, claim: str) -> bool:
        return any(claim in search.judged for search in self.searches)


@dataclass(frozen=True, slots=True)
class Row:
    lock: str
    clients: int
    places: list[Place]


@dataclass(frozen=True, slots=True)
class Exploration:
    folder: Path
    version: str
    depth: int
    delays: int
    cycles: int
    executions: int
    seconds: float
    interrupted: bool
    rows: list[Row]
    refused: dict[str, str]  # the reason why a lock was not explored, by lock

    @property
    def faults(self) -> list[str]:
        return [place.fault for place in self.rows[0].places] if self.rows else []


def read_exploration(folder: Path) -> Exploration:
    top = read_json(folder / "explore.json")
    if top.count("version") != VERSION:
        raise BadInput(f"{folder / 'explore.json'}: version {top.count('version')}; this program "
                       f"reads {VERSION}")
    nodes = top.nodes("rows")
    # Older files have no titles.
    titles = top.texts_by_name("titles") if top.maybe_node("titles") else {}
    return Exploration(
        folder, top.maybe_text("doublehold") or "", top.count("depth"), top.count("delays"),
        top.count("cycles"), top.count("executions"), top.number("seconds"),
        top.data.get("interrupted") is True,  # older files have no such member
        [_row(node, titles) for node in nodes if node.nodes("cells")],
        {node.text("lock"): node.text("refused") for node in nodes if node.maybe_text("refused")})


def _row(node: Node, titles: dict[str, str]) -> Row:
    return Row(node.text("lock"), node.count("clients"),
               [_place(cell, titles) for cell in node.nodes("cells")])


def _place(node: Node, titles: dict[str, str]) -> Place:
    return Place(node.text("fault"), node.text("text"),
                 [_search(one) for one in node.nodes("depths")], titles)


def _search(node: Node) -> Search:
    claims = [(claim.text("claim"), claim) for claim in node.nodes("claims")]
    return Search(
        node.count("depth"), node.count("executions"), node.flag("complete"),
        [(name, claim.text("sentence"), claim.text("replay"))
         for name, claim in claims if claim.count("violated") > 0],
        [name for name, claim in claims if claim.count("unknown") > 0],
        [name for name, _ in claims])
