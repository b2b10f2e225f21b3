"""Draws the values of a margin by size: bars of inline SVG, with their labels below as text."""

from dataclasses import dataclass

from markupsafe import Markup

from reading import Margin
from words import amount_of, number

FEWEST = 8  # values: fewer are listed or have a least, and need no picture
MOST_BARS = 48
HEIGHT = 40
CLASSES_AN_OCTAVE = 4


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars of equal width on a logarithmic axis."""

    low: int  # the least value, in the first bar
    high: int  # the last class with a value ends here
    counts: list[int]
    median: int  # the class of the median begins here
    unit: str

    @property
    def total(self) -> int:
        return sum(self.counts)


def bars_of(margins: list[Margin]) -> Bars | None:
    """Adds up the values of one kind of margin in several runs. Returns None for few values."""
    found: dict[int, int] = {}
    for margin in margins:
        for start, count in margin.histogram:
            found[start] = found.get(start, 0) + count
    total = sum(found.values())
    if total < FEWEST:
        return None
    starts = sorted(found)
    first, last = _class(starts[0]), _class(starts[-1])
    each = 1 if last - first < MOST_BARS else CLASSES_AN_OCTAVE
    counts = [0] * ((last - first) // each + 1)
    median, seen = starts[-1], 0
    for start in starts:
        counts[(_class(start) - first) // each] += found[start]
        if seen * 2 < total <= (seen + found[start]) * 2:
            median = start
        seen += found[start]
    least = min((margin.value for margin in margins if margin.value >= 0), default=starts[0])
    return Bars(max(least, starts[0]), _least(last + 1), counts, median, margins[0].unit)


def histogram(margins: list[Margin], alone: bool = True) -> Markup:
    """Returns a picture of the values, or nothing for few. If they have about the same size, says
    so in words when the picture stands `alone`."""
    bars = bars_of(margins)
    if bars is None or len(bars.counts) == 1 and not alone:
        return Markup()
    low, high, middle = (amount_of(value, bars.unit)
                         for value in (bars.low, bars.high, bars.median))
    if len(bars.counts) == 1:
        return Markup('<div class="histogram">all {} values are from {} to below {}</div>').format(
            number(bars.total), low, high)
    most = max(bars.counts)
    drawn = Markup().join(
        Markup('<rect x="{}" y="{:.1f}" width=".86" height="{:.1f}"/>').format(
            at, HEIGHT - height, height)
        for at, count in enumerate(bars.counts) if count
        for height in [max(1.5, HEIGHT * count / most)])
    label = (f"{number(bars.total)} values from {low} to {high} on a logarithmic axis; the median "
             f"is about {middle}")
    return Markup('<div class="histogram" role="img" aria-label="{}"><svg viewBox="0 0 {} {}" '
                  'preserveAspectRatio="none" aria-hidden="true">{}</svg>'
                  '<div><span>{}</span><span>median of {}: about {}</span><span>{}</span></div>'
                  '</div>').format(
        label, len(bars.counts), HEIGHT, drawn, low, number(bars.total), middle, high)


def _least(number_of_class: int) -> int:
    if number_of_class < CLASSES_AN_OCTAVE:
        return number_of_class
    octave, place = divmod(number_of_class, CLASSES_AN_OCTAVE)
    return (CLASSES_AN_OCTAVE + place) << (octave - 1)


def _class(value: int) -> int:
    """Returns the number of the class that begins at `value`: four for each power of two."""
    if value < CLASSES_AN_OCTAVE:
        return value
    shift = value.bit_length() - 3
    return CLASSES_AN_OCTAVE * shift + (value >> shift)
