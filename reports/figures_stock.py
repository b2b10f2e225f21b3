"""Plots the stock against the confirmed orders. The gap is the number of oversold pieces."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from figures_svg import sheet
from holds import StockCurve
from palette import LIGHT

STEPS_MAX = 900  # most points of a line


def stock(curve: StockCurve) -> Figure:
    missing = curve.missing
    height = 3.3 if max(missing) else 2.4
    figure = sheet(height)
    left, width, low = 0.075, 0.913, 0.46 / height
    if not max(missing):
        axes = figure.add_axes((left, low, width, 1 - low - 0.25 / height))
        paint_stock(axes, curve)
        axes.set_xlabel("seconds since the start of the run")
        return figure
    axes = figure.add_axes((left, low + 1.05 / height, width, 1 - low - 1.3 / height))
    paint_stock(axes, curve)
    axes.tick_params(labelbottom=False)
    below = figure.add_axes((left, low, width, 0.75 / height), sharex=axes)
    at, gap = _thin([ns / 1e9 for ns in curve.at_ns], missing)
    below.fill_between(at, gap, step="post", color=LIGHT["overlap"], alpha=0.85, linewidth=0)
    below.set_title("sold, but never deducted from the stock", fontsize=7.5, pad=4)
    below.set_ylim(0, 1.15 * max(missing))
    _whole_numbers(below, 3)
    below.set_xlabel("seconds since the start of the run")
    below.tick_params(labelbottom=True)
    return figure


def paint_stock(axes: Axes, curve: StockCurve, legend: bool = True) -> None:
    at = [ns / 1e9 for ns in curve.at_ns]
    thin_at, thin_stock = _thin(at, curve.stock)
    _, thin_due = _thin(at, curve.due)
    axes.fill_between(thin_at, thin_due, thin_stock, step="post", linewidth=0, alpha=0.22,
                      color=LIGHT["overlap"],
                      where=[s > d for s, d in zip(thin_stock, thin_due)])
    axes.step(thin_at, thin_stock, where="post", color=LIGHT["live"], linewidth=1.5)
    axes.step(thin_at, thin_due, where="post", color=LIGHT["ink"], linewidth=1.1,
              linestyle=(0, (4, 2)))
    _whole_numbers(axes, 5)
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    axes.margins(x=0.005)
    if legend:
        axes.legend(axes.lines, ["stock, as last written", "initial stock less confirmed orders"],
                    loc="lower left", frameon=False, fontsize=7.5, handlelength=2.4)


def _whole_numbers(axes: Axes, count: int) -> None:
    axes.yaxis.set_major_locator(MaxNLocator(count, integer=True))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")


def _thin(at: list[float], values: list[int]) -> tuple[list[float], list[int]]:
    """Keeps every n-th step, and the last one."""
    every = -(-len(at) // STEPS_MAX)
    if every == 1:
        return at, values
    return [*at[::every], at[-1]], [*values[::every], values[-1]]
