"""A picture of one cell of a suite: a few milliseconds of its run, beside its stock."""

from matplotlib.figure import Figure

from figures_stock import paint_stock
from figures_svg import WIDTH, sheet
from figures_zoom import closeup_of, paint
from holds import stock_curve
from incidents import Incident
from lanes import Recording
from reading import Verdict

LANES_MAX = 4
ZOOM = (0.10, 0.60)  # left, width
STOCK = (0.775, 0.213)


def cell(recording: Recording, verdict: Verdict, incident: Incident | None) -> Figure:
    closeup = closeup_of(recording, verdict, incident, LANES_MAX)
    tall = max(closeup.layout.height, 1.45 if verdict.sells else 0.8)
    height = tall + 0.66
    figure = sheet(height)
    low = 0.46 / height
    left, width = ZOOM if verdict.sells else (ZOOM[0], sum(STOCK) - ZOOM[0])
    paint(figure.add_axes((left, low, width, tall / height)), closeup, WIDTH * 72 * width)
    if verdict.sells:
        right = figure.add_axes((STOCK[0], low, STOCK[1], tall / height))
        paint_stock(right, stock_curve(recording.history), legend=False)
        right.set_xlabel("seconds")
        right.set_title("stock", pad=3)
    return figure
