"""Speed: latencies and throughput of one run, and of several locks side by side."""

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from figures_svg import SMALL, bare, sheet
from lanes import Recording, merged, shorten
from palette import LIGHT
from reading import Percentiles, Verdict
from words import duration, fault_role

LATENCIES = {"acquire": "one attempt", "wait": "wait for the lock", "hold": "hold",
             "release": "release"}
FINEST = 1 / 700  # share of the axis: faults closer than this are shaded as one
BINS = 50


def speed(recording: Recording, verdict: Verdict) -> Figure:
    """Left: latencies as median, 95th and 99th percentile, and maximum. Right: grants or orders
    over time."""
    figure = sheet(2.3)
    left = figure.add_axes((0.115, 0.2, 0.36, 0.66))
    measured = {name: verdict.latency[name] for name in LATENCIES
                if verdict.latency.get(name, Percentiles()).count}
    left.set_title("latency: median, 95 %, 99 %, longest")
    _latencies(left, measured)
    right = figure.add_axes((0.56, 0.2, 0.428, 0.66))
    _throughput(right, recording, verdict)
    return figure


def _latencies(axes: Axes, measured: dict[str, Percentiles]) -> None:
    for y, p in enumerate(measured.values()):
        low, points = max(1, p.p50_ns), (p.p50_ns, p.p95_ns, p.p99_ns, p.max_ns)
        axes.plot([low, max(low, p.max_ns)], [y, y], color=LIGHT["stale"], linewidth=3, zorder=1)
        axes.plot([low, max(low, p.p99_ns)], [y, y], color=LIGHT["live"], linewidth=3, zorder=2)
        axes.plot([max(1, ns) for ns in points], [y] * 4, linestyle="", marker="|", markersize=9,
                  markeredgewidth=1.4, color=LIGHT["ink"], zorder=3)
        for ns, side, ha in ((low, -7, "right"), (max(1, p.max_ns), 7, "left")):
            axes.annotate(duration(ns), (ns, y), (side, 0), textcoords="offset points",
                          fontsize=SMALL, ha=ha, va="center")
    axes.set_ylim(len(measured) - 0.5, -0.6)
    axes.set_yticks(range(len(measured)), [LATENCIES[name] for name in measured])
    bare(axes)
    log_time(axes)
    axes.margins(x=0.2)


def log_time(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(numticks=7))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda ns, _: duration(ns)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.tick_params(axis="x", which="minor", length=0)
    axes.grid(axis="x")
    axes.set_axisbelow(True)


def _throughput(axes: Axes, recording: Recording, verdict: Verdict) -> None:
    op = "acquire" if recording.holds else "order"
    at = [e.at_ns for e in recording.history.events if e.op == op and e.type == "ok"]
    end_ns = max(1, recording.history.end_ns)
    counts = [0] * BINS
    for ns in at:
        counts[min(BINS - 1, ns * BINS // end_ns)] += 1
    width_s = end_ns / BINS / 1e9
    rates = [count / width_s for count in counts]
    edges = [i * width_s for i in range(BINS + 1)]
    spans: dict[str, list[tuple[float, float]]] = {}
    for fault in verdict.faults:
        spans.setdefault(fault_role(fault), []).extend(
            (e.from_ns / 1e9, e.to_ns / 1e9) for e in fault.episodes)
    for role, some in spans.items():
        for left, right in merged(some, end_ns / 1e9 * FINEST):
            axes.axvspan(left, right, color=LIGHT[role], alpha=0.2, linewidth=0)
    axes.stairs(rates, edges, fill=True, color=LIGHT["live"], alpha=0.85)
    axes.set_title("grants per second" if op == "acquire" else "orders per second")
    axes.set_xlabel("seconds since the start of the run; faults shaded")
    axes.set_ylim(0, 1.1 * max([1.0, *rates]))
    axes.yaxis.set_major_locator(MaxNLocator(nbins="auto", integer=True))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.margins(x=0.005)
    axes.grid(axis="y")
    axes.set_axisbelow(True)


@dataclass(frozen=True, slots=True)
class LockSpeed:
    """A row of the comparison: the median over repetitions, with minimum and maximum."""

    name: str
    unit: str  # "orders", or "grants" if the workload sells nothing
    per_s: tuple[float, float, float]  # minimum, median, maximum
    wait: Percentiles | None
    acquire: Percentiles | None


def compare_speed(rows: list[LockSpeed]) -> Figure:
    """Left: throughput. Right: latencies as median and 99th percentile."""
    height = 0.75 + 0.42 * len(rows)
    figure = sheet(height)
    low, tall = 0.45 / height, (height - 0.75) / height
    left = figure.add_axes((0.16, low, 0.36, tall))
    right = figure.add_axes((0.575, low, 0.413, tall))
    names = [shorten(row.name, 24) for row in rows]
    most = max(row.per_s[2] for row in rows) or 1.0
    left.barh(range(len(rows)), [row.per_s[1] for row in rows], height=0.5,
              color=LIGHT["live"])
    for y, row in enumerate(rows):
        least, middle, best = row.per_s
        if best > least:
            left.plot([least, best], [y, y], color=LIGHT["ink"], linewidth=1.2)
        left.text(best + 0.012 * most, y, f"{middle:,.0f}", va="center", fontsize=8)
    left.set_title(f"{' or '.join(dict.fromkeys(row.unit for row in rows))} per second")
    left.set_xlim(0, 1.15 * most)
    left.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    left.grid(axis="x")
    left.set_axisbelow(True)
    right.set_title("latency, median to 99 %:  \N{BLACK CIRCLE} wait for the lock   "
                    "\N{WHITE CIRCLE} one attempt")
    for y, row in enumerate(rows):
        _range(right, y - 0.13, row.wait, "live", "live")
        _range(right, y + 0.15, row.acquire, "muted", "surface")
        if not (row.wait or row.acquire):
            right.text(0.01, y, "takes no lock", transform=right.get_yaxis_transform(),
                       va="center", fontsize=8, color=LIGHT["muted"])
    for axes, labels in ((left, names), (right, [""] * len(rows))):
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_yticks(range(len(rows)), labels)
        bare(axes)
    for label in left.get_yticklabels():
        label.set_color(LIGHT["ink"])
    if any(row.wait or row.acquire for row in rows):
        log_time(right)
    return figure


def _range(axes: Axes, y: float, p: Percentiles | None, role: str, face: str) -> None:
    if p is None or not p.count:
        return
    ends = [max(1, p.p50_ns), max(1, p.p99_ns)]
    axes.plot(ends, [y, y], color=LIGHT[role], linewidth=1.8, marker="o", markersize=4.5,
              markerfacecolor=LIGHT[face], markeredgewidth=1.2)
