"""A time axis that leaves out uninteresting stretches.

A pause lasts a second, but its consequences last milliseconds. The windows of interest are drawn
side by side. The time between two windows is a narrow gap, labelled with its length."""

from dataclasses import dataclass
from math import floor, log10
from typing import Iterable

import numpy as np

from drawing import Span

Extent = tuple[float, float]  # left, right, in 0..1

GAP = 0.045  # width of a gap as a share of the axis
NARROWEST = 0.16  # least width of a window, as a share of the length of all windows
TICK = 0.075  # width of a tick's label
WINDOWS_MAX = 4


@dataclass(frozen=True, slots=True)
class Piece:
    from_ns: int
    to_ns: int
    left: float  # on the axis, 0..1
    right: float
    gap: bool


class TimeScale:
    def __init__(self, windows: list[Span]) -> None:
        room = 1 - GAP * (len(windows) - 1)
        total = sum(end - begin for begin, end in windows)
        weights = [max(end - begin, NARROWEST * total) for begin, end in windows]
        self.pieces: list[Piece] = []
        left = 0.0
        for i, (begin, end) in enumerate(windows):
            if i:
                self.pieces.append(Piece(windows[i - 1][1], begin, left, left + GAP, True))
                left += GAP
            right = left + room * weights[i] / sum(weights)
            self.pieces.append(Piece(begin, end, left, right, False))
            left = right
        self._knots_ns = [windows[0][0], *(piece.to_ns for piece in self.pieces)]
        self._knots_x = [0.0, *(piece.right for piece in self.pieces)]

    @property
    def windows(self) -> list[Span]:
        return [(piece.from_ns, piece.to_ns) for piece in self.pieces if not piece.gap]

    @property
    def begin_ns(self) -> int:
        return self.pieces[0].from_ns

    @property
    def end_ns(self) -> int:
        return self.pieces[-1].to_ns

    def x(self, ns: int) -> float:
        return float(np.interp(ns, self._knots_ns, self._knots_x))

    def extents(self, spans: Iterable[Span]) -> list[Extent]:
        """Returns the extents of the spans on the axis. Leaves out spans outside the axis."""
        return [(self.x(begin), self.x(end)) for begin, end in spans
                if end >= self.begin_ns and begin <= self.end_ns]

    def shows(self, begin_ns: int, end_ns: int) -> bool:
        """Whether a part of this span is in a window."""
        return any(not piece.gap and begin_ns <= piece.to_ns and end_ns >= piece.from_ns
                   for piece in self.pieces)

    def ticks(self) -> list[tuple[float, str]]:
        found = []
        for piece in self.pieces:
            if not piece.gap:
                found += self._ticks_in(piece)
        return found

    def _ticks_in(self, piece: Piece) -> list[tuple[float, str]]:
        length = piece.to_ns - piece.from_ns
        step = nice_step(length / max(1.0, (piece.right - piece.left) / TICK))
        digits = max(0, -floor(log10(step / 1e9)))
        first = -(-piece.from_ns // step) * step
        return [(self.x(ns), f"{ns / 1e9:.{digits}f}")
                for ns in range(first, piece.to_ns + 1, step)
                if piece.left + TICK / 4 < self.x(ns) < piece.right - TICK / 4]


def nice_step(at_least_ns: float) -> int:
    """Returns the next 1, 2 or 5 times a power of ten."""
    size = 10 ** floor(log10(max(1.0, at_least_ns)))
    return round(next(size * times for times in (1, 2, 5, 10) if size * times >= at_least_ns))


def windows_around(instants: list[int], pad_ns: int, end_ns: int) -> list[Span]:
    """Returns windows from 0 to `end_ns` around the instants. Joins windows that are close, and
    enlarges the padding until at most WINDOWS_MAX windows are left."""
    while True:
        windows: list[Span] = []
        for instant in sorted(instants):
            begin, end = max(0, instant - pad_ns), min(end_ns, instant + pad_ns)
            if windows and begin - windows[-1][1] < 3 * pad_ns:
                windows[-1] = (windows[-1][0], max(windows[-1][1], end))
            elif end > begin:
                windows.append((begin, end))
        if len(windows) <= WINDOWS_MAX:
            return windows or [(0, max(1, end_ns))]
        pad_ns = pad_ns * 3 // 2 + 1
