"""The comparison in suite.json: how each row, such as a lock, differs from the baseline. The
program tests the differences; this module only reads and words them."""

from dataclasses import dataclass
from math import ceil, floor
from pathlib import Path

from parsing import BadInput, Node, read_json
from words import duration, listed, plural

DIFFERENCES = ("not seen", "more", "less")


@dataclass(frozen=True, slots=True)
class ComparedRate:
    """A claim of a row in a column: in how many runs of the pairs each lock violated it."""

    row: str
    column: str
    claim: str
    pairs: int
    only_row: int
    only_baseline: int
    both: int
    undecided: int
    difference: str
    bounds: tuple[float, float]  # of the row's rate minus the baseline's

    @property
    def counts(self) -> tuple[str, str]:
        """The violated runs of the row, and of the baseline."""
        said = f" of {self.pairs - self.undecided}"
        return f"{self.both + self.only_row}{said}", f"{self.both + self.only_baseline}{said}"

    @property
    def most(self) -> float:
        return max(abs(bound) for bound in self.bounds)

    @property
    def found(self) -> str:
        low, high = sorted(abs(100 * bound) for bound in self.bounds)
        # A bound near 0 says only that there is a difference.
        if floor(low) == 0:
            return f"{self.difference} often"
        return f"{self.difference} often, by {floor(low)} to {ceil(high)} percentage points"


@dataclass(frozen=True, slots=True)
class ComparedMeasure:
    """A measure of a row in a column without faults."""

    row: str
    column: str
    measure: str
    unit: str  # "ns" or "/s"
    pairs: int
    median: float
    median_of_baseline: float
    difference: str
    shift: float  # the median difference in a pair
    bounds: tuple[float, float] | None  # None: the pairs are too few

    @property
    def values(self) -> tuple[str, str]:
        if not self.pairs:
            return "\N{EN DASH}", "\N{EN DASH}"
        return amount(self.median, self.unit), amount(self.median_of_baseline, self.unit)

    @property
    def found(self) -> str:
        if not self.pairs:
            return "not measured: no pair of runs with enough grants"
        if self.bounds is None:
            return f"too few pairs to test: {self.pairs}"
        low, high = self.bounds
        if self.difference == "not seen":
            return f"no difference proved; at most {amount(max(abs(low), abs(high)), self.unit)}"
        least, most = (amount(end, self.unit) for end in sorted((abs(low), abs(high))))
        share = ""
        if self.median_of_baseline:
            share = f" ({100 * self.shift / self.median_of_baseline:+.0f}\N{NO-BREAK SPACE}%)"
        return f"{self.difference}, by {least} to {most}{share}"


@dataclass(frozen=True, slots=True)
class RankedRow:
    """A row, and the claims that it broke, each with its columns."""

    row: str
    rank: int | None  # by violated claims, those about data first; None: a cell is not judged
    runs: int
    broken: dict[str, list[str]]
    not_judged: list[tuple[str, str]]  # columns, each with the reason

    @property
    def why(self) -> str:
        """Why the row has no rank."""
        (column, why), more = self.not_judged[0], len(self.not_judged) - 1
        said = f"under {column}, {why}" if why else f"not judged under {column}"
        return f"{said}; {plural(more, 'other column')} not judged either" if more else said


@dataclass(frozen=True, slots=True)
class Comparison:
    baseline: str
    rows: list[RankedRow]  # by rank
    rates: list[ComparedRate]
    measures: list[ComparedMeasure]

    @property
    def seen(self) -> list[ComparedRate]:
        return [rate for rate in self.rates if rate.difference != "not seen"]

    @property
    def unseen(self) -> list[tuple[str, str, str, int, float]]:
        """Row, column, claims, pairs and the largest bound of the claims that do not differ."""
        cells: dict[tuple[str, str], list[ComparedRate]] = {}
        for rate in self.rates:
            if rate.difference == "not seen":
                cells.setdefault((rate.row, rate.column), []).append(rate)
        return [(row, column, listed([rate.claim for rate in rates]), rates[0].pairs,
                 max(rate.most for rate in rates)) for (row, column), rates in cells.items()]

    @property
    def _first(self) -> list[RankedRow]:
        return [row for row in self.rows if row.rank == 1]

    @property
    def winner(self) -> str:
        if not self._first:
            return "No choice yet"
        first, unranked = [row.row for row in self._first], len(self.unranked)
        ranked = plural(len(self.rows) - unranked, "lock")
        of = f" of the {ranked} with a rank" if unranked else ""
        if len(first) > 1 and len(first) == len(self.rows) - unranked:
            return f"{listed(first)} have equal rank"
        return f"{listed(first)} {'ranks' if len(first) == 1 else 'rank'} first{of}"

    @property
    def unranked(self) -> list[RankedRow]:
        return [row for row in self.rows if row.rank is None]

    @property
    def choice(self) -> str:
        """Which row ranks first, and how it differs from the baseline."""
        unranked = "".join(f" {row.row} has no rank: {row.why}." for row in self.unranked)
        if not self._first:
            return f"{self.winner}.{unranked}"
        return f"{self._first_of_all}{unranked}"

    @property
    def _first_of_all(self) -> str:
        first, text = self.rows[0], f"{self.winner}, by violated claims, those about data first"
        if len(self._first) > 1:
            return f"{text}. {' '.join(f'{row.row}: {_broken(row)}.' for row in self._first)}"
        claims: dict[tuple[str, str], list[str]] = {}
        for rate in self.seen:
            if rate.row == first.row:
                claims.setdefault((rate.claim, f"{rate.counts[0]} runs, {self.baseline} in "
                                   f"{rate.counts[1]}"), []).append(rate.column)
        found = [f"{claim} in {counts} ({listed(columns)})"
                 for (claim, counts), columns in claims.items()]
        found += [f"{one.measure}: {one.found}" for one in self.measures
                  if one.row == first.row and one.measure == "acquire p50"]
        if found:
            text += f": {'; '.join(found)}"
        return f"{text}. {first.row} violated {_broken(first)}."

    @property
    def sentence(self) -> str:
        found = [one for one in (*self.rates, *self.measures) if one.difference != "not seen"]
        return (f"{plural(len(found), 'difference')} from {self.baseline} in "
                f"{plural(len(self.rates) + len(self.measures), 'comparison')}. The runs of a pair "
                "have equal seed, arrivals and faults. The tests are the exact binomial test of "
                "the pairs that differ (McNemar) and the sign test of measures. They hold however "
                "often the data is examined. The probability of any false difference is at most "
                "5\N{NO-BREAK SPACE}%. Other rows than the baseline are not tested against each "
                "other")


def _broken(row: RankedRow) -> str:
    return "; ".join(f"{claim} ({listed(columns)})" for claim, columns in row.broken.items()) \
        or "no claim"


def amount(value: float, unit: str) -> str:
    if unit == "ns":
        return duration(round(value))
    return f"{value:.0f}{unit}" if abs(value) >= 100 else f"{value:.1f}{unit}"


def read_comparison(folder: Path) -> Comparison | None:
    """Returns the comparison in the folder of a suite, or None."""
    node = read_json(folder / "suite.json").maybe_node("comparison")
    if node is None:
        return None
    return Comparison(
        node.text("baseline"),
        [_row(one) for one in node.nodes("rows")],
        [_rate(one) for one in node.nodes("rates")],
        [_measure(one) for one in node.nodes("measures")])


def _row(node: Node) -> RankedRow:
    columns = node.texts("not_judged")
    # Version 0.1.0 ranked rows that were not judged, and gave no reasons.
    reasons = node.texts("why") if "why" in node.data else [""] * len(columns)
    if len(reasons) != len(columns):
        raise BadInput(f"{node.where}: 'why' has not one reason for each of 'not_judged'")
    return RankedRow(
        node.text("row"), None if columns else node.count("rank"), node.count("runs"),
        {one.text("claim"): one.texts("columns") for one in node.nodes("broken")},
        list(zip(columns, reasons)))


def _rate(node: Node) -> ComparedRate:
    return ComparedRate(
        node.text("row"), node.text("column"), node.text("claim"), node.count("pairs"),
        node.count("only_row"), node.count("only_baseline"), node.count("both"),
        node.count("undecided"), node.word("difference", DIFFERENCES), _bounds(node))


def _measure(node: Node) -> ComparedMeasure:
    bounds = None if node.data.get("bounds") is None else _bounds(node)
    return ComparedMeasure(
        node.text("row"), node.text("column"), node.text("measure"), node.text("unit"),
        node.count("pairs"), node.number("median"), node.number("median_of_baseline"),
        node.word("difference", DIFFERENCES), node.number("shift"), bounds)


def _bounds(node: Node) -> tuple[float, float]:
    match node.numbers("bounds"):
        case [low, high]:
            return low, high
    raise BadInput(f"{node.where}: 'bounds' is not two numbers")
