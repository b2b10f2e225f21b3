"""The progress of a suite, from its suite.json."""

from dataclasses import dataclass
from math import ceil
from pathlib import Path

from parsing import Node, read_json
from rates import read_answer
from suite_runs import count_planned, ended_runs
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
    planned = count_planned(top)
    ended = [ended_runs(cell) for cell in cells]
    done = sum(len(runs) >= repeat or _is_answered(cell) for cell, runs in zip(cells, ended))
    runs = sum(map(len, ended))
    took = [run.number("seconds") for some in ended for run in some]
    of = planned * repeat
    left = sum(took) / len(took) / max(1, top.count("jobs")) * (of - runs) if took else None
    comparison = top.maybe_node("comparison")
    if comparison and left is not None:
        left = min(left, max(0, comparison.number("budget_seconds") - top.number("seconds")))
    errors = [(cell.text("name"), error) for cell, some in zip(cells, ended) for run in some
              if (error := run.maybe_text("error"))]
    return Progress(runs, of, done, planned, until, left, errors)


def _is_answered(cell: Node) -> bool:
    answer = read_answer(cell)
    return answer is not None and answer.answer in ANSWERED


def rough_time(seconds: float) -> str:
    """Rounds up, as the program's progress line does (compose/options/screen.cc)."""
    if seconds < 120:
        return f"{ceil(max(0.0, seconds))} s"
    if seconds < 7200:
        return f"{ceil(seconds / 60)} min"
    return f"{ceil(seconds / 360) / 10:.1f} h"
