"""The pages of `doublehold serve`: the list of runs, the progress of a suite, a message."""

import os
from dataclasses import dataclass, fields
from datetime import datetime, timezone
from typing import Any
from urllib.parse import parse_qs, quote, urlencode

import words
from entries import SUITES, Entry
from inventory import Inventory, Listing
from page import render
from parsing import BadInput
from progress import Progress, read_progress, rough_time

MOST_ROWS = 2000  # rows of a page; `all=1` shows the others too
VIOLATIONS_SHOWN = 50
NAMES_SHOWN = 4  # locks or faults of a row
SECONDS_OF_READING = 0.5  # for new files, before a page is sent without the others


@dataclass(frozen=True, slots=True)
class Filter:
    """The parameters of a list's URL. An empty one lets every entry pass."""

    kind: str = ""
    lock: str = ""
    fault: str = ""
    claim: str = ""
    verdict: str = ""
    find: str = ""
    all: str = ""

    @classmethod
    def of(cls, query: str) -> "Filter":
        found = parse_qs(query)
        return cls(**{f.name: found[f.name][0] for f in fields(cls) if f.name in found})

    @property
    def filters(self) -> bool:
        return any(getattr(self, f.name) for f in fields(self) if f.name != "all")

    def query(self, **changes: str) -> str:
        values = {f.name: getattr(self, f.name) for f in fields(self)} | changes
        return urlencode({name: value for name, value in values.items() if value})

    def passes(self, entry: Entry) -> bool:
        if self.kind not in ("", entry.kind) or \
                not entry.passes(self.lock, self.fault, self.claim, self.verdict):
            return False
        text = " ".join([entry.path, entry.kind, *entry.locks, *entry.faults, *entry.claims,
                         *entry.verdicts, entry.note, str(entry.seed)]).lower()
        return all(word in text for word in self.find.lower().split())


def url(area: str, path: str) -> str:
    """Returns the address of a path below the folder of runs. Names may be any bytes."""
    return f"/{area}/{quote(os.fsencode(path))}"


def address(entry: Entry) -> str:
    """Returns the address of an entry's page, or "" if it has none."""
    if entry.kind == "comparison":
        return url("page", entry.path)
    if entry.kind in SUITES and entry.state in ("running", "unfinished"):
        return url("suite", entry.path)
    return "" if entry.state in ("unfinished", "damaged") and not entry.outcome \
        else url("report", entry.path)


def list_page(inventory: Inventory, query: str) -> str:
    listing, chosen = inventory.list(SECONDS_OF_READING), Filter.of(query)
    name = inventory.root.name or str(inventory.root)
    return render("runs.html.j2", title=f"Runs in {name}", eyebrow=f"Doublehold · runs in {name}",
                  action="/", suite=None, headline=_headline(listing.entries), name=_name,
                  **_rows(listing, chosen))


def suite_page(inventory: Inventory, path: str, query: str) -> str:
    """The progress of a suite, and its runs. Raises Missing if the path is no suite."""
    suite, listing = inventory.entry(path), inventory.list(SECONDS_OF_READING, path)
    title = path or inventory.root.name
    return render("runs.html.j2", title=f"{title}: runs", eyebrow=f"Doublehold · {suite.kind}",
                  action=url("suite", path), headline=title,
                  **_rows(listing, Filter.of(query)), **_progress(inventory, suite, listing))


def progress_fragment(inventory: Inventory, path: str) -> tuple[str, bool]:
    """Returns the part of a suite's page that changes, and whether the suite is running."""
    suite, listing = inventory.entry(path), inventory.list(SECONDS_OF_READING, path)
    return (render("progress.html.j2", url=url, **_progress(inventory, suite, listing)),
            suite.state == "running")


def message_page(headline: str, text: str = "") -> str:
    return render("message.html.j2", headline=headline, text=text)


def _progress(inventory: Inventory, suite: Entry, listing: Listing) -> dict[str, Any]:
    progress: Progress | None = None
    trouble = suite.note if suite.state == "damaged" else ""
    try:
        folder = inventory.resolve(suite.path)
        if (folder / "suite.json").exists() and not trouble:
            progress = read_progress(folder)
    except BadInput as error:
        trouble = str(error).replace(f"{inventory.root}/", "")
    violated = [entry for entry in listing.entries if entry.outcome == "violated"]

    def name(entry: Entry) -> str:
        return entry.path.removeprefix(f"{suite.path}/").removeprefix("cells/")

    return {"suite": suite, "progress": progress, "trouble": trouble, "violated": violated,
            "events": url("events", suite.path) if suite.state == "running" else "",
            "shown": violated[:VIOLATIONS_SHOWN], "name": name}


def _name(entry: Entry) -> str:
    return entry.path or "(this folder)"


def _headline(entries: list[Entry]) -> str:
    if not entries:
        return "No runs yet"
    kinds = ("run", "replay", "suite", "sweep", "exploration", "comparison")
    counts = [(kind, sum(entry.kind == kind for entry in entries)) for kind in kinds]
    said = words.listed([words.plural(count, kind) for kind, count in counts if count])
    violated = sum(entry.outcome == "violated" for entry in entries)
    running = sum(entry.state == "running" for entry in entries)
    return (f"{said}; {words.number(violated)} violated a claim"
            + (f"; {words.number(running)} running" if running else ""))


def _rows(listing: Listing, chosen: Filter) -> dict[str, Any]:
    passing = [entry for entry in listing.entries if chosen.passes(entry)]
    rows = passing if chosen.all else passing[:MOST_ROWS]
    choices = {
        "kind": {entry.kind for entry in listing.entries},
        "lock": {word for entry in listing.entries for word in entry.locks},
        "fault": {word for entry in listing.entries for word in entry.faults},
        "claim": {word for entry in listing.entries for word in entry.claims},
        "verdict": {word for entry in listing.entries for word in entry.verdicts}}
    return {"rows": rows, "passing": len(passing), "of": len(listing.entries), "chosen": chosen,
            "choices": {name: sorted(found) for name, found in choices.items()},
            "lacks": _lacks(listing, len(passing) - len(rows)), "address": address, "url": url,
            "time": _time, "rough_time": rough_time, "SUITES": SUITES, "some": some}


def _lacks(listing: Listing, left_out: int) -> list[str]:
    """Returns what the list lacks, one sentence each."""
    found = []
    if listing.not_read:
        found.append(f"{words.plural(listing.not_read, 'entry', 'entries')} not read yet: filters "
                     "miss them. Load the page again.")
    damaged = sum(entry.state == "damaged" for entry in listing.entries)
    if damaged:
        found.append(f"{words.plural(damaged, 'entry', 'entries')} damaged: the row says why.")
    if listing.unreadable:
        found.append(f"{words.plural(len(listing.unreadable), 'folder')} cannot be read: "
                     f"{', '.join(listing.unreadable[:3])}"
                     + (" and others." if len(listing.unreadable) > 3 else "."))
    if listing.is_cut:
        found.append("The folder is too large: the search ended early.")
    if left_out:
        found.append(f"The {words.number(left_out)} oldest are not shown.")
    return found


def some(names: tuple[str, ...]) -> str:
    """Returns a few names, and how many more there are."""
    more = len(names) - NAMES_SHOWN
    shown = ", ".join(names[:NAMES_SHOWN])
    return f"{shown} and {more} more" if more > 0 else shown


def _time(at_s: float) -> list[str]:
    """Returns date and time."""
    try:
        return datetime.fromtimestamp(at_s, timezone.utc).strftime("%Y-%m-%d %H:%M:%S").split()
    except (ValueError, OverflowError, OSError):
        return []
