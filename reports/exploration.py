"""Reads the result of `doublehold explore --all --into DIR` and prepares it for its page."""

from dataclasses import dataclass
from pathlib import Path

from old_names import current_claim
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


@dataclass(frozen=True, slots=True)
class Place:
    fault: str
    text: str  # details as printed
    searches: list[Search]

    @property
    def outcome(self) -> str:
        if any(search.violated for search in self.searches):
            return "violated"
        known = all(search.complete and not search.unknown for search in self.searches)
        return "valid" if known else "unknown"

    @property
    def executions(self) -> int:
        return sum(search.executions for search in self.searches)

    @property
    def claims(self) -> list[str]:
        """Returns the claims violated at any depth, each once. A claim that needs more than the
        smallest depth is shown with its depth."""
        found: list[str] = []
        first = self.searches[0].depth if self.searches else 0
        seen: set[str] = set()
        for search in self.searches:
            for claim, _, _ in search.violated:
                if claim not in seen:
                    found.append(claim if search.depth == first else f"{claim} ({search.depth} faults)")
                    seen.add(claim)
        return found


@dataclass(frozen=True, slots=True)
class Row:
    lock: str
    clients: int
    places: list[Place]


@dataclass(frozen=True, slots=True)
class Exploration:
    folder: Path
    depth: int
    delays: int
    cycles: int
    executions: int
    seconds: float
    rows: list[Row]
    refused: dict[str, str]  # by lock: why it was not explored

    @property
    def faults(self) -> list[str]:
        return [place.fault for place in self.rows[0].places] if self.rows else []


def read_exploration(folder: Path) -> Exploration:
    top = read_json(folder / "explore.json")
    if top.count("version") != VERSION:
        raise BadInput(f"{folder / 'explore.json'}: version {top.count('version')}; this program reads {VERSION}")
    nodes = top.nodes("rows")
    return Exploration(
        folder, top.count("depth"), top.count("delays"), top.count("cycles"), top.count("executions"),
        top.number("seconds"), [_row(node) for node in nodes if node.nodes("cells")],
        {node.text("lock"): node.text("refused") for node in nodes if node.maybe_text("refused")})


def _row(node: Node) -> Row:
    return Row(node.text("lock"), node.count("clients"), [_place(cell) for cell in node.nodes("cells")])


def _place(node: Node) -> Place:
    return Place(node.text("fault"), node.text("text"), [_search(one) for one in node.nodes("depths")])


def _search(node: Node) -> Search:
    claims = node.nodes("claims")
    return Search(
        node.count("depth"), node.count("executions"), node.flag("complete"),
        [(current_claim(claim.text("claim")), claim.text("sentence"), claim.text("replay"))
         for claim in claims if claim.count("violated") > 0],
        [current_claim(claim.text("claim")) for claim in claims if claim.count("unknown") > 0])
