"""The progress of a suite, from its suite.json."""

from dataclasses import dataclass
from math import ceil
from pathlib import Path

from parsing import Node, read_json
from rates import read_answer
from words import number

ANSWERED = ("below", "not below")


@dataclass(frozen=True, slots=True)
class Progress:
    runs: int
    runs_of: int
    cells: int
    cells_of: int
    until: bool  # cells end early, once their rate is known
    seconds_left: float | None  # None: no run has ended
    could_not_run: list[tuple[str, str]]  # cell and message of runs without a verdict

    @property
    def text(self) -> str:
        """Returns "3 of 20 cells done, 7 of 40 runs"."""
        most = "at most " if self.until else ""
        return (f"{number(self.cells)} of {number(self.cells_of)} cells done, "
                f"{number(self.runs)} of {most}{number(self.runs_of)} runs")

    @property
    def left(self) -> str:
        if self.seconds_left is None:
            return "time left not known yet"
        return f"{'at most' if self.until else 'about'} {rough_time(self.seconds_left)} left"


def read_progress(folder: Path) -> Progress:
    top = read_json(folder / "suite.json")
    repeat, cells = top.count("repeat"), top.nodes("cells")
    until = top.maybe_node("until") is not None
    # Version 0.1.0 wrote no planned cells.
    planned = _planned_here(top) if "planned" in top.data else len(cells)
    ended = {cell.text("name"): _ended(cell) for cell in cells}
    done = sum(runs >= repeat or _is_answered(cell)
               for cell, runs in zip(cells, ended.values()))
    runs = sum(ended.values())
    took = [run.number("seconds") for cell in cells for run in cell.nodes("runs")]
    of = planned * repeat
    left = sum(took) / len(took) / max(1, top.count("jobs")) * (of - runs) if took else None
    comparison = top.maybe_node("comparison")
    if comparison and left is not None:
        left = min(left, max(0, comparison.number("budget_seconds") - top.number("seconds")))
    errors = [(cell.text("name"), error) for cell in cells for run in cell.nodes("runs")
              if (error := run.maybe_text("error"))]
    return Progress(runs, of, done, planned, until, left, errors)


def _ended(cell: Node) -> int:
    """Returns the number of runs that were not cut short. Version 0.1.0 did not write which."""
    return sum(run.data.get("interrupted") is not True for run in cell.nodes("runs"))


def _is_answered(cell: Node) -> bool:
    answer = read_answer(cell)
    return answer is not None and answer.answer in ANSWERED


def _planned_here(top: Node) -> int:
    """Returns the number of cells of this part of a suite (`suite --shard 1/4`)."""
    planned, shard = len(top.nodes("planned")), top.maybe_text("shard") or "1/1"
    part, _, of = shard.partition("/")
    if not (part.isdecimal() and of.isdecimal() and 0 < int(part) <= int(of)):
        return planned
    return len(range(int(part) - 1, planned, int(of)))


def rough_time(seconds: float) -> str:
    """Rounds up, as the program's progress line does (compose/options/screen.cc)."""
    if seconds < 120:
        return f"{ceil(max(0.0, seconds))} s"
    if seconds < 7200:
        return f"{ceil(seconds / 60)} min"
    return f"{ceil(seconds / 360) / 10:.1f} h"
