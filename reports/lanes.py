"""Shared parts of timelines: lanes of clients, rows of faults above the lanes, and bars in both."""

from dataclasses import dataclass
from itertools import chain
from typing import Iterable

from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline

from drawing import Span
from figures_svg import NAME, SMALL, bare
from history import History
from holds import Hold, find_holds
from palette import LIGHT
from reading import Episode, Fault
from timescale import Extent, TimeScale
from words import asked_and_measured, fault_role

BAR = 0.40  # height of a bar; a lane has height 1
LANE_INCHES = (0.40, 0.13)  # largest and smallest height of a lane: with few and with many clients
LANES_INCHES = 4.4  # height of all lanes, above which each lane becomes narrower
ROW_INCHES = 0.25  # height of a row of faults
LETTER = 4.8  # width of a letter of the small text in points, with a margin
ROW_BAR = (0.24, 0.35)  # bar of a row, in row heights: offset below the middle, height
ROW_TEXT = -0.24  # text of a row, above its bar: offset below the middle
FAULT_ROWS = 14  # most fault rows; with more faults, faults of a kind share a row
NAME_LENGTH = 17


@dataclass(frozen=True, slots=True)
class Recording:
    """A history, with its holds."""

    history: History
    holds: list[Hold]

    @classmethod
    def of(cls, history: History) -> "Recording":
        return cls(history, find_holds(history))


VERDICT = -1  # the index of the row of violations


@dataclass(frozen=True, slots=True)
class Act:
    """One interval in which a fault acts."""

    from_ns: int
    to_ns: int
    client: int  # target of the fault; below 1: no client
    text: str


@dataclass(frozen=True, slots=True)
class FaultRow:
    name: str
    role: str
    acts: list[Act]


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions of lanes and rows; y grows downwards. The n-th lane is at y = n, from 0."""

    names: list[str]  # of the lanes
    clients: list[int]  # the client of each lane
    faults: list[FaultRow]
    verdict_row: bool  # whether there is a row for violations, between the faults and the lanes

    @property
    def rows(self) -> int:
        return len(self.faults) + self.verdict_row

    @property
    def lane_inches(self) -> float:
        widest, narrowest = LANE_INCHES
        return max(narrowest, min(widest, LANES_INCHES / len(self.clients)))

    @property
    def row_height(self) -> float:
        """Height of a fault row in lanes."""
        return ROW_INCHES / self.lane_inches

    @property
    def top(self) -> float:
        return -0.5 - self.row_height * (self.rows + (0.25 if self.rows else 0))

    @property
    def height(self) -> float:
        """Height of the lanes and rows in inches."""
        return self.lane_inches * (len(self.clients) - 0.5 - self.top)

    def row(self, index: int, below: float = 0.0) -> float:
        """Returns the middle of a row: of a fault, or, for VERDICT, of the violations."""
        return self.top + self.row_height * (index % self.rows + 0.5 + below)

    def prepare(self, axes: Axes) -> None:
        axes.set_ylim(len(self.clients) - 0.5, self.top)
        names = [*(shorten(fault.name) for fault in self.faults)]
        if self.verdict_row:
            names.append("violations")
        places = [self.row(i) for i in range(self.rows)]
        lanes = range(len(self.clients))
        axes.set_yticks([*places, *lanes], names + self.names)
        for i, label in enumerate(axes.get_yticklabels()):
            label.set(gid=NAME, color=LIGHT["muted" if i < len(names) else "ink"])
        bare(axes)
        for lane in lanes:
            axes.axhline(lane + 0.5, color=LIGHT["line"], linewidth=0.5, zorder=0)


def fault_rows(faults: list[Fault]) -> list[FaultRow]:
    """Returns a row for each fault that took effect, in the order of the plan. If there are too
    many, faults of a kind share a row."""
    took_effect = [fault for fault in faults if fault.episodes]
    by_kind = len(took_effect) > FAULT_ROWS
    rows: dict[str, FaultRow] = {}
    for fault in took_effect:
        name = fault.kind if by_kind else fault.name
        rows.setdefault(name, FaultRow(name, fault_role(fault), [])).acts.extend(
            Act(e.from_ns, e.to_ns, e.client, fault_text(fault, e)) for e in fault.episodes)
    for row in rows.values():
        row.acts.sort(key=lambda act: act.from_ns)
    return list(rows.values())


def shorten(name: str, length: int = NAME_LENGTH) -> str:
    return name if len(name) <= length else name[: length - 1] + "\N{HORIZONTAL ELLIPSIS}"


def bars(axes: Axes, extents: Iterable[Extent], y: float, height: float, role: str,
         hatch: str | None = None, alpha: float = 1.0, least: float = 0.0,
         zorder: float = 2) -> None:
    """Draws bars centred on y as one artist. Merges bars closer than `least`."""
    corners: list[tuple[float, float]] = []
    codes: list[int] = []
    for left, right in merged(extents, least):
        low, high = y - height / 2, y + height / 2
        corners += [(left, low), (right, low), (right, high), (left, high), (left, low)]
        codes += [Outline.MOVETO, Outline.LINETO, Outline.LINETO, Outline.LINETO,
                  Outline.CLOSEPOLY]
    if corners:
        patch = PathPatch(Outline(corners, codes), facecolor=LIGHT[role], alpha=alpha,
                          hatch=hatch, linewidth=0, zorder=zorder)
        if hatch:
            patch.set_edgecolor(LIGHT["live"])
        axes.add_patch(patch)


def merged(extents: Iterable[Extent], least: float) -> list[Extent]:
    """Returns the extents sorted, widened to `least`, and merged if closer than `least`."""
    found: list[Extent] = []
    for left, right in sorted(extents):
        right = max(right, left + least)
        if found and left <= found[-1][1] + least and least > 0:
            found[-1] = (found[-1][0], max(found[-1][1], right))
        else:
            found.append((left, right))
    return found


def fault_bands(axes: Axes, layout: Layout, scale: TimeScale) -> None:
    """Draws each fault in its own row, and tints the lanes on which it acts: a client's lane, or
    all lanes."""
    middle, height = (len(layout.clients) - 1) / 2, float(len(layout.clients))
    for index, fault in enumerate(layout.faults):
        spans: dict[int, list[Span]] = {}
        for act in fault.acts:
            spans.setdefault(max(act.client, 0), []).append((act.from_ns, act.to_ns))
        row_bars(axes, scale.extents(chain(*spans.values())), layout, index, fault.role)
        for y, client in enumerate(layout.clients):
            bars(axes, scale.extents(spans.get(client, [])), y, 1.0, fault.role, alpha=0.24,
                 zorder=0.5)
        bars(axes, scale.extents(spans.get(0, [])), middle, height, fault.role, alpha=0.10,
             zorder=0.4)


def row_bars(axes: Axes, extents: list[Extent], layout: Layout, index: int, role: str) -> None:
    below, high = ROW_BAR
    bars(axes, extents, layout.row(index, below), high * layout.row_height, role, least=0.002,
         zorder=3)


def fault_texts(axes: Axes, layout: Layout, scale: TimeScale, points_wide: float) -> None:
    for index, fault in enumerate(layout.faults):
        texts = [(scale.x(a.from_ns), a.text) for a in fault.acts
                 if a.to_ns >= scale.begin_ns and a.from_ns <= scale.end_ns]
        for left, text in place_texts(texts, points_wide):
            axes.text(left, layout.row(index, ROW_TEXT), text, va="center", fontsize=SMALL)


def fault_text(fault: Fault, episode: Episode) -> str:
    """Returns "asked 800 ms, got 803 ms", or "61 ms" for a fault that lasts until a step."""
    asked, measured = asked_and_measured(fault, episode.asked_ns, episode.measured_ns)
    return f"asked {asked}, got {measured}" if asked else measured


def place_texts(texts: list[tuple[float, str]], points_wide: float) -> list[tuple[float, str]]:
    """Chooses the texts that overlap no text chosen before. `texts` has (left, text), the most
    important first.

    The axis is from 0 to 1 and `points_wide` points wide. Moves a text left if it would end beyond
    the axis."""
    placed: list[tuple[float, float, str]] = []
    for left, text in texts:
        width = (len(text) + 1) * LETTER / points_wide
        left = max(0.0, min(left, 1 - width))
        if all(left >= end or left + width <= begin for begin, end, _ in placed):
            placed.append((left, left + width, text))
    return [(left, text) for left, _, text in placed]
