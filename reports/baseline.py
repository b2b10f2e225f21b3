"""Compares the cells of a suite with those of an earlier run of it, the baseline."""

from dataclasses import replace

from cells import CellSummary, rate_text, summary
from differences import LEVEL, p_value
from rates import ClaimRate, find_rate
from reading import Suite
from words import listed, plural

NAMES_SHOWN = 6
NEW = "not in the baseline"


def compare_baseline(found: list[CellSummary], baseline: Suite) -> tuple[list[CellSummary], str]:
    """Returns the cells with their changes, and a sentence about them.

    A cell has changed if its outcome is another, if one of its claims is newly undecided, or if its
    rate of violations differs by Fisher's exact test. The test's level is shared among the cells
    (Bonferroni)."""
    before = {(cell.row, cell.column): summary(0, cell) for cell in baseline.cells}
    compared = [replace(one, change=_change(one, before.get((one.cell.row, one.cell.column)),
                                            LEVEL / len(found))) for one in found]
    new = [one for one in compared if one.change == NEW]
    changed = [f"{one.cell.name} ({one.change})" for one in compared if one.change not in ("", NEW)]
    both = len(compared) - len(new)
    gone = len(before) - both
    if not changed:
        sentence = f"No cell differs: {plural(both, 'cell')} compared"
    else:
        sentence = f"{plural(len(changed), 'cell')} of {both} changed: "
        more = len(changed) - NAMES_SHOWN
        sentence += listed(changed[:NAMES_SHOWN] + ([f"{more} more"] if more > 0 else []))
    if new:
        sentence += f"; {plural(len(new), 'cell')} not in the baseline"
    if gone:
        sentence += f"; {plural(gone, 'cell')} of the baseline did not run"
    return compared, f"{sentence}. The baseline is {baseline.folder}, seed {baseline.seed}."


def _change(one: CellSummary, before: CellSummary | None, level: float) -> str:
    if before is None:
        return NEW
    if one.outcome != before.outcome:
        return f"{before.outcome} in the baseline"
    undecided = [rate.claim for rate in one.cell.rates if _is_newly_undecided(rate, before)]
    if undecided:
        return f"{listed(undecided)} newly undecided"
    now, was = find_rate(one.cell.rates, None), find_rate(before.cell.rates, None)
    if now is None or was is None or now.trials.unit != was.trials.unit:
        return ""
    if not now.trials.of or not was.trials.of or p_value([(now.trials, was.trials)]) >= level:
        return ""
    return f"{rate_text(was)} in the baseline"


def _is_newly_undecided(now: ClaimRate, before: CellSummary) -> bool:
    if now.claim is None or not now.trials.undecided:
        return False
    was = find_rate(before.cell.rates, now.claim)
    return was is not None and was.trials.of > 0 and not was.trials.undecided
