"""Summarises the runs of a suite's cell for the matrix."""

from collections import Counter
from dataclasses import dataclass
from statistics import median

from figures_speed import LockSpeed
from incidents import Incident, group_incidents
from rates import ClaimRate, Trials, find_rate
from reading import Cell, Percentiles, SuiteRun, Verdict
from words import bound, counted, interval, number, plural

GRAVITY = ("valid", "unknown", "violated")
# The claims on data. A violation of one of these means wrong data, which a lock should prevent.
DATA_CLAIMS = ("stock", "exactly-once", "torn-read")
CAUSES_SHOWN = 2


@dataclass(frozen=True, slots=True)
class CellLine:
    """A line in a cell: "oversold, held twice", and "6 of 20 fault episodes, 12-54 %"."""

    outcome: str
    word: str
    rate: str = ""


@dataclass(frozen=True, slots=True)
class CellSummary:
    anchor: str
    cell: Cell
    outcome: str
    lines: list[CellLine]
    causes: list[str]  # the most frequent first
    change: str = ""  # how the baseline differs: "valid in the baseline"

    @property
    def odd(self) -> bool:
        """Whether the cell has expectations and did not meet them."""
        return self.cell.expects and not self.cell.as_expected

    @property
    def data(self) -> str | None:
        """The gravest outcome of the claims on data; None if no such claim was judged."""
        outcomes = [c.outcome for v in self.cell.judged for c in v.claims if c.name in DATA_CLAIMS]
        return max(outcomes, key=GRAVITY.index) if outcomes else None

    @property
    def weight(self) -> str:
        """Returns "lost" or "kept", for the data of a violated cell; else, or if undecided, ""."""
        if self.outcome != "violated" or self.data is None:
            return ""
        return {"violated": "lost", "valid": "kept"}.get(self.data, "")

    @property
    def gravity(self) -> int:
        """For sorting: 0 clean, 1 undecided, 2 violated, 3 violated with loss of data."""
        return GRAVITY.index(self.outcome) + (self.weight == "lost")

    @property
    def violated(self) -> list[str]:
        """The titles of the violated claims."""
        return list(all_titles([self]).values())

    @property
    def shares(self) -> list[str]:
        """Returns "57 of 4,020 holds (exclusion)" for each violated claim."""
        found = []
        for name in all_titles([self]):
            claims = [c for v in self.cell.judged for c in v.claims if c.name == name]
            count, of = sum(c.count for c in claims), sum(c.opportunities for c in claims)
            found.append(f"{number(count)} of {number(of)} {claims[0].unit} ({name})")
        return found

    @property
    def errors(self) -> list[SuiteRun]:
        return [run for run in self.cell.runs if run.error]

    def trials(self, claim: str | None) -> Trials | None:
        rate = find_rate(self.cell.rates, claim)
        return None if rate is None else rate.trials


def summary(index: int, cell: Cell) -> CellSummary:
    outcomes = {run.overall for run in cell.runs} or {"unknown"}
    outcome = max(outcomes, key=GRAVITY.index)
    found = CellSummary(f"cell-{index}", cell, outcome, [], _causes(cell))
    found.lines.extend(_violated_lines(cell))
    if found.weight == "kept":
        found.lines.append(CellLine("valid", f"{_data_word(cell)} kept"))
    found.lines.extend(_undecided_lines(cell))
    if not found.lines:
        rate = find_rate(cell.rates, None)
        clean = outcome == "valid"
        found.lines.append(CellLine(outcome, "no violation" if clean else "undecided",
                                    rate_text(rate) if rate and clean else ""))
    return found


def titles_violated(cell: Cell) -> dict[str, str]:
    """Returns the titles of the claims violated in any run, those on data first."""
    claims = {claim.name: claim.title for verdict in cell.judged for claim in verdict.claims
              if claim.outcome == "violated"}
    return dict(sorted(claims.items(), key=lambda item: item[0] not in DATA_CLAIMS))


def all_titles(cells: list[CellSummary]) -> dict[str, str]:
    """Returns the titles of the claims violated in any of the cells, those on data first."""
    titles = {claim: title for found in cells
              for claim, title in titles_violated(found.cell).items()}
    return dict(sorted(titles.items(), key=lambda item: item[0] not in DATA_CLAIMS))


def rate_text(rate: ClaimRate) -> str:
    ends = interval(rate.exact_95) if rate.trials.violated else bound(rate.exact_95[1])
    return f"{counted(rate.trials)} \N{MIDDLE DOT} {ends}"


def _violated_lines(cell: Cell) -> list[CellLine]:
    """Returns one line for each distinct rate, with all claims that have this rate."""
    by_rate: dict[str, list[str]] = {}
    for name, title in titles_violated(cell).items():
        rate = find_rate(cell.rates, name)
        by_rate.setdefault(rate_text(rate) if rate else "", []).append(title)
    return [CellLine("violated", ", ".join(titles), rate) for rate, titles in by_rate.items()]


def _data_word(cell: Cell) -> str:
    judged = {claim.name for verdict in cell.judged for claim in verdict.claims}
    return "stock" if "stock" in judged else "data"


def _undecided_lines(cell: Cell) -> list[CellLine]:
    """Returns lines for undecided claims that no run violated, and for failed runs."""
    violated = titles_violated(cell)
    runs = len(cell.runs)
    claims = Counter(claim.title for verdict in cell.judged for claim in verdict.claims
                     if claim.outcome == "unknown" and claim.name not in violated)
    lines = [CellLine("unknown", f"undecided: {', '.join(claims)}",
                      f"in {max(claims.values())} of {number(runs)} runs" if runs > 1 else "")] \
        if claims else []
    failed = runs - len(cell.judged)
    if failed:
        lines.append(CellLine("unknown", "could not run", f"{failed} of {plural(runs, 'run')}"))
    return lines


def _causes(cell: Cell) -> list[str]:
    found = Counter(v.cause for verdict in cell.judged for v in verdict.violations if v.cause)
    return [cause for cause, _ in found.most_common(CAUSES_SHOWN)]


def shortest(cell: Cell) -> tuple[SuiteRun, Incident] | None:
    """Returns the incident with the fewest steps, and its run. Prefers incidents with lost data,
    then incidents that can be drawn."""
    found = [(run, incident) for run in cell.runs if run.verdict
             for incident in group_incidents(run.verdict.violations)]

    def length(item: tuple[SuiteRun, Incident]) -> tuple[bool, bool, int, int]:
        main = item[1].main
        lost = any(v.claim in DATA_CLAIMS for v in item[1].violations)
        times = [at for at, _ in main.steps] or [main.from_ns, main.to_ns]
        return not lost, not main.lanes, len(main.steps), max(times) - min(times)

    return min(found, key=length, default=None)


def summarise_speed(name: str, verdicts: list[Verdict]) -> LockSpeed:
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
