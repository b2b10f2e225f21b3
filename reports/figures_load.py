"""Plots load curves: throughput and waiting time of each lock, by the load."""

from collections.abc import Callable
from itertools import cycle

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from figures_svg import SMALL, add_tooltip, sheet
from lanes import shorten
from load import LoadPoint
from palette import LIGHT
from words import duration

# Each curve has its own mark too, so that readers need not distinguish colours.
COLOURS = ("live", "overlap", "clock", "network", "pause", "ink")
MARKS = "osD^vPX*"
Get = Callable[[LoadPoint], float | None]


def load_curves(points: list[LoadPoint]) -> Figure | None:
    """Left: throughput. Right: how long customers wait. Above: by clients. Below: by customers a
    second. Returns None unless a row has two points of one kind."""
    closed = [one for one in points if one.customers_a_second is None and not one.holds]
    by_schedule = [one for one in points if one.customers_a_second is not None]
    drawn = [(some, label, get) for some, label, get in (
        (closed, "clients, each of which asks again when it was served", lambda p: p.sessions),
        (by_schedule, "customers who come in a second", lambda p: p.customers_a_second))
        if _has_curve(some)]
    if not drawn:
        return None
    height = 0.35 + 2.6 * len(drawn)
    figure = sheet(height)
    styles = _styles(points)
    for i, (some, label, at) in enumerate(drawn):
        low, tall = (height - 2.6 * (i + 1) - 0.35 + 0.5) / height, 1.75 / height
        left = figure.add_axes((0.065, low, 0.41, tall))
        right = figure.add_axes((0.575, low, 0.413, tall))
        _curves(left, some, at, lambda p: _measure(p, "holds a second"), styles, "{:,.0f} a second")
        left.set_title("holds a second")
        left.set_ylim(bottom=0)
        left.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        _waits(right, some, at, styles)
        for axes in (left, right):
            _scale(axes, [at(p) or 0 for p in some], label)
    handles = [figure.axes[0].plot([], [], color=LIGHT[colour], marker=mark, markersize=5,
                                   linewidth=1.5, label=shorten(row, 30))[0]
               for row, (colour, mark) in styles.items()]
    figure.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.055, 1.0), frameon=False,
                  ncols=min(len(handles), 5), fontsize=8, labelcolor=LIGHT["ink"])
    return figure


def _has_curve(points: list[LoadPoint]) -> bool:
    rows = [point.row for point in points]
    return any(rows.count(row) > 1 for row in rows)


def _styles(points: list[LoadPoint]) -> dict[str, tuple[str, str]]:
    rows = dict.fromkeys(point.row for point in points)
    return dict(zip(rows, zip(cycle(COLOURS), cycle(MARKS))))


def _measure(point: LoadPoint, name: str) -> float | None:
    found = point.measures.get(name)
    return found.median if found else None


def _curves(axes: Axes, points: list[LoadPoint], at: Get, get: Get,
            styles: dict[str, tuple[str, str]], worded: str) -> None:
    for row, (colour, mark) in styles.items():
        some = sorted((at(p) or 0, value) for p in points
                      if p.row == row and (value := get(p)) is not None)
        axes.plot([x for x, _ in some], [y for _, y in some], color=LIGHT[colour], marker=mark,
                  markersize=5, linewidth=1.5)
        for x, y in some:
            _describe(axes, x, y, f"{row}: {worded.format(y)}")


def _waits(axes: Axes, points: list[LoadPoint], at: Get,
           styles: dict[str, tuple[str, str]]) -> None:
    for row, (colour, mark) in styles.items():
        some = sorted((at(p) or 0, p.wait[0].p50_ns, p.wait[0].p99_ns) for p in points
                      if p.row == row and p.wait)
        xs = [x for x, _, _ in some]
        axes.plot(xs, [max(1, p50) for _, p50, _ in some], color=LIGHT[colour], marker=mark,
                  markersize=5, linewidth=1.5)
        axes.plot(xs, [max(1, p99) for _, _, p99 in some], color=LIGHT[colour], marker=mark,
                  markersize=5, linewidth=1.2, linestyle=(0, (3, 2)),
                  markerfacecolor=LIGHT["surface"])
        for x, p50, p99 in some:
            _describe(axes, x, p99, f"{row}: median {duration(p50)}, p99 {duration(p99)}")
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: duration(round(value)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_title("wait: median; dashed: p99")


def _describe(axes: Axes, x: float, y: float, text: str) -> None:
    # The horizontal scale is logarithmic, so a constant factor is a constant width.
    add_tooltip(axes, (x / 1.12, x * 1.12), y, y * 0.3, text)


def _scale(axes: Axes, at: list[float], label: str) -> None:
    axes.set_xscale("log")
    axes.set_xticks(sorted(set(at)), [f"{x:,.0f}" for x in sorted(set(at))], fontsize=SMALL)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(label)
    axes.grid(axis="y")
    axes.set_axisbelow(True)
