"""One cell of a suite in one picture: a few milliseconds of its run beside its stock."""

from matplotlib.figure import Figure

from figures_stock import paint_stock
from figures_svg import WIDTH, sheet
from figures_zoom import layout_of, paint, scale_of_calm, scale_of_incident
from holds import stock_curve
from incidents import Incident
from lanes import Recording
from reading import Verdict

LANES_MAX = 4
ZOOM = (0.10, 0.60)  # left, width
STOCK = (0.775, 0.213)


def cell(recording: Recording, verdict: Verdict, incident: Incident | None) -> Figure:
    scale = scale_of_incident(recording, verdict, incident) if incident \
        else scale_of_calm(recording, verdict)
    layout = layout_of(recording, verdict, scale, incident, LANES_MAX)
    tall = max(layout.height, 1.45)
    height = tall + 0.66
    figure = sheet(height)
    low = 0.46 / height
    left = figure.add_axes((ZOOM[0], low, ZOOM[1], tall / height))
    paint(left, recording, verdict, scale, layout, WIDTH * 72 * ZOOM[1])
    right = figure.add_axes((STOCK[0], low, STOCK[1], tall / height))
    paint_stock(right, stock_curve(recording.history), legend=False)
    right.set_xlabel("seconds")
    right.set_title("stock", pad=3)
    return figure
