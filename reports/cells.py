"""Summarises the repetitions of a suite's cell in the words of the matrix."""

from dataclasses import dataclass
from statistics import median

from figures_speed import LockSpeed
from reading import Cell, Percentiles, Suite, SuiteRun, Verdict
from rates import rate_of
from words import bound, counted, interval, number

GRAVITY = ("valid", "unknown", "violated")
# The first of these claims that was judged determines the bound of a clean cell.
BOUND_CLAIMS = ("exclusion", "lease-exclusion", "stock")


@dataclass(frozen=True, slots=True)
class CellLine:
    """For example: "held twice", "20 of 20 runs", "83-100 %", "57 of 4,020 holds"."""

    outcome: str
    word: str
    share: str
    range_95: str
    total: str


@dataclass(frozen=True, slots=True)
class CellSummary:
    anchor: str
    cell: Cell
    outcome: str
    as_expected: bool
    lines: list[CellLine]
    bound: str  # of a clean cell: the possible rate of violations
    shown: SuiteRun | None  # the run that has a picture

    @property
    def errors(self) -> list[SuiteRun]:
        return [run for run in self.cell.runs if run.error]


def summary(index: int, cell: Cell) -> CellSummary:
    runs, judged = cell.runs, cell.judged
    outcomes = {run.overall for run in runs} or {"unknown"}
    lines = [_line(name, cell) for name in _violated(judged)]
    if lines and _kept("stock", judged):
        lines.append(CellLine("valid", "stock kept", "", "", ""))
    undecided = sum(v.overall == "unknown" for v in judged)
    if undecided:
        lines.append(CellLine("unknown", "undecided", f"{undecided}/{len(judged)} runs", "", ""))
    failed = len(runs) - len(judged)
    if failed:
        lines.append(CellLine("unknown", "could not run", f"{failed}/{len(runs)} runs", "", ""))
    odd = [run for run in runs if run.verdict and not run.as_expected]
    shown = next((run for run in [*odd, *runs] if run.verdict), None)
    return CellSummary(
        anchor=f"cell-{index}", cell=cell, outcome=max(outcomes, key=GRAVITY.index),
        as_expected=cell.as_expected, lines=lines, bound=_bound(cell), shown=shown)


def _violated(judged: list[Verdict]) -> list[str]:
    """Returns the claims violated in any run, in the order of the verdicts."""
    claims = [claim for verdict in judged for claim in verdict.claims]
    found = {claim.name for claim in claims if claim.outcome == "violated"}
    return [name for name in dict.fromkeys(claim.name for claim in claims) if name in found]


def _kept(name: str, judged: list[Verdict]) -> bool:
    """Whether the claim was judged and valid in every run; then it is shown beside a violation."""
    outcomes = [c.outcome for verdict in judged for c in verdict.claims if c.name == name]
    return bool(outcomes) and set(outcomes) == {"valid"}


def _line(name: str, cell: Cell) -> CellLine:
    claims = [claim for verdict in cell.judged for claim in verdict.claims if claim.name == name]
    total, chances = (sum(values) for values in
                      zip(*((claim.count, claim.opportunities) for claim in claims)))
    rate = rate_of(cell.rates, name)
    told = rate is not None and rate.trials.of > 1
    return CellLine("violated", claims[0].title, counted(rate.trials) if told else "",
                    interval(rate.exact_95) if told else "",
                    f"{number(total)} of {number(chances)} {claims[0].unit}" if total else "")


def _bound(cell: Cell) -> str:
    """Returns the amount of evidence and the possible rate of violations; empty if the cell is not
    clean."""
    judged = cell.judged
    if not judged or any(run.overall != "valid" for run in cell.runs):
        return ""
    rate = rate_of(cell.rates, None)
    parts = [] if rate is None or rate.trials.of < 2 else [
        f"{counted(rate.trials)}: {bound(rate.exact_95[1])}"]
    for name in BOUND_CLAIMS:
        claims = [claim for verdict in judged for claim in verdict.claims if claim.name == name]
        of = sum(claim.opportunities for claim in claims)
        if of:
            return ", ".join([*parts, f"0 of {number(of)} {claims[0].unit}"])
    return ", ".join(parts)


def calm_speeds(suite: Suite) -> list[LockSpeed]:
    """Returns the speed of each row's runs without faults."""
    speeds = []
    for row in suite.rows:
        calm = [v for cell in suite.cells if cell.row == row for v in cell.judged if not v.faults]
        if calm:
            speeds.append(speed_of(row, calm))
    return speeds


def speed_of(name: str, verdicts: list[Verdict]) -> LockSpeed:
    rates = [(v.orders if v.sells else v.grants) / v.seconds if v.seconds > 0 else 0.0
             for v in verdicts]
    return LockSpeed(name, "orders" if verdicts[0].sells else "grants",
                     (min(rates), median(rates), max(rates)),
                     _typical(verdicts, "wait"), _typical(verdicts, "acquire"))


def _typical(verdicts: list[Verdict], name: str) -> Percentiles | None:
    """Returns the median of each percentile over the repetitions, because percentiles cannot be
    added."""
    found = [v.latency[name] for v in verdicts if name in v.latency and v.latency[name].count]
    if not found:
        return None
    fields = ("p50_ns", "p95_ns", "p99_ns", "max_ns")
    return Percentiles(sum(p.count for p in found),
                       *(int(median(getattr(p, key) for p in found)) for key in fields))
