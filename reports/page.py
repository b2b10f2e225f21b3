"""Turns a run into one HTML page: draws the pictures and fills the template."""

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

import palette
import words
from exploration import Exploration
from export import PLOTS
from figures_curve import curve_of_no_return
from figures_overview import overview
from figures_speed import speed
from figures_stock import stock
from figures_svg import to_file, to_svg
from figures_zoom import Closeup, choose_closeup, zoom
from histogram import histogram
from history import read_history
from holds import stock_curve
from incidents import group_incidents, list_descriptions
from lanes import Recording
from messages import read_messages
from parsing import BadInput
from reading import Run, Suite, Sweep, Verdict
from run_answer import answers, lost_updates, nearness, often, share
from stories import STORIES_DRAWN, Story, group_stories
from trace import read_trace

SENTENCES_BEFORE_FOLD = 12
FAULTS_BEFORE_FOLD = 40
FAULTS_LISTED = 500  # most faults in the table, so that the page of a long run stays small


@cache  # a template is compiled once, however many pages are written
def environment() -> Environment:
    found = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True,
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    found.filters.update(duration=words.duration, instant=words.instant, number=words.number,
                         place=place, nearness=nearness, histogram=histogram, often=often,
                         share=share, lost_updates=lost_updates)
    found.globals.update(light=palette.css_variables(0), dark=palette.css_variables(1),
                         words=words)
    return found


def place(folder: Path) -> str:
    """Returns the last two parts of a folder's path: absolute paths are useless on other
    machines."""
    return "/".join(folder.absolute().parts[-2:])


def draw_picture(inputs: list[Run | Suite | Sweep | Exploration]) -> str:
    """Returns the timeline around the first incident of one run, as a standalone SVG."""
    run = inputs[0]
    if len(inputs) != 1 or not isinstance(run, Run):
        raise BadInput("--svg needs the folder of one run, not several folders, a suite or an "
                       "exploration")
    recording, _ = read_recording(run.folder, run.verdict)
    incidents = group_incidents(run.verdict.violations)
    first = incidents[0] if incidents else None
    closeup = choose_closeup(recording, run.verdict, first)
    return to_file(zoom(_add_messages(run.folder, [closeup])[0]))


def _add_messages(folder: Path, closeups: list[Closeup]) -> list[Closeup]:
    """Adds the recorded messages. Reads the file once, because it may be long."""
    windows = [window for closeup in closeups for window in closeup.scale.windows]
    messages = read_messages(folder, windows)
    return [closeup.with_messages(messages) for closeup in closeups]


def read_recording(folder: Path, verdict: Verdict) -> tuple[Recording, int | None]:
    """Reads a recording. Also returns the time at which reading stopped early, or None."""
    history = read_history(folder / "history.jsonl")
    if (history.lock, history.seed) != (verdict.lock, verdict.seed):
        raise BadInput(f"{folder}: history.jsonl and verdict.json are not of the same run")
    return Recording.of(history), history.cut_at_ns


def inline(figure: Figure, name: str, alt: str) -> Markup:
    PLOTS.keep(name, figure)
    return Markup(to_svg(figure, name, alt))


def run_page(run: Run) -> str:
    """Draws the page of a run, or of a simulated execution, whose folder has a trace."""
    verdict, trace = run.verdict, read_trace(run.folder)
    simulated = verdict.simulated or trace is not None
    recording, cut_at_ns = read_recording(run.folder, verdict)
    stories = group_stories(group_incidents(verdict.violations))
    drawn, descriptions = stories[:STORIES_DRAWN], list_descriptions(verdict.violations)
    shown = {sentence for story in drawn for sentence in story.sentences}
    all_shown = all(description.sentence in shown for description in descriptions)
    # A story can be drawn if a violation of its first incident has lanes.
    incidents = [story.first if story.first.main.lanes else None for story in drawn] or [None]
    closeups = _add_messages(run.folder, [choose_closeup(recording, verdict, incident)
                                          for incident in incidents])
    return render(
        "run.html.j2", verdict=verdict, folder=run.folder, file=run.file, cut_at_ns=cut_at_ns,
        trace=trace,
        messages=any(closeup.messages for closeup in closeups),
        tokens=any(story.has_tokens for story in drawn),
        simulated=simulated, answers=answers(verdict, simulated), stories=stories, drawn=drawn,
        pictures=[_draw_story(story, closeup) for story, closeup in zip(drawn, closeups)],
        curve=inline(curve_of_no_return(trace.curve), "curve", trace.curve.sentence)
        if trace and trace.curve else None,
        calm=None if stories else inline(zoom(closeups[0]), "zoom",
                                         "A few milliseconds of the timeline"),
        descriptions=[] if all_shown else descriptions, fold=SENTENCES_BEFORE_FOLD,
        faults_fold=FAULTS_BEFORE_FOLD, faults_most=FAULTS_LISTED,
        **_draw_run(recording, verdict, drawn, simulated))


def _draw_story(story: Story, closeup: Closeup) -> Markup | None:
    """Returns None if no violation of the first incident has lanes."""
    if not story.first.main.lanes:
        return None
    return inline(zoom(closeup), f"zoom-{story.number}",
                  f"Timeline of the clients. {story.main.sentence}")


def _draw_run(recording: Recording, verdict: Verdict, stories: list[Story],
              simulated: bool) -> dict[str, Markup | None]:
    """Draws no overview, stock or speed of a simulated execution: the page lists its steps."""
    if simulated:
        return {"overview": None, "stock": None, "speed": None}
    alt = f"Timeline of all holds, faults and violations of the run: {words.headline(verdict)}"
    return {
        "overview": inline(overview(recording, verdict, stories), "overview", alt),
        "stock": inline(stock(stock_curve(recording.history)), "stock",
                        "Stock as written against the initial stock less the orders")
        if verdict.sells else None,
        "speed": inline(speed(recording, verdict), "speed",
                        "Latency percentiles, and grants per second over time")}


def render(template: str, **context: Any) -> str:
    return environment().get_template(template).render(**context)
