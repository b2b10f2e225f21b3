"""Reads one entry of the list of runs from the result file of its folder."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Iterable

from exploration import read_exploration
from parsing import read_json
from rates import read_rates
from reading import OUTCOMES, read_library
from suite_runs import ended_runs
from sweeps import read_swept

# The file that an entry is read from, and its kind, by precedence.
SOURCES = {"sweep.json": "sweep", "suite.json": "suite", "explore.json": "exploration",
           "verdict.json": "run"}
SOURCE_OF = {kind: name for name, kind in SOURCES.items()} | {"replay": "verdict.json"}
SUITES = ("suite", "sweep")
NOT_READ = "not read"


@dataclass(frozen=True, slots=True)
class Part:
    """The values by which filters select a cell of a suite, or another entry as a whole."""

    locks: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    outcome: str = ""
    claims: tuple[str, ...] = ()  # the violated ones
    odd: bool = False  # has expectations and did not meet them


@dataclass(frozen=True, slots=True)
class Entry:
    path: str  # below the folder of runs; empty: that folder itself
    kind: str  # run, replay, suite, sweep, exploration or comparison
    at_s: float  # Unix time of its start if its name has it, else of its last change
    outcome: str = ""  # one of OUTCOMES; empty: not known
    state: str = ""  # running, unfinished, damaged or NOT_READ; empty: complete
    note: str = ""  # what is wrong, or what a comparison found
    locks: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()  # the violated ones
    seed: int | None = None
    seconds: float | None = None
    odd: bool = False  # has expectations and did not meet them
    cells: tuple[Part, ...] = ()  # of a suite or sweep: those of which a run has ended

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The words that a filter by verdict finds the entry with."""
        return self._words(self.outcome, self.odd)

    def passes(self, lock: str, fault: str, claim: str, verdict: str) -> bool:
        """Whether some cell has this lock and this fault, and all such cells together have this
        verdict, and violate this claim. An empty word is not asked for."""
        parts = [part for part in self.cells or (Part(self.locks, self.faults, self.outcome,
                                                      self.claims, self.odd),)
                 if (not lock or lock in part.locks) and (not fault or fault in part.faults)]
        if not parts:
            return False
        verdicts = self._words(worst(part.outcome for part in parts),
                               any(part.odd for part in parts))
        return (not verdict or verdict in verdicts) and \
            (not claim or any(claim in part.claims for part in parts))

    def _words(self, outcome: str, odd: bool) -> tuple[str, ...]:
        found = (outcome, self.state, "not as expected" if odd else "")
        return tuple(word for word in found if word)


def worst(outcomes: Iterable[str]) -> str:
    """Returns the gravest outcome; empty if there is none."""
    return max(filter(None, outcomes), key=OUTCOMES.index, default="")


def _read_run(folder: Path, entry: Entry) -> Entry:
    top = read_json(folder / "verdict.json")
    claims = top.nodes("claims")
    violated = [claim for claim in claims if claim.word("outcome", OUTCOMES) == "violated"]
    expects = any(claim.maybe_text("expected") for claim in claims)
    was_cut = top.node("environment").data.get("interrupted") is True
    return replace(
        entry, outcome=top.word("overall", OUTCOMES), state="unfinished" if was_cut else "",
        note="interrupted" if was_cut else "",
        locks=(read_library(top.maybe_node("library")) or top.text("lock"),),
        faults=_unique(fault.text("kind") for fault in top.nodes("faults")),
        claims=_unique(claim.text("claim") for claim in violated),
        seed=top.count("seed"), seconds=top.number("seconds"),
        odd=expects and not top.flag("as_expected"))


def _read_suite(folder: Path, entry: Entry) -> Entry:
    top = read_json(folder / "suite.json")
    ended = [(cell, runs) for cell in top.nodes("cells") if (runs := ended_runs(cell))]
    # Without expectations, exactly the valid runs are "as expected".
    expects = any(run.flag("as_expected") != (run.word("overall", OUTCOMES) == "valid")
                  for _, runs in ended for run in runs)
    cells = [Part((cell.text("row"),), (cell.text("column"),),
                  worst(run.word("overall", OUTCOMES) for run in runs),
                  _unique(rate.claim for rate in read_rates(cell)
                          if rate.claim and rate.trials.violated),
                  expects and not all(run.flag("as_expected") for run in runs))
             for cell, runs in ended]
    return _with_cells(
        replace(entry, state="unfinished" if top.flag("interrupted") else "",
                note="interrupted" if top.flag("interrupted") else "",
                seed=top.count("seed"), seconds=top.number("seconds")), cells)


def _with_cells(entry: Entry, cells: list[Part]) -> Entry:
    return replace(
        entry, cells=tuple(cells), outcome=worst(cell.outcome for cell in cells),
        locks=_unique(lock for cell in cells for lock in cell.locks),
        faults=_unique(fault for cell in cells for fault in cell.faults),
        claims=_unique(claim for cell in cells for claim in cell.claims),
        odd=any(cell.odd for cell in cells))


def _read_sweep(folder: Path, entry: Entry) -> Entry:
    lock, _ = read_swept(folder)
    found = _read_suite(folder, entry)
    cells = [replace(cell, locks=(lock,), faults=(cell.faults[0].split(" at ")[0],), odd=False)
             for cell in found.cells]
    return _with_cells(found, cells)


def _read_exploration(folder: Path, entry: Entry) -> Entry:
    found = read_exploration(folder)
    places = [place for row in found.rows for place in row.places]
    return replace(
        entry, outcome=max((place.outcome for place in places), key=OUTCOMES.index,
                           default="unknown"),
        locks=_unique(row.lock for row in found.rows),
        faults=tuple(name for name in found.faults if name not in ("none", "any")),
        claims=_unique(claim for place in places for claim in place.violated),
        seconds=found.seconds, state="unfinished" if found.interrupted else "",
        note="interrupted" if found.interrupted else "")


def _unique(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


READERS = {"run": _read_run, "replay": _read_run, "suite": _read_suite, "sweep": _read_sweep,
           "exploration": _read_exploration}
