"""Plots the curve of no return: the share of continuations that violate a claim, by step."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from figures_svg import MARK, SMALL, WRONG, add_tooltip, sheet
from palette import LIGHT
from trace import Curve, CurvePoint
from words import interval, percent

MOST_MARKS = 200  # with more points, only faults and the largest jump have a tooltip
LOW, TOP = -6, 108  # of the axis in percent: a share of 0 or 100 is not at its edge


def curve_of_no_return(curve: Curve) -> Figure:
    """A tooltip describes each point. The largest jump and the steps of faults are marked."""
    figure = sheet(2.5)
    axes = figure.add_axes((0.075, 0.19, 0.913, 0.68))
    at = range(len(curve.points))
    low, high = ([100 * point.exact_95[end] for point in curve.points] for end in (0, 1))
    axes.fill_between(at, low, high, color=LIGHT["stale"], linewidth=0)
    axes.plot(at, [100 * point.share for point in curve.points], color=LIGHT["live"],
              linewidth=1.5, marker="o", markersize=4)
    for x, point in enumerate(curve.points):
        _mark(axes, curve, point, x)
    axes.set_title(f"share that violates {curve.claim}, and its 95 % interval; "
                   "dotted: a fault begins or ends")
    axes.set_xlabel("step of the execution; 0 is the start")
    axes.xaxis.set_major_locator(MaxNLocator(min(20, len(at)), integer=True))
    axes.xaxis.set_major_formatter(lambda x, _: _number_at(curve, x))
    axes.set_yticks([0, 25, 50, 75, 100])
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0f} %")
    axes.set_ylim(LOW, TOP)
    axes.set_xlim(-0.5, len(at) - 0.5)
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    return figure


def _number_at(curve: Curve, x: float) -> str:
    return str(curve.points[round(x)].step) if 0 <= round(x) < len(curve.points) else ""


def _mark(axes: Axes, curve: Curve, point: CurvePoint, x: int) -> None:
    is_jump, share = point.step == curve.jump, 100 * point.share
    if point.is_fault:
        axes.axvline(x, color=LIGHT["outage"], linewidth=1, linestyle=(0, (1, 2)), zorder=0.5)
    if is_jump:
        axes.plot([x], [share], marker="D", markersize=7, color=LIGHT["overlap"])
        # The curve rises from the left, so the text is on the right if there is space.
        side, ha = (-9, "right") if x > 0.8 * len(curve.points) else (9, "left")
        axes.annotate(f"step {point.step}: the largest jump", (x, share), (side, -10),
                      textcoords="offset points", fontsize=SMALL, ha=ha, va="center")
    if is_jump or point.is_fault or len(curve.points) <= MOST_MARKS:
        add_tooltip(axes, (x - 0.5, x + 0.5), (LOW + TOP) / 2, TOP - LOW,
                    f"step {point.step}, {percent(point.share)} ({interval(point.exact_95)}): "
                    f"{point.text}", WRONG if is_jump else MARK)
