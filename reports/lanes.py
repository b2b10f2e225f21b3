"""What the timelines have in common: lanes of clients, rows of faults above them, bars in both."""

from dataclasses import dataclass
from typing import Iterable

from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline

from figures_svg import bare
from history import History
from holds import Hold, StockOperation, holds_of, stock_operations_of
from palette import LIGHT
from reading import Episode, Fault
from timescale import Extent, TimeScale
from words import asked_and_measured, fault_role

BAR = 0.40  # height of a bar; a lane is 1 high
LANE_INCHES = (0.40, 0.13)  # of few clients, of very many
LANES_INCHES = 4.4  # of all lanes, before they become narrower
ROW_INCHES = 0.25  # of a row of faults
LETTER = 4.35  # points that a letter of the small text takes, with room to spare
ROW_BAR = (0.24, 0.35)  # in rows: how far below the middle, how high; text goes above
ROW_TEXT = -0.24
FAULT_ROWS = 14  # of a fault each; where there are more, those of a kind share one
NAME_LENGTH = 17


@dataclass(frozen=True, slots=True)
class Recording:
    """A history and what is drawn of it."""

    history: History
    holds: list[Hold]
    operations: list[StockOperation]

    @classmethod
    def of(cls, history: History) -> "Recording":
        return cls(history, holds_of(history), stock_operations_of(history))


VERDICT = -1  # the index of the row of violations


@dataclass(frozen=True, slots=True)
class Layout:
    """Where lanes and rows are; y grows downwards."""

    clients: list[int]
    faults: list[Fault]
    verdict_row: bool  # a row for what was violated, between the faults and the lanes
    hidden: int = 0  # clients that had the lock, too, and got no lane

    @property
    def rows(self) -> int:
        return len(self.faults) + self.verdict_row

    @property
    def lane_inches(self) -> float:
        widest, narrowest = LANE_INCHES
        return max(narrowest, min(widest, LANES_INCHES / len(self.clients)))

    @property
    def row_height(self) -> float:
        """In lanes."""
        return ROW_INCHES / self.lane_inches

    @property
    def top(self) -> float:
        return -0.5 - self.row_height * (self.rows + (0.25 if self.rows else 0))

    @property
    def height(self) -> float:
        """In inches, of the lanes and rows alone."""
        return self.lane_inches * (len(self.clients) - 0.5 - self.top)

    def lane(self, client: int) -> float:
        return float(self.clients.index(client))

    def row(self, index: int, below: float = 0.0) -> float:
        """The middle of a row of faults; the last one is of the violations."""
        return self.top + self.row_height * (index % self.rows + 0.5 + below)

    def prepare(self, axes: Axes) -> None:
        axes.set_ylim(len(self.clients) - 0.5, self.top)
        names = [*(shorten(fault.name) for fault in self.faults)]
        if self.verdict_row:
            names.append("went wrong")
        places = [self.row(i) for i in range(self.rows)]
        lanes = [self.lane(client) for client in self.clients]
        axes.set_yticks(places + lanes, names + [f"client {c}" for c in self.clients])
        for label in axes.get_yticklabels()[len(names):]:
            label.set_color(LIGHT["ink"])
        bare(axes)
        for lane in lanes:
            axes.axhline(lane + 0.5, color=LIGHT["line"], linewidth=0.5, zorder=0)


def drawn_faults(faults: list[Fault]) -> list[Fault]:
    """A row each, in the order of the plan; those of one kind together, named by it, where there are too many."""
    took_effect = [fault for fault in faults if fault.episodes]
    if len(took_effect) <= FAULT_ROWS:
        return took_effect
    kinds: dict[str, list[Fault]] = {}
    for fault in took_effect:
        kinds.setdefault(fault.kind, []).append(fault)
    return [Fault(name=kind, kind=kind, family=some[0].family, what=kind,
                  planned=sum(fault.planned for fault in some),
                  started=sum(fault.started for fault in some),
                  episodes=sorted((e for fault in some for e in fault.episodes), key=lambda e: e.from_ns))
            for kind, some in kinds.items()]


def shorten(name: str, length: int = NAME_LENGTH) -> str:
    return name if len(name) <= length else name[: length - 1] + "\N{HORIZONTAL ELLIPSIS}"


def bars(axes: Axes, extents: Iterable[Extent], y: float, height: float, role: str,
         hatch: str | None = None, alpha: float = 1.0, least: float = 0.0,
         zorder: float = 2) -> None:
    """Bars centred on y, as one artist; those nearer than `least` to each other become one."""
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
    """In order, at least `least` wide and `least` apart."""
    found: list[Extent] = []
    for left, right in sorted(extents):
        right = max(right, left + least)
        if found and left <= found[-1][1] + least and least > 0:
            found[-1] = (found[-1][0], max(found[-1][1], right))
        else:
            found.append((left, right))
    return found


def fault_bands(axes: Axes, layout: Layout, scale: TimeScale) -> None:
    """Each fault's own row, and a tint behind what it acts on: a client's lane, or all lanes."""
    for index, fault in enumerate(layout.faults):
        role = fault_role(fault)
        everything = scale.extents((e.from_ns, e.to_ns) for e in fault.episodes)
        row_bars(axes, everything, layout, index, role)
        lanes = {e.client for e in fault.episodes} & set(layout.clients)
        for client in lanes:
            mine = [(e.from_ns, e.to_ns) for e in fault.episodes if e.client == client]
            bars(axes, scale.extents(mine), layout.lane(client), 1.0, role, alpha=0.24, zorder=0.5)
        common = [(e.from_ns, e.to_ns) for e in fault.episodes if e.client < 1]
        middle, height = (len(layout.clients) - 1) / 2, float(len(layout.clients))
        bars(axes, scale.extents(common), middle, height, role, alpha=0.10, zorder=0.4)


def row_bars(axes: Axes, extents: list[Extent], layout: Layout, index: int, role: str) -> None:
    below, high = ROW_BAR
    bars(axes, extents, layout.row(index, below), high * layout.row_height, role, least=0.002,
         zorder=3)


def fault_texts(axes: Axes, layout: Layout, scale: TimeScale, points_wide: float) -> None:
    for index, fault in enumerate(layout.faults):
        texts = [(scale.x(e.from_ns), fault_text(fault, e)) for e in fault.episodes
                 if e.to_ns >= scale.begin_ns and e.from_ns <= scale.end_ns]
        for left, text in place_texts(texts, points_wide):
            axes.text(left, layout.row(index, ROW_TEXT), text, va="center", fontsize=6.8)


def fault_text(fault: Fault, episode: Episode) -> str:
    """"asked 800 ms, got 803 ms"; "61 ms" of what was to last until a step."""
    asked, measured = asked_and_measured(fault, episode.asked_ns, episode.measured_ns)
    return f"asked {asked}, got {measured}" if asked else measured


def place_texts(texts: list[tuple[float, str]], points_wide: float) -> list[tuple[float, str]]:
    """Those of (left, text) that fit beside the ones before them in the list, most important first.

    The axis is 0..1 and `points_wide` wide; a text that would leave it on the right is moved in."""
    placed: list[tuple[float, float, str]] = []
    for left, text in texts:
        width = (len(text) + 1) * LETTER / points_wide
        left = max(0.0, min(left, 1 - width))
        if all(left >= end or left + width <= begin for begin, end, _ in placed):
            placed.append((left, left + width, text))
    return [(left, text) for left, _, text in placed]
