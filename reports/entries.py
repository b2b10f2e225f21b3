"""Reads one entry of the list of runs from the result file of its folder."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Iterable

from exploration import read_exploration
from old_names import current_claim
from parsing import read_json
from rates import read_rates
from reading import OUTCOMES, read_library
from sweeps import read_swept

# The file that an entry is read from, and its kind, by precedence.
SOURCES = {"sweep.json": "sweep", "suite.json": "suite", "explore.json": "exploration",
           "verdict.json": "run"}
SOURCE_OF = {kind: name for name, kind in SOURCES.items()} | {"replay": "verdict.json"}
SUITES = ("suite", "sweep")
NOT_READ = "not read"


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

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The words that a filter by verdict finds the entry with."""
        found = (self.outcome, self.state, "not as expected" if self.odd else "")
        return tuple(word for word in found if word)


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
        claims=_unique(current_claim(claim.text("claim")) for claim in violated),
        seed=top.count("seed"), seconds=top.number("seconds"),
        odd=expects and not top.flag("as_expected"))


def _read_suite(folder: Path, entry: Entry) -> Entry:
    top = read_json(folder / "suite.json")
    cells = top.nodes("cells")
    runs = [run for cell in cells for run in cell.nodes("runs")]
    outcomes = [run.word("overall", OUTCOMES) for run in runs]
    expected = [run.flag("as_expected") for run in runs]
    # Without expectations, exactly the valid runs are "as expected".
    expects = expected != [outcome == "valid" for outcome in outcomes]
    is_cut = top.flag("interrupted")
    return replace(
        entry, outcome=max(outcomes, key=OUTCOMES.index, default=""),
        state="unfinished" if is_cut else "", note="interrupted" if is_cut else "",
        locks=tuple(top.texts("rows")), faults=tuple(top.texts("columns")),
        claims=_unique(rate.claim for cell in cells for rate in read_rates(cell)
                       if rate.claim and rate.trials.violated),
        seed=top.count("seed"), seconds=top.number("seconds"),
        odd=expects and not all(expected))


def _read_sweep(folder: Path, entry: Entry) -> Entry:
    lock, cells = read_swept(folder)
    faults = _unique(word.split(" at ")[0] for cell in cells.values() for word in [cell.fault])
    return replace(_read_suite(folder, entry), locks=(lock,), faults=faults, odd=False)


def _read_exploration(folder: Path, entry: Entry) -> Entry:
    found = read_exploration(folder)
    places = [place for row in found.rows for place in row.places]
    return replace(
        entry, outcome=max((place.outcome for place in places), key=OUTCOMES.index,
                           default="unknown"),
        locks=_unique(row.lock for row in found.rows),
        faults=tuple(name for name in found.faults if name not in ("none", "any")),
        claims=_unique(claim for place in places for claim in place.violated),
        seconds=found.seconds)


def _unique(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


READERS = {"run": _read_run, "replay": _read_run, "suite": _read_suite, "sweep": _read_sweep,
           "exploration": _read_exploration}
