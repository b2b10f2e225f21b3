"""The pages of suites and sweeps, and the comparison of several runs or suites."""

import re
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

import words
from answer import Row, answer_suite, group_rows
from baseline import compare_baseline
from cells import (DATA_CLAIMS, CellSummary, all_titles, rate_text, shortest, summarise_speed,
                   summary)
from comparison import read_comparison
from differences import TEST, Pair, compare_pairs
from figures_load import load_curves
from figures_speed import LockSpeed, compare_speed
from figures_zoom import choose_closeup, zoom
from history import History
from incidents import Description, Incident, list_descriptions
from lanes import Recording
from load import LoadPoint, count_runs, read_load
from page import inline, render
from rates import ClaimRate
from reading import Cell, Claim, Margin, Run, Suite, SuiteRun, Sweep, Verdict
from words import slug

LANES_OF_AN_EXAMPLE = 4
NUMBER = re.compile(r"\d[\d.,]*")
# A violation is drawn from its lanes alone, so a page of many runs reads no history.
NOTHING_RECORDED = Recording.of(History("", 0, 0, [], [], 0, None))


@dataclass(frozen=True, slots=True)
class Example:
    """The shortest violation in some runs of a lock."""

    verdict: Verdict
    run: SuiteRun | Run
    picture: Markup | None
    description: Description
    more: int  # number of further sentences, in all runs


def shortest_example(cell: Cell, name: str) -> Example | None:
    found = shortest(cell)
    if found is None:
        return None
    run, incident = found
    assert run.verdict
    descriptions = incident.choose_descriptions(1)
    lost = [t for t in descriptions if set(t.claims) & set(DATA_CLAIMS)]
    description = (lost or descriptions)[0]
    more = sum(len(list_descriptions(verdict.violations)) for verdict in cell.judged) - 1
    return Example(run.verdict, run, _drawn(run.verdict, incident, name), description, more)


def _drawn(verdict: Verdict, incident: Incident, name: str) -> Markup | None:
    if not incident.main.lanes:
        return None
    picture = zoom(choose_closeup(NOTHING_RECORDED, verdict, incident, LANES_OF_AN_EXAMPLE))
    return inline(picture, name, f"Timeline of the clients: {incident.main.sentence}")


@dataclass(frozen=True, slots=True)
class CellSection:
    summary: CellSummary
    example: Example | None  # None if no violation is described


def _sections(summaries: list[CellSummary]) -> list[CellSection]:
    return [CellSection(found, shortest_example(found.cell,
                                                f"{found.anchor}-{slug(found.cell.name)}"))
            for found in summaries if found.outcome == "violated"]


@dataclass(frozen=True, slots=True)
class Unknown:
    """A reason for undecided claims, or an untested fault, and the cells with this reason."""

    reason: str
    cells: list[tuple[CellSummary, str]]  # with the claim


def group_unknowns(summaries: list[CellSummary]) -> list[Unknown]:
    """Groups undecided claims and untested faults by reason, whatever numbers it has."""
    found: dict[str, Unknown] = {}
    for cell in summaries:
        reasons = [(run.error or "", "could not run") for run in cell.errors]
        reasons += [(claim.reason or "no reason was recorded", claim.name)
                    for verdict in cell.cell.judged for claim in verdict.claims
                    if claim.outcome == "unknown"]
        reasons += [(fault, "not tested") for verdict in cell.cell.judged
                    for fault in verdict.untested]
        for reason, claim in dict.fromkeys(reasons):
            unknown = found.setdefault(NUMBER.sub("#", reason), Unknown(reason, []))
            unknown.cells.append((cell, claim))
    return sorted(found.values(), key=lambda unknown: -len(unknown.cells))


@dataclass(frozen=True, slots=True)
class MarginRow:
    """The least margins of a cell without a violation."""

    summary: CellSummary
    rate: ClaimRate | None
    looked_at: str  # "64 holds"
    margins: dict[str, str]  # by kind: the least of all runs
    values: dict[str, list[Margin]]  # by kind: those of each run


def least_margins(summaries: list[CellSummary]) -> list[MarginRow]:
    rows = []
    for found in summaries:
        if found.outcome != "valid":
            continue
        claims = [claim for verdict in found.cell.judged for claim in verdict.claims]
        values: dict[str, list[Margin]] = {}
        for margin in (m for claim in claims if claim.outcome == "valid" for m in claim.margins):
            values.setdefault(margin.what, []).append(margin)
        # The cell's margin is the least that was not missed.
        least = {what: min(kept, key=lambda margin: margin.value) for what, each in values.items()
                 if (kept := [margin for margin in each if margin.value >= 0])}
        seen: dict[str, int] = {}
        for claim in claims:
            if claim.name == claims[0].name:
                seen[claim.unit] = seen.get(claim.unit, 0) + claim.opportunities
        rate = next((r for r in found.cell.rates if r.claim is None), None)
        rows.append(MarginRow(
            found, rate, ", ".join(f"{words.number(of)} {unit}" for unit, of in seen.items()),
            {what: words.amount(margin) for what, margin in least.items()}, values))
    return rows


def _context(suite: Suite, baseline: Suite | None = None) -> dict[str, Any]:
    """Returns the template values that the pages of suites and sweeps share, in order of `rows`."""
    found, change = [summary(i, cell) for i, cell in enumerate(suite.cells, 1)], ""
    if baseline:
        found, change = compare_baseline(found, baseline)
    rows = group_rows(suite, found)
    summaries = [found for row in rows for found in row.cells]
    margins = least_margins(summaries)
    return {"suite": suite, "baseline": change, "rows": rows, "summaries": summaries,
            "cells": {(s.cell.row, s.cell.column): s for s in summaries},
            "sections": _sections(summaries), "unknowns": group_unknowns(summaries),
            "margins": margins,
            "margin_kinds": list(dict.fromkeys(kind for row in margins for kind in row.margins)),
            "claims": _claims_judged([v for cell in suite.cells for v in cell.judged]),
            "verdict": next((v for cell in suite.cells for v in cell.judged), None)}


def suite_page(suite: Suite, baseline: Suite | None = None) -> str:
    """`baseline`: an earlier run of the suite, with which the cells are compared."""
    context = _context(suite, baseline)
    comparison = read_comparison(suite.folder)
    # A comparison has a table of its measures. Its cells without faults measure different things.
    speeds = [] if comparison else \
        [summarise_speed(row.name, calm) for row in context["rows"] if (calm := row.calm)]
    answer = answer_suite(context["rows"])
    if comparison:
        answer = replace(answer, headline=f"{comparison.winner}; {answer.headline}",
                         sure=f"{comparison.sentence}.", pairs=[])
    first = next((row.row for row in comparison.rows if row.rank), None) if comparison else None
    guarded = any(verdict.lost_updates and verdict.lost_updates.refused_writes is not None
                  for found in context["summaries"] if found.cell.row == first
                  for verdict in found.cell.judged)
    if suite.unjudged:
        answer = replace(answer, headline=f"{answer.headline}; {suite.unjudged} of "
                         f"{words.plural(suite.planned, 'cell')} not judged")
    load = read_load(suite.folder)
    return render("suite.html.j2", answer=answer, comparison=comparison, guarded=guarded,
                  speeds=speeds, speed=_speed_picture(speeds), load=load, curves=_load_picture(load),
                  load_runs=count_runs(load) if load else "",
                  faults=[name for name in suite.columns[2:]
                          if name not in {point.column for point in load}],
                  **context | {"suite": _without_load(suite, load, context["summaries"])})


def sweep_page(sweep: Sweep) -> str:
    context = _context(sweep.suite)
    known = [s for s in context["summaries"] if s.cell.name in sweep.cells]
    singles = [s for s in known if not sweep.cells[s.cell.name].pair]
    rows = [Row(name, [s for s in singles if s.cell.row == name])
            for name in dict.fromkeys(s.cell.row for s in singles)]
    pairs = sorted((s for s in known if sweep.cells[s.cell.name].pair),
                   key=lambda s: (not sweep.cells[s.cell.name].new, -s.gravity))
    context |= {"rows": rows, "pairs": pairs,
                "columns": list(dict.fromkeys(s.cell.column for s in singles))}
    return render("sweep.html.j2", sweep=sweep,
                  headline=_sweep_headline(sweep, singles, pairs), **context)


def _sweep_headline(sweep: Sweep, singles: list[CellSummary], pairs: list[CellSummary]) -> str:
    broke = [found for found in [*singles, *pairs] if found.outcome == "violated"]
    open_ = [found for found in [*singles, *pairs] if found.outcome == "unknown"]
    result = "no violation seen in "
    if broke:
        result = f"{', '.join(all_titles(broke).values())} in {len(broke)} of "
    text = f"{sweep.lock}: {result}{words.plural(len(singles) + len(pairs), 'run')}"
    if open_:
        text += f", {len(open_)} undecided"
    if sweep.suite.interrupted:
        text += f"; interrupted, {sweep.suite.planned} planned"
    return text


def _claims_judged(verdicts: list[Verdict]) -> list[Claim]:
    """Returns each claim once."""
    return list({claim.name: claim for v in verdicts for claim in v.claims}.values())


def _without_load(suite: Suite, load: list[LoadPoint], summaries: list[CellSummary]) -> Suite:
    """Returns the suite without the columns of load curves in which nothing was violated. A table
    of their own shows these columns."""
    violated = {found.cell.column for found in summaries if found.outcome == "violated"}
    hidden = {point.column for point in load} - violated
    return replace(suite, columns=[name for name in suite.columns if name not in hidden])


def _load_picture(load: list[LoadPoint]) -> Markup | None:
    figure = load_curves(load)
    return figure and inline(figure, "load", "Throughput and waiting time of each lock, by load")


def _speed_picture(speeds: list[LockSpeed]) -> Markup | None:
    if not speeds:
        return None
    return inline(compare_speed(speeds), "speed", "Orders per second and latencies, lock by lock")


@dataclass(frozen=True, slots=True)
class RunSection:
    name: str
    run: Run
    example: Example | None

    @property
    def verdict(self) -> Verdict:
        return self.run.verdict


@dataclass(frozen=True, slots=True)
class SuiteSection:
    suite: Suite
    rows: list[Row]
    cells: dict[tuple[str, str], CellSummary]


def compare_page(inputs: list[Run | Suite]) -> str:
    """Compares runs claim by claim, and suites by their matrices and cells."""
    runs = [_run_section(i, run) for i, run in
            enumerate((item for item in inputs if isinstance(item, Run)), 1)]
    suites = [_suite_section(i, suite) for i, suite in
              enumerate((item for item in inputs if isinstance(item, Suite)), 1)]
    claims = _claims_judged([section.verdict for section in runs])
    tested = {claim.name: _pairs_by_claim(runs, claim.name) for claim in claims}
    return render("compare.html.j2", runs=runs, suites=suites, claims=claims, test=TEST,
                  tested=tested, headline=_headline(runs, suites, tested),
                  speed=_speed_picture([summarise_speed(s.name, [s.verdict]) for s in runs]),
                  differing=differing(suites), rate_text=rate_text)


def _run_section(number: int, run: Run) -> RunSection:
    verdict = run.verdict
    only = SuiteRun(run.folder, verdict.seed, verdict.exit_code, verdict.overall,
                    verdict.as_expected, None, verdict)
    return RunSection(f"{number}. {verdict.lock_words}", run,
                      shortest_example(Cell("", "", "", [only]), f"run-{number}"))


def _suite_section(number: int, suite: Suite) -> SuiteSection:
    summaries = [summary(1000 * number + i, cell) for i, cell in enumerate(suite.cells)]
    return SuiteSection(suite, group_rows(suite, summaries),
                        {(s.cell.row, s.cell.column): s for s in summaries})


def _pairs_by_claim(runs: list[RunSection], claim: str) -> list[Pair]:
    trials = {section.name: {"": one.trials.trials} for section in runs
              for one in section.verdict.claims if one.name == claim and one.trials}
    return compare_pairs(trials)


def _headline(runs: list[RunSection], suites: list[SuiteSection],
              tested: dict[str, list[Pair]]) -> str:
    if not runs:
        return f"{words.plural(len(suites), 'suite')} compared"
    broke = sum(section.verdict.overall == "violated" for section in runs)
    said = f"{broke} of {words.plural(len(runs), 'run')} violated a claim"
    if len(runs) < 2:
        return f"{said}; the page also shows {words.plural(len(suites), 'suite')}"
    pairs = [pair for each in tested.values() for pair in each]
    differ = [claim for claim, each in tested.items() if any(pair.differ for pair in each)]
    if differ:
        return f"{said}; the runs differ in {words.listed(differ)}"
    if not pairs:
        return f"{said}; not compared: no claim has trials of the same unit"
    few = "" if any(pair.can_show_difference for pair in pairs) else ": too few trials to show one"
    return f"{said}; no difference proved{few}"


@dataclass(frozen=True, slots=True)
class DifferingCell:
    name: str
    cells: list[CellSummary]
    pairs: list[Pair]


def differing(sections: list[SuiteSection]) -> list[DifferingCell]:
    """Returns the cells that all suites have and whose results differ between suites, each with the
    tests of its rates."""
    if len(sections) < 2:
        return []
    found = []
    for place, first in sections[0].cells.items():
        cells = [cell for section in sections if (cell := section.cells.get(place))]
        said = {(cell.outcome, tuple(sorted(line.word for line in cell.lines))) for cell in cells}
        if len(cells) == len(sections) and len(said) > 1:
            trials = {str(i): {"": counted} for i, cell in enumerate(cells, 1)
                      if (counted := cell.trials(None))}
            found.append(DifferingCell(first.cell.name, cells, compare_pairs(trials)))
    return found
