"""A few milliseconds of a run, client by client: how a violation came about, or a normal
stretch."""

from statistics import median

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures_svg import WIDTH, sheet
from holds import Hold, StockOperation
from incidents import Incident
from lanes import (BAR, LETTER, ROW_TEXT, VERDICT, Layout, Recording, bars, drawn_faults,
                   fault_bands, fault_texts, place_texts, row_bars)
from palette import LIGHT
from reading import ENDLESS_NS, Verdict, Violation
from timescale import TimeScale, windows_around
from words import duration, plural, violated

LANES_MAX = 7
THINNEST = 0.0015  # share of the axis: even a hold of nanoseconds is visible
MARGINS = {"left": 0.105, "right": 0.988}
PAD_NS = (1_000_000, 30_000_000)  # around an instant of interest: minimum, maximum
OPERATIONS_Y = 0.33  # below the middle of a lane


def zoom(recording: Recording, verdict: Verdict, incident: Incident | None) -> Figure:
    """Draws the time around an incident; without one, around the first fault or in the middle."""
    scale = scale_of(recording, verdict, incident)
    layout = layout_of(recording, verdict, scale, incident)
    height = layout.height + 0.62
    figure = sheet(height)
    axes = figure.add_axes((MARGINS["left"], 0.46 / height, MARGINS["right"] - MARGINS["left"],
                            layout.height / height))
    paint(axes, recording, verdict, scale, layout, WIDTH * 72 * 0.88)
    return figure


def layout_of(recording: Recording, verdict: Verdict, scale: TimeScale,
              incident: Incident | None, lanes_max: int = LANES_MAX) -> Layout:
    """Chooses the lanes: the clients of the incident first, then others that hold the lock in a
    window."""
    shown = [hold for hold in recording.holds if scale.shows(hold.from_ns, hold.to_ns)]
    named = []
    if incident:
        main = incident.main
        named = [hold.client for hold in (main.first, main.second) if hold]
    clients = list(dict.fromkeys([*named, *(hold.client for hold in shown)]))
    visible = [fault for fault in drawn_faults(verdict.faults)
               if any(e.to_ns >= scale.begin_ns and e.from_ns <= scale.end_ns
                      for e in fault.episodes)]
    return Layout(sorted(clients[:lanes_max]) or [1], visible, bool(incident),
                  max(0, len(clients) - lanes_max))


def scale_of(recording: Recording, verdict: Verdict, incident: Incident | None) -> TimeScale:
    if incident:
        return _scale_of_incident(recording, verdict, incident)
    return _scale_of_calm(recording, verdict)


def _scale_of_incident(recording: Recording, verdict: Verdict, incident: Incident) -> TimeScale:
    main = incident.main
    if not (main.first and main.second):
        around = [main.from_ns, main.to_ns]
        pad = max(PAD_NS[0], min(PAD_NS[1], (main.to_ns - main.from_ns) // 4 or PAD_NS[1]))
        return TimeScale(windows_around(around, pad, recording.history.end_ns))
    own = {main.first.hold, main.second.hold}
    instants = [main.from_ns, main.to_ns]
    for hold in (main.first, main.second):
        instants += [hold.from_ns, hold.to_ns]
        if hold.valid_until_ns < hold.to_ns:
            instants.append(hold.valid_until_ns)
    instants += [end for o in recording.operations if o.hold in own and o.type != "invoke"
                 for end in (o.from_ns, o.to_ns)]
    instants += _ends_of_faults(verdict, min(instants), max(instants))
    lengths = [hold.to_ns - hold.from_ns for hold in (main.first, main.second)]
    pad = max(PAD_NS[0], min(PAD_NS[1], min(lengths) // 2))
    return TimeScale(windows_around(instants, pad, recording.history.end_ns))


def _scale_of_calm(recording: Recording, verdict: Verdict) -> TimeScale:
    """Chooses the windows if there is no violation: around the first fault, or a dozen holds in the
    middle."""
    end_ns, holds = recording.history.end_ns, recording.holds
    if not holds:
        return TimeScale([(0, max(1, end_ns))])
    usual = int(median(hold.to_ns - hold.from_ns for hold in holds))
    pad = max(PAD_NS[0], min(PAD_NS[1], 2 * usual))
    episodes = [e for fault in verdict.faults for e in fault.episodes]
    if episodes:
        first = min(episodes, key=lambda e: e.from_ns)
        instants = [first.from_ns, first.to_ns]
        instants += [at for hold in holds
                     if hold.client == first.client and hold.from_ns <= first.from_ns <= hold.to_ns
                     for at in (hold.from_ns, min(hold.valid_until_ns, hold.to_ns), hold.to_ns)]
        return TimeScale(windows_around(instants, pad, end_ns))
    middle = holds[len(holds) // 2: len(holds) // 2 + 12]
    return TimeScale([(middle[0].from_ns - pad // 4, middle[-1].to_ns + pad // 4)])


def _ends_of_faults(verdict: Verdict, begin_ns: int, end_ns: int) -> list[int]:
    return [at for fault in verdict.faults for e in fault.episodes for at in (e.from_ns, e.to_ns)
            if begin_ns <= at <= end_ns]


def paint(axes: Axes, recording: Recording, verdict: Verdict, scale: TimeScale, layout: Layout,
          points_wide: float) -> None:
    layout.prepare(axes)
    _gaps(axes, scale, layout)
    fault_bands(axes, layout, scale)
    fault_texts(axes, layout, scale, points_wide)
    for client in layout.clients:
        holds = [hold for hold in recording.holds if hold.client == client
                 and hold.to_ns >= scale.begin_ns and hold.asked_ns <= scale.end_ns]
        _holds(axes, layout, scale, holds)
        _operations(axes, layout.lane(client), scale, points_wide,
                    [o for o in recording.operations if o.client == client])
    if layout.verdict_row:
        _violations(axes, layout, scale, verdict.violations, points_wide)
    ticks = scale.ticks()
    axes.set_xticks([x for x, _ in ticks], [label for _, label in ticks])
    axes.set_xlim(0, 1)
    cut = "; shaded stretches are shortened" if len(scale.pieces) > 1 else ""
    hidden = f"; {plural(layout.hidden, 'more client')} not shown" if layout.hidden else ""
    axes.set_xlabel(f"seconds since the start of the run{cut}{hidden}")


def _gaps(axes: Axes, scale: TimeScale, layout: Layout) -> None:
    for piece in scale.pieces:
        if piece.gap:
            axes.axvspan(piece.left, piece.right, color=LIGHT["line"], alpha=0.55, zorder=0.2)
            axes.text((piece.left + piece.right) / 2, len(layout.clients) - 0.42,
                      duration(piece.to_ns - piece.from_ns), ha="center", va="top",
                      fontsize=6.5, color=LIGHT["muted"], fontstyle="italic")


def _holds(axes: Axes, layout: Layout, scale: TimeScale, holds: list[Hold]) -> None:
    if not holds:
        return
    y = layout.lane(holds[0].client) - 0.12
    bars(axes, scale.extents((h.asked_ns, h.from_ns) for h in holds), y, 0.06, "muted")
    bars(axes, scale.extents(s for h in holds for s in h.live), y, BAR, "live", least=THINNEST)
    bars(axes, scale.extents(s for h in holds for s in h.stale), y, BAR, "stale", hatch="/////")
    for hold in holds:
        over = hold.valid_until_ns
        if over < min(hold.to_ns, ENDLESS_NS) and scale.shows(over, over):
            axes.plot([scale.x(over)] * 2, [y - 0.32, y + 0.26], color=LIGHT["ink"], linewidth=1.2,
                      zorder=4)
            axes.text(scale.x(over) - 0.004, y - 0.225, "lease over", fontsize=6.5, ha="right",
                      va="bottom", color=LIGHT["ink"])


def _operations(axes: Axes, lane: float, scale: TimeScale, points_wide: float,
                operations: list[StockOperation]) -> None:
    shown = [o for o in operations if o.op != "order" and scale.shows(o.to_ns, o.to_ns)]
    y = lane + OPERATIONS_Y
    for (op, ok), (marker, face) in MARKERS.items():
        at = [scale.x(o.to_ns) for o in shown if o.op == op and (o.type == "ok") == ok]
        if at:
            axes.plot(at, [y] * len(at), linestyle="", marker=marker, markersize=4.2,
                      markerfacecolor=LIGHT[face], markeredgecolor=LIGHT["ink"],
                      markeredgewidth=0.9, zorder=5)
    waits = [(o.from_ns, o.to_ns) for o in shown]
    bars(axes, scale.extents(waits), y, 0.05, "ink", zorder=3)
    lefts = sorted(scale.x(o.from_ns) for o in shown)
    for operation in shown:
        left = scale.x(operation.to_ns) + 4.5 / points_wide
        room = min([1.01, *(x - 4 / points_wide for x in lefts if x > left - 4.5 / points_wide)]) - left
        text = next((t for t in _told(operation) if len(t) * LETTER / points_wide < room), "")
        if text:
            axes.text(left, y + 0.015, text, fontsize=6.8, va="center", zorder=6)


MARKERS = {("read", True): ("o", "surface"), ("read", False): ("x", "surface"),
           ("write", True): ("D", "ink"), ("write", False): ("X", "surface")}


def _told(operation: StockOperation) -> tuple[str, str]:
    """Returns the full and the short text of an operation."""
    if operation.type == "ok":
        verb = {"read": "read", "write": "wrote"}[operation.op]
        return f"{verb} {operation.stock}", f"{operation.stock}"
    short = "refused" if operation.type == "fail" else "no answer"
    return f"{operation.op}: {short}", short


def _violations(axes: Axes, layout: Layout, scale: TimeScale, violations: list[Violation],
                points_wide: float) -> None:
    shown = [v for v in violations
             if v.to_ns >= scale.begin_ns and v.from_ns <= scale.end_ns]
    row_bars(axes, scale.extents((v.span for v in shown)), layout, VERDICT, "overlap")
    for client in layout.clients:
        tinted = [v.span for v in shown if _reaches(v, client, layout)]
        bars(axes, scale.extents(tinted), layout.lane(client), 1.0, "overlap", alpha=0.17,
             least=0.002, zorder=1)
        held = [v.span for v in shown if client in _clients(v)]
        bars(axes, scale.extents(held), layout.lane(client) - 0.12 + BAR / 2 + 0.045, 0.09,
             "overlap", zorder=4)
    for left, text in place_texts(_labels(scale, shown), points_wide):
        axes.text(left, layout.row(VERDICT, ROW_TEXT), text, va="center", fontsize=7.2,
                  fontweight="bold", color=LIGHT["overlap"], zorder=6)


def _clients(violation: Violation) -> set[int]:
    return {hold.client for hold in (violation.first, violation.second) if hold}


def _reaches(violation: Violation, client: int, layout: Layout) -> bool:
    """Whether the lane lies between the row of violations and the last lane of the violation."""
    concerned = _clients(violation) & set(layout.clients)
    return not concerned or client <= max(concerned)


def _labels(scale: TimeScale, violations: list[Violation]) -> list[tuple[float, str]]:
    """Returns one label for violations that begin at the same place: "held twice for 9 ms". New
    words come first."""
    places: dict[float, list[Violation]] = {}
    for violation in violations:
        left = round(scale.x(violation.span[0]), 3)
        places.setdefault(left, []).append(violation)
    first, again, said = [], [], set()
    for left, here in places.items():
        told = dict.fromkeys(v.claim for v in here)
        length_ns = max(end - begin for begin, end in (v.span for v in here))
        length = f" for {duration(length_ns)}" if length_ns else ""
        (again if said.issuperset(told) else first).append((left, f"{violated(told)}{length}"))
        said.update(told)
    return first + again
