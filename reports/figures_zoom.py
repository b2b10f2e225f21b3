"""Draws a few milliseconds of a run, lane by lane: the lanes of a violation from verdict.json, or,
without a violation, the holds around the first fault or in the middle."""

from dataclasses import dataclass, field, replace
from statistics import median

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from drawing import Lane, Mark, Span, list_shown_holds
from figures_messages import draw_messages
from figures_svg import MARK, SMALL, WIDTH, WRONG, sheet, add_tooltip
from holds import Hold
from incidents import Incident
from lanes import (BAR, LETTER, ROW_TEXT, VERDICT, Act, FaultRow, Layout, Recording, bars,
                   fault_bands, fault_rows, fault_texts, place_texts, row_bars)
from messages import Message, server_name
from palette import LIGHT
from reading import Verdict, Violation
from timescale import TimeScale, windows_around
from words import duration, fault_role, instant, period, plural, violated

LANES_MAX = 7
MESSAGES_MAX = 200
NO_CLIENT = -1  # in the lane of a server
THINNEST = 0.0015  # least width of a hold as a share of the axis, so that each hold is visible
MARGINS = {"left": 0.105, "right": 0.988}
PAD_NS = (1_000_000, 30_000_000)  # around an instant of interest: minimum, maximum
USES_Y = 0.33  # below the middle of a lane


@dataclass(frozen=True, slots=True)
class Closeup:
    """The content of one picture."""

    lanes: list[Lane]  # of sessions
    faults: list[FaultRow]
    scale: TimeScale
    violations: list[Violation]
    titles: dict[str, str]  # of claims
    hidden: int  # number of sessions without a lane
    messages: list[Message] = field(default_factory=list)  # of the clients in lanes
    hidden_messages: int = 0  # number of further messages of these clients

    @property
    def servers(self) -> list[int]:
        """The nodes of `messages`, in the order of their lanes: the store last."""
        return sorted({message.node for message in self.messages}, key=lambda node: node or 1000)

    @property
    def layout(self) -> Layout:
        servers = self.servers
        return Layout([*(lane.name for lane in self.lanes), *map(server_name, servers)],
                      [*(lane.client for lane in self.lanes), *[NO_CLIENT] * len(servers)],
                      self.faults, bool(self.violations))

    def with_messages(self, messages: list[Message]) -> "Closeup":
        clients = {lane.client for lane in self.lanes}
        shown = [message for message in messages
                 if message.client in clients and self.scale.shows(message.at_ns, message.at_ns)]
        return replace(self, messages=shown[:MESSAGES_MAX],
                       hidden_messages=max(0, len(shown) - MESSAGES_MAX))

    def lane_indices(self, message: Message) -> tuple[int, int]:
        """Returns the index of the client's lane and of the server's lane."""
        client = next(y for y, lane in enumerate(self.lanes) if lane.client == message.client)
        return client, len(self.lanes) + self.servers.index(message.node)


def choose_closeup(recording: Recording, verdict: Verdict, incident: Incident | None,
               lanes_max: int = LANES_MAX) -> Closeup:
    """Returns the lanes of an incident. If there is none, or it has no lanes, returns the holds
    around the first fault or in the middle."""
    if incident and incident.main.lanes:
        return _violation(verdict, incident, lanes_max)
    return _calm(recording, verdict, lanes_max)


def _violation(verdict: Verdict, incident: Incident, lanes_max: int) -> Closeup:
    main = incident.main
    instants = [main.from_ns, main.to_ns, *main.times_ns]
    instants += [at for lane in main.lanes for span in lane.spans_in("calling", "acting")
                 for at in span]
    lengths = [end - begin for lane in main.lanes for begin, end in lane.spans_in("held")]
    pad = _pad(min(lengths, default=PAD_NS[0]) // 2)
    scale = TimeScale(windows_around(instants, pad, max(instants) + pad))
    drawn = merged_lanes([main, *incident.violations])
    roles = {fault.name: fault_role(fault) for fault in verdict.faults}
    faults = [FaultRow(lane.name, roles[lane.fault],
                       [Act(*span, lane.client, mark.text)
                        for span, mark in zip(lane.spans_in("acting"),
                                              (m for m in lane.marks if m.text))])
              for lane in drawn if lane.fault in roles]
    lanes = [lane for lane in drawn if lane.fault is None
             and any(scale.shows(*span) for span in lane.spans_in("held"))]
    violations = [v for v in incident.violations if scale.shows(*v.span)]
    return Closeup(lanes[:lanes_max], faults, scale, violations, verdict.titles,
                   max(0, len(lanes) - lanes_max))


def merged_lanes(violations: list[Violation]) -> list[Lane]:
    """Returns the lanes of all violations, each session and fault once."""
    lanes: dict[str, Lane] = {}
    for lane in (lane for violation in violations for lane in violation.lanes):
        same = lanes.get(lane.name, lane)
        lanes[lane.name] = replace(
            lane, spans=[*dict.fromkeys(same.spans + lane.spans)],
            marks=sorted(dict.fromkeys(same.marks + lane.marks), key=lambda mark: mark.at_ns))
    return list(lanes.values())


def _pad(ns: int) -> int:
    return max(PAD_NS[0], min(PAD_NS[1], ns))


def _calm(recording: Recording, verdict: Verdict, lanes_max: int) -> Closeup:
    scale = _calm_scale(recording, verdict)
    shown = [hold for hold in recording.holds if scale.shows(hold.asked_ns, hold.to_ns)]
    holds: dict[int, list[Hold]] = {}
    for hold in shown:
        holds.setdefault(hold.client, []).append(hold)
    clients = sorted([*holds][:lanes_max])
    faults = [row for row in fault_rows(verdict.faults)
              if any(a.to_ns >= scale.begin_ns and a.from_ns <= scale.end_ns for a in row.acts)]
    lanes = [_client_lane(client, holds[client]) for client in clients]
    return Closeup(lanes or [_client_lane(1, [])], faults, scale, [], {},
                   len(holds) - len(clients))


def _client_lane(client: int, holds: list[Hold]) -> Lane:
    spans = [(state, span) for hold in holds
             for state, some in (("waiting", [(hold.asked_ns, hold.from_ns)]),
                                 ("held", [(hold.from_ns, hold.to_ns)]), ("live", hold.live))
             for span in some]
    over = [hold.valid_until_ns for hold in holds if hold.valid_until_ns < hold.to_ns]
    return Lane(f"client {client}", client, None, spans,
                [Mark(at, "!", "lease over") for at in over])


def _calm_scale(recording: Recording, verdict: Verdict) -> TimeScale:
    end_ns, holds = recording.history.end_ns, recording.holds
    if not holds:
        return TimeScale([(0, max(1, end_ns))])
    pad = _pad(2 * int(median(hold.to_ns - hold.from_ns for hold in holds)))
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


def zoom(closeup: Closeup) -> Figure:
    layout = closeup.layout
    height = layout.height + 0.62
    figure = sheet(height)
    axes = figure.add_axes((MARGINS["left"], 0.46 / height, MARGINS["right"] - MARGINS["left"],
                            layout.height / height))
    paint(axes, closeup, WIDTH * 72 * 0.88)
    _marks(axes, closeup)
    return figure


def _marks(axes: Axes, closeup: Closeup) -> None:
    """Adds tooltips to faults, holds, marks with a text, messages and violations."""
    layout, scale = closeup.layout, closeup.scale
    for index, fault in enumerate(closeup.faults):
        for act in fault.acts:
            _mark(axes, scale, (act.from_ns, act.to_ns), layout.row(index), layout.row_height,
                  f"{fault.name}: {act.text}")
    for y, lane in enumerate(closeup.lanes):
        for held in lane.spans_in("held"):
            _mark(axes, scale, held, y - 0.12, BAR, _hold_text(lane, held))
        for mark in (mark for mark in lane.marks if mark.text):
            middle = y + (0.1 if mark.letter == "!" else USES_Y)
            _mark(axes, scale, (mark.at_ns, mark.at_ns), middle, 0.3,
                  f"{lane.name}: {mark.text} at {instant(mark.at_ns)}"
                  f"{list_shown_holds(closeup.lanes, mark.at_ns)}")
    for message in closeup.messages:
        _, server_y = closeup.lane_indices(message)
        _mark(axes, scale, (message.at_ns, message.at_ns), server_y - 0.2, 0.4,
              f"{message.text} at {instant(message.at_ns)}")
    for violation in closeup.violations:
        _mark(axes, scale, violation.span, layout.row(VERDICT), layout.row_height,
              violation.sentence, WRONG)


def _mark(axes: Axes, scale: TimeScale, span: Span, y: float, height: float, text: str,
          kind: str = MARK) -> None:
    for left, right in scale.extents([span]):
        add_tooltip(axes, (left - THINNEST, max(right, left + 4 * THINNEST)), y, height, text, kind)


def _hold_text(lane: Lane, held: Span) -> str:
    live = [end for begin, end in lane.spans_in("live") if held[0] <= begin and end <= held[1]]
    last = max(live, default=held[1])
    over = f"; its lease ended at {instant(last)}" if last < held[1] else ""
    return f"{lane.name} held the lock, as it believed, {period(held)}{over}"


def paint(axes: Axes, closeup: Closeup, points_wide: float) -> None:
    layout, scale = closeup.layout, closeup.scale
    layout.prepare(axes)
    _gaps(axes, scale, layout)
    fault_bands(axes, layout, scale)
    fault_texts(axes, layout, scale, points_wide)
    for y, lane in enumerate(closeup.lanes):
        _holds(axes, y, scale, lane)
        _uses(axes, y, scale, points_wide, lane)
    draw_messages(axes, scale, points_wide,
                  [(message, *closeup.lane_indices(message)) for message in closeup.messages])
    if closeup.violations:
        _violations(axes, closeup, points_wide)
    ticks = scale.ticks()
    axes.set_xticks([x for x, _ in ticks], [label for _, label in ticks])
    axes.set_xlim(0, 1)
    cut = "; shaded stretches are shortened" if len(scale.pieces) > 1 else ""
    hidden = f"; {plural(closeup.hidden, 'more client')} not shown" if closeup.hidden else ""
    messages = f"; {plural(closeup.hidden_messages, 'more message')} of these clients not shown" \
        if closeup.hidden_messages else ""
    axes.set_xlabel(f"seconds since the start of the run{cut}{hidden}{messages}")


def _gaps(axes: Axes, scale: TimeScale, layout: Layout) -> None:
    for piece in scale.pieces:
        if piece.gap:
            axes.axvspan(piece.left, piece.right, color=LIGHT["line"], alpha=0.55, zorder=0.2)
            axes.text((piece.left + piece.right) / 2, len(layout.clients) - 0.42,
                      duration(piece.to_ns - piece.from_ns), ha="center", va="top",
                      fontsize=SMALL, color=LIGHT["muted"], fontstyle="italic")


def _holds(axes: Axes, lane_y: int, scale: TimeScale, lane: Lane) -> None:
    y = lane_y - 0.12
    bars(axes, scale.extents(lane.spans_in("waiting")), y, 0.06, "muted")
    bars(axes, scale.extents(lane.spans_in("held")), y, BAR, "stale", hatch="/////")
    bars(axes, scale.extents(lane.spans_in("live")), y, BAR, "live", least=THINNEST, zorder=2.1)
    for mark in lane.marks:
        if mark.letter == "!" and scale.shows(mark.at_ns, mark.at_ns):
            over = scale.x(mark.at_ns)
            axes.plot([over] * 2, [y - 0.32, y + 0.26], color=LIGHT["ink"], linewidth=1.2, zorder=4)
            axes.text(over - 0.004, y - 0.225, mark.text, fontsize=SMALL, ha="right", va="bottom",
                      color=LIGHT["ink"])


MARKERS = {"a": (">", "live"), "b": (">", "live"), "g": ("o", "surface"), "l": ("o", "surface"),
           "w": ("D", "ink"), "s": ("D", "ink")}
FAILED = ("X", "surface")


def _uses(axes: Axes, lane_y: int, scale: TimeScale, points_wide: float, lane: Lane) -> None:
    y = lane_y + USES_Y
    bars(axes, scale.extents(lane.spans_in("calling")), y, 0.05, "ink", zorder=3)
    uses = [mark for mark in lane.marks
            if mark.text and mark.letter != "!" and scale.shows(mark.at_ns, mark.at_ns)]
    ends = [*(scale.x(mark.at_ns) - 4 / points_wide for mark in uses[1:]), 1.01]
    for use, end in zip(uses, ends):
        marker, face = MARKERS.get(use.letter, FAILED)
        axes.plot([scale.x(use.at_ns)], [y], linestyle="", marker=marker, markersize=4.2,
                  markerfacecolor=LIGHT[face], markeredgecolor=LIGHT["ink"], markeredgewidth=0.9,
                  zorder=5)
        left = scale.x(use.at_ns) + 4.5 / points_wide
        fitting = [text for text in (use.text, use.text.split()[-1])
                   if len(text) * LETTER / points_wide < end - left]
        if fitting:
            axes.text(left, y + 0.015, fitting[0], fontsize=SMALL, va="center", zorder=6)


def _violations(axes: Axes, closeup: Closeup, points_wide: float) -> None:
    layout, scale, violations = closeup.layout, closeup.scale, closeup.violations
    spans = [v.span for v in violations]
    row_bars(axes, scale.extents(spans), layout, VERDICT, "overlap")
    for y, client in enumerate(layout.clients):
        bars(axes, scale.extents(spans), y, 1.0, "overlap", alpha=0.17, least=0.002, zorder=1)
        held = [v.span for v in violations
                if client in (hold.client for hold in (v.first, v.second) if hold)]
        bars(axes, scale.extents(held), y - 0.12 + BAR / 2 + 0.045, 0.09, "overlap", zorder=4)
    for left, text in place_texts(_labels(closeup), points_wide):
        axes.text(left, layout.row(VERDICT, ROW_TEXT), text, va="center", fontsize=SMALL,
                  fontweight="bold", color=LIGHT["overlap"], zorder=6)


def _labels(closeup: Closeup) -> list[tuple[float, str]]:
    """Returns one label for all violations that begin at the same place: "held twice for 9 ms".
    Labels with a claim that no earlier label has come first."""
    places: dict[float, list[Violation]] = {}
    for violation in closeup.violations:
        left = round(closeup.scale.x(violation.span[0]), 3)
        places.setdefault(left, []).append(violation)
    first, again, said = [], [], set()
    for left, here in places.items():
        claims = dict.fromkeys(v.claim for v in here)
        length_ns = max(end - begin for begin, end in (v.span for v in here))
        length = f" for {duration(length_ns)}" if length_ns else ""
        text = f"{violated(claims, closeup.titles)}{length}"
        (again if said.issuperset(claims) else first).append((left, text))
        said.update(claims)
    return first + again
