"""The whole run: holds, faults and violations over time."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures_svg import WIDTH, sheet, add_tooltip
from holds import Hold
from lanes import (ROW_BAR, VERDICT, Layout, Recording, bars, fault_bands, fault_rows,
                   fault_texts, row_bars)
from palette import LIGHT
from reading import Verdict
from stories import Story
from timescale import TimeScale
from words import instant

PIXEL = 1 / 1400  # share of the axis: holds closer than this are drawn as one
NARROW = 0.015  # width of a story's number, as a share of the axis
ACTS_LABELLED = 40  # most acts of a fault that have a tooltip
MARGINS = {"left": 0.105, "right": 0.988}
POINTS_WIDE = WIDTH * 72 * (MARGINS["right"] - MARGINS["left"])


def overview(recording: Recording, verdict: Verdict, stories: list[Story]) -> Figure:
    """Draws the whole run. Each story has a section on the page; a mark links to it."""
    clients = sorted({hold.client for hold in recording.holds} | set(range(1, verdict.clients + 1)))
    layout = Layout([f"client {client}" for client in clients], clients,
                    fault_rows(verdict.faults), bool(verdict.violations))
    height = layout.height + 0.62
    figure = sheet(height)
    axes = figure.add_axes((MARGINS["left"], 0.46 / height, MARGINS["right"] - MARGINS["left"],
                            layout.height / height))
    scale = TimeScale([(0, max(1, recording.history.end_ns))])
    layout.prepare(axes)
    fault_bands(axes, layout, scale)
    for y, client in enumerate(clients):
        _holds(axes, y, scale, [hold for hold in recording.holds if hold.client == client])
    fault_texts(axes, layout, scale, POINTS_WIDE)
    for index, fault in enumerate(layout.faults):
        for act in fault.acts[:ACTS_LABELLED]:
            left, right = scale.x(act.from_ns), scale.x(act.to_ns)
            add_tooltip(axes, (left, max(right, left + NARROW / 2)), layout.row(index),
                    layout.row_height, f"{fault.name}: {act.text}, from {instant(act.from_ns)}")
    _violations(axes, layout, scale, verdict, stories)
    ticks = scale.ticks()
    axes.set_xticks([x for x, _ in ticks], [label for _, label in ticks])
    axes.set_xlim(0, 1)
    axes.set_xlabel("seconds since the start of the run")
    return figure


def _holds(axes: Axes, y: int, scale: TimeScale, holds: list[Hold]) -> None:
    live = scale.extents(span for hold in holds for span in hold.live)
    stale = scale.extents(span for hold in holds for span in hold.stale)
    bars(axes, live, y, 0.46, "live", least=PIXEL)
    bars(axes, stale, y, 0.46, "stale", hatch="//////", least=PIXEL, zorder=2.1)


def _violations(axes: Axes, layout: Layout, scale: TimeScale, verdict: Verdict,
                stories: list[Story]) -> None:
    if not layout.verdict_row:
        return
    extents = scale.extents(v.span for v in verdict.violations)
    row_bars(axes, extents, layout, VERDICT, "overlap")
    middle, height = (len(layout.clients) - 1) / 2, float(len(layout.clients))
    bars(axes, extents, middle, height, "overlap", alpha=0.16, least=0.002, zorder=1)
    labels = sorted((scale.x(incident.main.span[0]), story.number)
                    for story in stories for incident in story.incidents)
    last = -1.0
    for x, number in labels:
        if x - last > NARROW:
            axes.text(x - 0.003, layout.row(VERDICT, ROW_BAR[0]), str(number), ha="right",
                      va="center", fontsize=8, fontweight="bold", color=LIGHT["overlap"],
                      url=f"#story-{number}")
            last = x
