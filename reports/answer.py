"""The first lines of a suite's page: which locks broke, why, and how sure the result is."""

from dataclasses import dataclass

from cells import DATA_CLAIMS, CellSummary, all_titles
from differences import TEST, Pair, compare_pairs
from rates import Trials
from reading import Suite, Verdict
from words import QUOTED, listed, number, plural

NAMES_SHOWN = 4
NO_LOCK = "none"


@dataclass(frozen=True, slots=True)
class Row:
    """A lock and its cells."""

    name: str
    cells: list[CellSummary]
    in_part: bool = False  # a planned cell has no run that has ended

    @property
    def head(self) -> tuple[str, str]:
        """The key and the text of the row in a table."""
        return self.name, self.name

    @property
    def no_lock(self) -> bool:
        locks = {v.lock for found in self.cells for v in found.cell.judged}
        return locks == {NO_LOCK} or not locks and self.name == NO_LOCK

    @property
    def calm(self) -> list[Verdict]:
        """The verdicts of the lock's runs without faults."""
        return [v for found in self.cells for v in found.cell.judged if not v.faults]

    @property
    def lost(self) -> list[CellSummary]:
        return [found for found in self.cells if found.weight == "lost"]

    @property
    def broke(self) -> list[CellSummary]:
        return [found for found in self.cells if found.outcome == "violated"]

    @property
    def kept_data(self) -> bool:
        return all(found.data in ("valid", None) for found in self.cells)

    @property
    def clean(self) -> bool:
        return not self.in_part and all(found.outcome == "valid" for found in self.cells)


@dataclass(frozen=True, slots=True)
class SuiteAnswer:
    headline: str
    which: str
    why: str
    sure: str
    pairs: list[Pair]


def group_rows(suite: Suite, summaries: list[CellSummary]) -> list[Row]:
    """Returns the rows in the order of the suite, but rows without a lock last."""
    rows = [Row(name, [s for s in summaries if s.cell.row == name], name in suite.rows_in_part)
            for name in suite.rows]
    return sorted((row for row in rows if row.cells), key=lambda row: row.no_lock)


def answer_suite(rows: list[Row]) -> SuiteAnswer:
    locks = [row for row in rows if not row.no_lock] or rows
    lost = [row for row in locks if row.lost]
    broke = [row for row in locks if row.broke and not row.lost]
    clean = [row for row in locks if row.clean]
    pairs = _pairs(locks)
    return SuiteAnswer(_headline(locks, lost, broke, clean), _which(locks, lost, broke, clean),
                  explain_causes(locks), _sure(locks, pairs), pairs)


def _headline(locks: list[Row], lost: list[Row], broke: list[Row], clean: list[Row]) -> str:
    if lost:
        cells = [found for row in lost for found in row.lost]
        titles = {claim: title for claim, title in all_titles(cells).items()
                  if claim in DATA_CLAIMS}
        return f"{_share(lost, locks)}: {', '.join(titles.values())}{_under(lost)}"
    if broke:
        return f"{_share(broke, locks)}: {_titles(broke)}{_under(broke)}"
    if len(clean) == len(locks):
        return f"No violation seen with {_names(locks)}"
    return f"Nothing violated; undecided in part: {_names([r for r in locks if r not in clean])}"


def _share(some: list[Row], locks: list[Row]) -> str:
    if len(locks) == 1:
        return locks[0].name
    if len(some) == len(locks):
        return "Both locks" if len(locks) == 2 else f"All {len(locks)} locks"
    return f"{len(some)} of {len(locks)} locks"


def _under(rows: list[Row]) -> str:
    """Returns " under pause and clock", or " in 7 cases" if there are many columns."""
    each = [dict.fromkeys(c.cell.column for c in row.lost or row.broke) for row in rows]
    columns = list(dict.fromkeys(column for some in each for column in some))
    if len(columns) > NAMES_SHOWN:
        return f" in {len(columns)} cases"
    not_all = "" if all(len(some) == len(columns) for some in each) else "one or more of "
    return f" under {not_all}{listed(columns)}"


def _titles(rows: list[Row]) -> str:
    return ", ".join(all_titles([found for row in rows for found in row.cells]).values())


def _names(rows: list[Row]) -> str:
    names = [row.name for row in rows]
    if len(names) <= NAMES_SHOWN:
        return listed(names)
    return f"{', '.join(names[:NAMES_SHOWN])} and {len(names) - NAMES_SHOWN} more"


def _which(locks: list[Row], lost: list[Row], broke: list[Row], clean: list[Row]) -> str:
    parts = []
    if clean:
        parts.append(f"no violation seen with {_names(clean)}")
    if broke:
        kept = ", no data lost" if all(row.kept_data for row in broke) else ""
        parts.append(f"a promise broken{kept} ({_titles(broke)}) with {_names(broke)}")
    if lost:
        parts.append(f"data lost with {_names(lost)}")
    rest = [row for row in locks if row not in (*lost, *broke, *clean)]
    if rest:
        parts.append(f"undecided in part with {_names(rest)}")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def explain_causes(locks: list[Row]) -> str:
    cells: dict[str, list[CellSummary]] = {}
    for found in (found for row in locks for found in row.cells if found.causes):
        cells.setdefault(found.causes[0], []).append(found)
    if not cells:
        return "There is no violation to explain."
    most = sorted(cells, key=lambda cause: -len(cells[cause]))[:NAMES_SHOWN]
    parts = [f"{QUOTED.format(cause)} in {plural(len(cells[cause]), 'cell')}"
             f"{_evidence(cause, cells[cause])}" for cause in most]
    more = len(cells) - len(parts)
    return (f"The most frequent cause of each cell: {'; '.join(parts)}"
            f"{f'; and {more} more' if more else ''}.")


def _evidence(cause: str, cells: list[CellSummary]) -> str:
    because = next((v.because for found in cells for verdict in found.cell.judged
                    for v in verdict.violations if v.cause == cause and v.because), "")
    return f" (evidence: {because})" if because else ""


def _sure(locks: list[Row], pairs: list[Pair]) -> str:
    counts = [(t.of, t.unit) for row in locks for found in row.cells if (t := found.trials(None))]
    if not counts:
        return "There are no rates: this suite is of a version that did not count them."
    rests = "A cell rests on " + " or ".join(
        _range([of for of, unit in counts if unit == each], each)
        for each in dict.fromkeys(unit for _, unit in counts))
    if not pairs:
        return f"{rests}."
    differ = [pair for pair in pairs if pair.differ]
    if not differ:
        more = "More repetitions (--repeat) may show one." \
            if any(pair.can_show_difference for pair in pairs) else \
            "These trials are too few to show a difference; run more repetitions (--repeat)."
        return (f"{rests}; between {plural(len(pairs), 'pair')} of locks no difference is seen "
                f"({TEST}). {more}")
    parts = [pair.text for pair in differ] if len(differ) <= NAMES_SHOWN else \
        [f"{len(differ)} of {len(pairs)} pairs of locks differ"]
    if len(differ) < len(pairs):
        parts.append("between the others no difference is seen")
    return f"{rests}; {', '.join(parts)} ({TEST})."


def _range(counts: list[int], unit: str) -> str:
    least, most = min(counts), max(counts)
    return plural(most, unit) if least == most else f"{number(least)} to {plural(most, unit)}"


def _pairs(locks: list[Row]) -> list[Pair]:
    """Compares the locks by the first claim on data that was judged, or else by any claim."""
    judged = {claim.name for row in locks for c in row.cells for v in c.cell.judged
              for claim in v.claims}
    claim = next((name for name in DATA_CLAIMS if name in judged), None)
    rates: dict[str, dict[str, Trials]] = {
        row.name: {found.cell.column: trials for found in row.cells
                   if (trials := found.trials(claim))} for row in locks}
    return compare_pairs(rates)
