"""Writes each plot of a page as PNG, SVG and PDF, and each table as CSV (--export DIR)."""

import csv
from html.parser import HTMLParser
from pathlib import Path

from matplotlib.figure import Figure

from figures_svg import to_file
from palette import LIGHT
from words import slug

DOTS_PER_INCH = 160
NAME_LENGTH = 48


class Plots:
    """Keeps the figures of a page until they are written, if `wanted`. Each takes some 100 kB."""

    def __init__(self) -> None:
        self.wanted = False
        self.figures: dict[str, Figure] = {}

    def keep(self, name: str, figure: Figure) -> None:
        if self.wanted:
            self.figures[name] = figure

    def start(self, wanted: bool) -> None:
        self.wanted, self.figures = wanted, {}


PLOTS = Plots()  # the program writes only one page


def write_all(folder: Path, html: str) -> None:
    """Raises OSError if a file cannot be written."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in PLOTS.figures.items():
        (folder / f"{name}.svg").write_text(to_file(figure), encoding="utf-8")
        for kind, date in (("pdf", "CreationDate"), ("png", "")):
            figure.savefig(folder / f"{name}.{kind}", format=kind, facecolor=LIGHT["surface"],
                           dpi=DOTS_PER_INCH, metadata={date: None} if date else None)
    for number, (heading, rows) in enumerate(Tables(html).found, 1):
        file = folder / f"table-{number}-{slug(heading)[:NAME_LENGTH]}.csv"
        with file.open("w", newline="", encoding="utf-8") as out:
            csv.writer(out).writerows(rows)


class Tables(HTMLParser):
    """Collects the tables of a page, each with the heading above it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, list[list[str]]]] = []
        self._heading = ""
        self._open = False  # inside a table
        self._in_link = False  # inside a heading's link, whose text is left out
        self._divs_of_picture = 0  # open <div>s of a picture, whose labels are no part of a table
        self._text: list[str] | None = None  # of the current field or heading
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._open = True
            self.found.append((self._heading, []))
        elif tag == "tr" and self._open:
            self.found[-1][1].append([])
        elif tag in ("h2", "h3") or tag in ("td", "th") and self._open:
            self._text = []
        elif tag == "a" and self._text is not None and not self._open:
            self._in_link = True
        elif tag == "div" and (self._divs_of_picture or ("role", "img") in attributes):
            self._divs_of_picture += 1

    def handle_data(self, data: str) -> None:
        if self._text is not None and not self._in_link and not self._divs_of_picture:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self._open = False
        self._in_link = self._in_link and tag != "a"
        if tag == "div" and self._divs_of_picture:
            self._divs_of_picture -= 1
        if tag not in ("h2", "h3", "td", "th") or self._text is None:
            return
        text, self._text = " ".join(" ".join(self._text).split()), None
        if tag in ("h2", "h3"):
            self._heading = text
        else:
            self.found[-1][1][-1].append(text)
