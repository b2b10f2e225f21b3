"""Creates figures, and converts them to inline SVG that follows the page's colour scheme."""

import io
import re

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from palette import LIGHT, recolour

# Text is not converted to outlines, so a page is small and searchable. A `$` begins no formula.
matplotlib.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "doublehold", "text.parse_math": False,
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"], "font.size": 8,
    "axes.edgecolor": LIGHT["line"], "axes.labelcolor": LIGHT["muted"],
    "axes.facecolor": "none", "figure.facecolor": "none", "text.color": LIGHT["ink"],
    "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.8,
    "axes.titlesize": 8.5, "axes.titlelocation": "left", "axes.titlecolor": LIGHT["ink"],
    "axes.titleweight": "bold", "axes.titlepad": 7,
    "xtick.color": LIGHT["line"], "ytick.color": LIGHT["line"],
    "xtick.labelcolor": LIGHT["muted"], "ytick.labelcolor": LIGHT["muted"],
    "xtick.labelsize": 8, "ytick.labelsize": 8, "axes.labelsize": 8,
    "grid.color": LIGHT["line"], "grid.linewidth": 0.6,
    "hatch.linewidth": 0.9, "path.simplify": True, "patch.linewidth": 0,
})

WIDTH = 10.6  # inches; a figure as wide as the page
SMALL = 7.5  # smallest font size; at least 9 px, because no figure is narrower than 940 px
NUMBERS = re.compile(r'\b(d|x|y|width|height|points|transform|r|cx|cy)="([^"]*)"')
LONG_FRACTION = re.compile(r"(\d+\.\d\d)\d+")
COMMENT = re.compile(r"<!--.*?-->", re.S)
OWN_STYLE = re.compile(r"<metadata>.*?</metadata>|<defs>\s*<style.*?</style>\s*</defs>", re.S)
SPACE = re.compile(r"[ \t\n]+")
IDENTITY = re.compile(r' id="([^"]*)"')
REFERENCE = re.compile(r'(url\(#|href="#)([^")]+)')
# Prefixes of an artist's gid: a mark with a text, a mark of a violation, a lane's name.
MARK, WRONG, NAME = "mark:", "mark wrong:", "name:"
MARKED = re.compile(rf'<g id="({MARK[:-1]}|{WRONG[:-1]}):([^"]*)">')
NAMED = re.compile(rf'<g id="{NAME}">')


def sheet(height: float, width: float = WIDTH) -> Figure:
    figure = Figure(figsize=(width, height))
    FigureCanvasSVG(figure)
    return figure


def bare(axes: Axes) -> None:
    """Hides the left spine and the marks of the y ticks, but not their labels."""
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def add_tooltip(axes: Axes, extent: tuple[float, float], y: float, height: float, text: str,
            kind: str = MARK) -> None:
    """Adds a text that the page shows when a reader points at this part of a picture or focuses it.
    `extent` is (left, right), and `y` the middle."""
    left, right = extent
    axes.add_patch(Rectangle((left, y - height / 2), right - left, height, alpha=0, zorder=9,
                             facecolor=LIGHT["surface"], gid=kind + text))


def to_svg(figure: Figure, name: str, alt: str) -> str:
    """`name` must be unique on the page and consist of letters, digits and dashes. `alt` describes
    the picture."""
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    svg = out.getvalue()
    body = COMMENT.sub("", svg[svg.index(">", svg.index("<svg")) + 1:])
    body = OWN_STYLE.sub("", body)  # the page has its own style
    body = _with_marks(body)
    body = recolour(_own_ids(_short_numbers(body), name))
    body = body.replace("'DejaVu Sans', sans-serif", "var(--sans)")
    width, height = (72 * inches for inches in figure.get_size_inches())
    label = alt.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    role = "group" if "tabindex" in body or "<a " in body else "img"  # role img hides the parts
    return (f'<svg viewBox="0 0 {width:.1f} {height:.1f}" role="{role}" aria-label="{label}">'
            f"{SPACE.sub(' ', body)}")


def to_file(figure: Figure) -> str:
    """Returns a standalone SVG file in the light colours."""
    out = io.StringIO()
    figure.savefig(out, format="svg", facecolor=LIGHT["surface"],
                   metadata={"Date": None, "Creator": None})
    return _with_marks(out.getvalue())


def _with_marks(body: str) -> str:
    """Converts the groups with the ids of marks and names to elements that the page styles."""
    mark = r'<g class="\1" tabindex="0" role="img" aria-label="\2"><title>\2</title>'
    return NAMED.sub('<g class="name">', MARKED.sub(mark, body))


def _short_numbers(body: str) -> str:
    def shorten(match: re.Match[str]) -> str:
        return f'{match[1]}="{LONG_FRACTION.sub(lambda m: m[1], match[2])}"'

    return NUMBERS.sub(shorten, body)


def _own_ids(body: str, name: str) -> str:
    """Drops unused ids and prefixes the others with `name`, because several pictures share a
    page."""
    used, own = ({m[n] for m in form.finditer(body)} for form, n in ((REFERENCE, 2), (IDENTITY, 1)))
    body = IDENTITY.sub(lambda m: f' id="{name}-{m[1]}"' if m[1] in used else "", body)
    return REFERENCE.sub(lambda m: f"{m[1]}{name}-{m[2]}" if m[2] in own else m[0], body)
