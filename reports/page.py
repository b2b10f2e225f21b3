"""Turns the inputs into one HTML page: draws the pictures and fills the templates."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

import palette
import words
from cells import CellSummary, calm_speeds, speed_of, summary
from exploration import Exploration
from figures_cell import cell as cell_figure
from figures_overview import overview
from figures_speed import compare_speed, speed
from figures_stock import stock
from figures_svg import to_file, to_svg
from figures_zoom import closeup_of, zoom
from history import read_history
from holds import stock_curve
from incidents import Incident, Telling, incidents_of, told
from lanes import Recording
from parsing import BadInput
from reading import Claim, Run, Suite, Verdict

INCIDENTS_DRAWN = 3
# A stale hold can overlap hundreds of others, so a story shows only the first few sentences.
SENTENCES_A_STORY = 4
SENTENCES_BEFORE_FOLD = 12
FAULTS_BEFORE_FOLD = 40
SENTENCES_A_CELL = 3


def environment() -> Environment:
    found = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True,
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    found.filters.update(duration=words.duration, instant=words.instant, number=words.number,
                         place=place)
    found.globals.update(light=palette.css_variables(0), dark=palette.css_variables(1),
                         words=words)
    return found


def place(folder: Path) -> str:
    """Returns the last two parts of a folder's path: absolute paths are useless on other
    machines."""
    return "/".join(folder.absolute().parts[-2:])


def page_of(inputs: list[Run | Suite | Exploration]) -> str:
    explored = [one for one in inputs if isinstance(one, Exploration)]
    if explored and len(inputs) > 1:
        raise BadInput(f"{explored[0].folder}: what was explored has a page of its own: name it alone")
    if explored:
        return environment().get_template("explore.html.j2").render(found=explored[0])
    if len(inputs) > 1:
        return compare_page(inputs)
    only = inputs[0]
    return suite_page(only) if isinstance(only, Suite) else run_page(only)


def picture_of(inputs: list[Run | Suite | Exploration]) -> str:
    """Returns the timeline around the first incident of one run, as a separate file."""
    run = inputs[0]
    if len(inputs) != 1 or isinstance(run, (Suite, Exploration)):
        raise BadInput("--svg: the folder of one run, not of several, a suite or an exploration")
    recording, _ = recording_of(run.folder, run.verdict)
    incidents = incidents_of(run.verdict.violations)
    return to_file(zoom(closeup_of(recording, run.verdict, incidents[0] if incidents else None)))


def recording_of(folder: Path, verdict: Verdict) -> tuple[Recording, int | None]:
    """Reads a recording. Also returns the time where its history was cut for drawing, or None."""
    history = read_history(folder / "history.jsonl")
    if (history.lock, history.seed) != (verdict.lock, verdict.seed):
        raise BadInput(f"{folder}: history.jsonl and verdict.json are not of the same run")
    return Recording.of(history), history.cut_at_ns


def inline(figure: Figure, name: str, alt: str) -> Markup:
    return Markup(to_svg(figure, name, alt))


@dataclass(frozen=True, slots=True)
class Story:
    """An incident with its picture, if its violations have lanes."""

    number: int
    title: str
    picture: Markup | None
    tellings: list[Telling]
    more: int  # number of further sentences of the incident


def stories_of(recording: Recording, verdict: Verdict, incidents: list[Incident]) -> list[Story]:
    stories = []
    for number, incident in enumerate(incidents, 1):
        tellings = incident.told(SENTENCES_A_STORY)
        title = (f"{words.violated((c for t in tellings for c in t.claims), verdict.titles)} at "
                 f"{words.instant(incident.main.span[0])}")
        picture = inline(zoom(closeup_of(recording, verdict, incident)), f"zoom-{number}",
                         f"Timeline of the clients around {title}. {tellings[0].sentence}") \
            if incident.main.lanes else None
        more = len(told(incident.violations)) - len(tellings)
        stories.append(Story(number, title, picture, tellings, more))
    return stories


def run_page(run: Run) -> str:
    verdict = run.verdict
    recording, cut_at_ns = recording_of(run.folder, verdict)
    incidents = incidents_of(verdict.violations)
    drawn = incidents[:INCIDENTS_DRAWN]
    alt = f"Timeline of all holds, faults and violations of the run: {words.headline(verdict)}"
    return render("run.html.j2", verdict=verdict, folder=run.folder, cut_at_ns=cut_at_ns,
                  overview=inline(overview(recording, verdict, drawn), "overview", alt),
                  stories=stories_of(recording, verdict, drawn),
                  incidents_left=len(incidents) - len(drawn),
                  calm=None if drawn else inline(
                      zoom(closeup_of(recording, verdict, None)), "zoom", "A few milliseconds of the timeline"),
                  stock=inline(stock(stock_curve(recording.history)), "stock",
                               "Stock as written against the initial stock less the orders")
                  if verdict.sells else None,
                  speed=inline(speed(recording, verdict), "speed",
                               "Latency percentiles, and grants per second over time"),
                  tellings=told(verdict.violations), fold=SENTENCES_BEFORE_FOLD,
                  faults_fold=FAULTS_BEFORE_FOLD)


@dataclass(frozen=True, slots=True)
class CellSection:
    summary: CellSummary
    verdict: Verdict | None  # of the drawn run
    picture: Markup | None
    tellings: list[Telling]
    more: int


def cell_section(found: CellSummary) -> CellSection:
    run = found.shown
    if run is None or run.verdict is None:
        return CellSection(found, None, None, [], 0)
    return CellSection(found, run.verdict, *_picture(run.folder, run.verdict, found.anchor))


def _picture(folder: Path, verdict: Verdict, name: str) -> tuple[Markup, list[Telling], int]:
    """Returns a run's picture for a page with many runs, its first sentences, and the number of
    sentences left out."""
    recording, _ = recording_of(folder, verdict)
    incidents = incidents_of(verdict.violations)
    first = incidents[0] if incidents else None
    picture = inline(cell_figure(recording, verdict, first), name,
                     f"Timeline and stock of one run: {words.headline(verdict)}")
    tellings = first.told(SENTENCES_A_CELL) if first else []
    return picture, tellings, len(told(verdict.violations)) - len(tellings)


def suite_page(suite: Suite) -> str:
    summaries = [summary(i, cell) for i, cell in enumerate(suite.cells, 1)]
    speeds = calm_speeds(suite)
    return render("suite.html.j2", suite=suite, matrix=matrix_of(suite, summaries),
                  sections=[cell_section(found) for found in summaries],
                  speeds=speeds, speed=_speed_picture(speeds, "speed"),
                  claims=_claims_judged([v for cell in suite.cells for v in cell.judged]))


Matrix = dict[tuple[str, str], CellSummary]


def matrix_of(suite: Suite, summaries: list[CellSummary]) -> Matrix:
    return {(found.cell.row, found.cell.column): found for found in summaries}


def _claims_judged(verdicts: list[Verdict]) -> list[Claim]:
    """Returns each claim once."""
    return list({claim.name: claim for v in verdicts for claim in v.claims}.values())


def _speed_picture(speeds: list[Any], name: str) -> Markup | None:
    if not speeds:
        return None
    return inline(compare_speed(speeds), name, "Orders per second and latencies, lock by lock")


@dataclass(frozen=True, slots=True)
class RunSection:
    name: str
    folder: Path
    verdict: Verdict
    picture: Markup
    tellings: list[Telling]
    more: int


@dataclass(frozen=True, slots=True)
class SuiteSection:
    suite: Suite
    matrix: Matrix


def compare_page(inputs: list[Run | Suite]) -> str:
    """Compares runs claim by claim, and suites by their matrices and differing cells."""
    runs = [item for item in inputs if isinstance(item, Run)]
    suites = [item for item in inputs if isinstance(item, Suite)]
    sections = []
    for i, run in enumerate(runs, 1):
        name = f"{i}. {run.verdict.lock_words}"
        sections.append(RunSection(name, run.folder, run.verdict,
                                   *_picture(run.folder, run.verdict, f"run-{i}")))
    speeds = [speed_of(section.name, [section.verdict]) for section in sections]
    matrices = []
    for number, suite in enumerate(suites, 1):
        summaries = [summary(1000 * number + i, cell) for i, cell in enumerate(suite.cells)]
        matrices.append(SuiteSection(suite, matrix_of(suite, summaries)))
    return render("compare.html.j2", runs=sections, suites=matrices,
                  claims=_claims_judged([section.verdict for section in sections]),
                  speed=_speed_picture(speeds, "speed"), differing=differing(matrices))


def differing(sections: list[SuiteSection]) -> list[tuple[str, list[CellSummary]]]:
    """Returns the cells that all suites have and that differ between them."""
    if len(sections) < 2:
        return []
    found = []
    for place, first in sections[0].matrix.items():
        same_place = [section.matrix.get(place) for section in sections]
        cells = [cell for cell in same_place if cell]
        said = {(cell.outcome, tuple(sorted(line.word for line in cell.lines))) for cell in cells}
        if len(cells) == len(sections) and len(said) > 1:
            found.append((first.cell.name, cells))
    return found


def render(template: str, **context: Any) -> str:
    return environment().get_template(template).render(**context)
