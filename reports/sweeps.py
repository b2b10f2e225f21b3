"""Reads sweep.json: the effect of each fault at each place of a lock's protocol."""

from dataclasses import dataclass
from pathlib import Path

from parsing import Node, read_json

UNAVAILABLE, SHORT, KEPT_AWAY = "w", "~", "-"  # letters that name no claim; see docs/formats.md


@dataclass(frozen=True, slots=True)
class SweptCell:
    place: str
    fault: str
    letters: str
    new: bool  # for a pair of faults: neither fault alone violates the claim
    unheld_ns: int

    @property
    def pair(self) -> bool:
        """Whether the cell has two faults; `place` and `fault` each name one, with its place."""
        return " at " in self.fault

    @property
    def name(self) -> str:
        return f"{self.place}/{self.fault}"


def read_swept(folder: Path) -> tuple[str, dict[str, SweptCell]]:
    """Returns the name of the lock, and its cells by name."""
    top = read_json(folder / "sweep.json")
    library = top.maybe_node("library")
    lock = top.text("sweep").removeprefix("sweep-") if library is None \
        else f"{library.text('name')} {library.text('version')}"
    cells = [_cell(node) for node in top.nodes("cells")]
    return lock, {cell.name: cell for cell in cells}


def _cell(node: Node) -> SweptCell:
    return SweptCell(node.text("place"), node.text("fault"), node.text("letters"),
                     node.flag("new"), node.count("unheld_ns"))
