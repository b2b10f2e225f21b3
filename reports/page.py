"""Turns a run into one HTML page: draws the pictures and fills the template."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

import palette
import words
from exploration import Exploration
from export import PLOTS
from figures_overview import overview
from figures_speed import speed
from figures_stock import stock
from figures_svg import to_file, to_svg
from figures_zoom import closeup_of, zoom
from history import read_history
from holds import stock_curve
from incidents import Incident, Telling, incidents_of, told
from lanes import Recording
from parsing import BadInput
from reading import Run, Suite, Sweep, Verdict

INCIDENTS_DRAWN = 3
# A stale hold can overlap hundreds of others, so a story shows only the first few sentences.
SENTENCES_A_STORY = 4
SENTENCES_BEFORE_FOLD = 12
FAULTS_BEFORE_FOLD = 40


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


def picture_of(inputs: list[Run | Suite | Sweep | Exploration]) -> str:
    """Returns the timeline around the first incident of one run, as a separate file."""
    run = inputs[0]
    if len(inputs) != 1 or not isinstance(run, Run):
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
    PLOTS.keep(name, figure)
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


def render(template: str, **context: Any) -> str:
    return environment().get_template(template).render(**context)
