"""Lists the runs, suites, sweeps, explorations and comparisons below a folder.

Reads only the small file of each (suite.json of a suite, else its verdict), and reads a file again
only if it has changed. A damaged folder is an entry that says what is wrong."""

import html
import os
import re
import stat
import threading
import time
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Iterator

from entries import NOT_READ, READERS, SOURCE_OF, SOURCES, SUITES, Entry
from parsing import BadInput, read_json, shown

MOST_FOLDERS = 100_000  # folders searched, so that a search of a whole disk ends
STAMP = re.compile(r"\d{8}T\d{6}Z")
# A comparison is a page alone. Its style sheet precedes the line that tells it from other pages.
PAGE_HEAD_BYTES = 65536
COMPARISON = re.compile(r'<p class="eyebrow">Doublehold · [^<]* compared</p>\s*<h1>([^<]*)</h1>')


class Missing(Exception):
    """A path that names nothing below the folder of runs."""


@dataclass(slots=True)
class Listing:
    """The entries, newest first, and what the list lacks."""

    entries: list[Entry] = field(default_factory=list)
    not_read: int = 0  # entries not read within the given time
    unreadable: list[str] = field(default_factory=list)  # folders
    is_cut: bool = False  # the search ended at MOST_FOLDERS


Stamp = tuple[int, int, int]  # of a file: time of change, size, inode


class Inventory:
    """All entries below one folder. Several threads may use it at once."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._kept: dict[str, tuple[Stamp, Entry]] = {}
        self._reading = threading.Lock()

    def resolve(self, path: str) -> Path:
        """Returns the real path of an existing file or folder below the root. Raises Missing,
        even if only a symbolic link leads out."""
        parts = path.split("/") if path else []
        if "\0" in path or any(part in ("", ".", "..") for part in parts):
            raise Missing(path)
        try:
            real = self.root.joinpath(*parts).resolve(strict=True)
        except (OSError, RuntimeError):  # RuntimeError: a loop of links
            raise Missing(path) from None
        if not real.is_relative_to(self.root):
            raise Missing(path)
        return real

    def entry(self, path: str) -> Entry:
        """Returns the entry of one folder. Raises Missing if it is none."""
        for folder, names in _walk(self.resolve(path), Listing()):
            entry = self._entry(folder, names)
            if entry:
                return replace(self._read(entry), path=path)
            break
        raise Missing(path)

    def list(self, seconds: float, suite: str | None = None) -> Listing:
        """Reads new files for about `seconds`, the newest first, and lists the others as not read.
        Lists the runs of a suite if `suite` is its path, else all entries but the runs of
        suites."""
        listing, end = Listing(), time.monotonic() + seconds
        top = self.resolve(suite or "")
        for folder, names in _walk(top, listing):
            is_the_suite = suite is not None and folder == top
            try:
                entry = None if is_the_suite else self._entry(folder, names)
            except OSError:
                continue  # It was removed.
            if entry:
                names.clear()  # do not search the folders in it
                listing.entries.append(entry)
            else:
                listing.entries += [page for name, item in names.items() if name.endswith(".html")
                                    and (page := self._comparison(Path(item.path), item))]
        listing.entries.sort(key=lambda entry: (-entry.at_s, entry.path))
        for i, entry in enumerate(listing.entries):
            if entry.state == NOT_READ and time.monotonic() < end:
                listing.entries[i] = self._read(entry)
        listing.not_read = sum(entry.state == NOT_READ for entry in listing.entries)
        return listing

    def pulse(self, path: str) -> tuple[Stamp | None, bool]:
        """Returns a value that changes when a suite's progress does. Costs next to nothing, because
        a busy machine disturbs the runs of the suite."""
        folder = self.resolve(path)
        try:
            return self._regular(folder / "suite.json"), is_locked(folder)
        except BadInput:
            return None, is_locked(folder)

    def check_inside(self, folder: Path) -> tuple[tuple[str, int, int], ...]:
        """Returns path, time of change and size of each file of results in a folder: its state.
        Raises BadInput if a report of the folder would read a file outside of the root."""
        state = []
        for parent, folders, files in os.walk(folder):
            for name in folders + files:
                path = Path(parent, name)
                seen = path.lstat()
                if stat.S_ISLNK(seen.st_mode):
                    seen = self._follow(path)
                if not (stat.S_ISREG(seen.st_mode) or stat.S_ISDIR(seen.st_mode)):
                    raise BadInput(f"{self.name(path)}: is neither a file nor a folder")
                if name.endswith((".json", ".jsonl", ".bin")):
                    state.append((str(path), seen.st_mtime_ns, seen.st_size))
        if (folder / "suite.json").exists():
            for cell in read_json(folder / "suite.json").nodes("cells"):
                for run in cell.nodes("runs"):
                    self._real(folder / run.text("dir") / "verdict.json")
        return tuple(sorted(state))

    def stored_page(self, path: str) -> str:
        """Returns the text of a comparison. Raises Missing if the path is none."""
        file = self.resolve(path)
        try:
            text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
        except OSError:
            raise Missing(path) from None
        if not COMPARISON.search(text[:PAGE_HEAD_BYTES]):
            raise Missing(path)
        return text

    def name(self, path: Path) -> str:
        """Returns a path for messages: below the root, on one line."""
        return shown(path.relative_to(self.root)) if path.is_relative_to(self.root) else shown(path)

    def _real(self, path: Path) -> Path:
        try:
            real = path.resolve()
        except (OSError, RuntimeError, ValueError):  # a loop of links; a zero byte
            raise BadInput(f"{self.name(path)}: leads nowhere") from None
        if not real.is_relative_to(self.root):
            raise BadInput(f"{self.name(path)}: leads out of the folder of runs")
        return real

    def _follow(self, path: Path) -> os.stat_result:
        return _stat(self._real(path), self.name(path))

    def _entry(self, folder: Path, names: dict[str, os.DirEntry[str]]) -> Entry | None:
        """Returns None if the folder is no run, suite, sweep or exploration. The state of an entry
        is NOT_READ if its files are new or have changed."""
        path = self._path(folder)
        source = next((name for name in SOURCES if name in names), None)
        if source is None:
            return _unfinished(folder, path, names)
        kind = "replay" if source == "verdict.json" and "trace.json" in names else SOURCES[source]
        try:
            if source == "sweep.json":
                self._regular(folder / "suite.json")
            stamp = self._regular(folder / source)
        except BadInput as error:
            return Entry(path, kind, _started(folder) or 0, state="damaged", note=str(error))
        kept = self._kept.get(path)
        if kept and kept[0] == stamp:
            return _with_state(kept[1], folder)
        return Entry(path, kind, _started(folder) or stamp[0] / 1e9, state=NOT_READ)

    def _read(self, entry: Entry) -> Entry:
        """Reads the entry's file, if its state is NOT_READ. One thread reads at a time: another
        that wants the same file then finds it read."""
        if entry.state != NOT_READ:
            return entry
        folder = self.root / entry.path
        with self._reading:
            try:
                stamp = self._regular(folder / SOURCE_OF[entry.kind])
            except BadInput as error:
                return replace(entry, state="damaged", note=str(error))
            kept = self._kept.get(entry.path)
            if kept and kept[0] == stamp:
                return _with_state(kept[1], folder)
            try:
                entry = READERS[entry.kind](folder, replace(entry, state=""))
            except BadInput as error:
                note = str(error).replace(f"{self.root}/", "")
                entry = replace(entry, state="damaged", note=note)
            self._kept[entry.path] = stamp, entry
        return _with_state(entry, folder)

    def _regular(self, file: Path) -> Stamp:
        """`file` is in a folder that was reached without links."""
        seen = self._follow(file) if file.is_symlink() else _stat(file, self.name(file))
        if not stat.S_ISREG(seen.st_mode):
            raise BadInput(f"{self.name(file)}: is not a file")
        return _stamp(seen)

    def _comparison(self, file: Path, item: os.DirEntry[str]) -> Entry | None:
        if not item.is_file(follow_symlinks=False):
            return None
        try:
            seen, path = item.stat(), self._path(file)
        except OSError:
            return None  # It was removed.
        stamp = _stamp(seen)
        kept = self._kept.get(path)
        if kept and kept[0] == stamp:
            return kept[1] if kept[1].kind == "comparison" else None
        try:
            with file.open("rb") as page:
                head = page.read(PAGE_HEAD_BYTES).decode("utf-8", errors="replace")
        except OSError:
            return None
        found = COMPARISON.search(head)
        entry = Entry(path, "comparison" if found else "", seen.st_mtime,
                      note=html.unescape(found[1]) if found else "")
        self._kept[path] = stamp, entry
        return entry if found else None

    def _path(self, folder: Path) -> str:
        path = str(folder.relative_to(self.root))
        return "" if path == "." else path


def _walk(top: Path, listing: Listing) -> Iterator[tuple[Path, dict[str, os.DirEntry[str]]]]:
    """Yields each folder with its items. The caller clears the items to leave out the folders in
    it. Follows no links, and enters no hidden folders."""
    waiting, searched = [top], 0
    while waiting:
        if searched == MOST_FOLDERS:
            listing.is_cut = True
            return
        folder = waiting.pop()
        searched += 1
        try:
            with os.scandir(folder) as items:
                names = {item.name: item for item in items}
        except OSError:
            listing.unreadable.append(str(folder))
            continue
        yield folder, names
        waiting += [folder / name for name, item in names.items()
                    if not name.startswith(".") and item.is_dir(follow_symlinks=False)]


def _stat(path: Path, name: str) -> os.stat_result:
    try:
        return path.stat()
    except OSError as error:
        raise BadInput(f"{name}: {error.strerror}") from None


def _stamp(seen: os.stat_result) -> Stamp:
    return seen.st_mtime_ns, seen.st_size, seen.st_ino


def _started(folder: Path) -> float | None:
    """Returns the start in a folder's name, <UTC time>-<seed>, or None."""
    match = STAMP.match(folder.name)
    try:
        return datetime.strptime(match[0], "%Y%m%dT%H%M%SZ").replace(
            tzinfo=timezone.utc).timestamp() if match else None
    except ValueError:
        return None


def _unfinished(folder: Path, path: str, names: dict[str, os.DirEntry[str]]) -> Entry | None:
    """Returns the entry of a folder that has no result yet, or None."""
    kind = "suite" if "cells" in names else \
        "run" if {"plan.json", "history.jsonl", "history.bin"} & set(names) else None
    if kind is None:
        return None
    entry = Entry(path, kind, _started(folder) or folder.stat().st_mtime, state="unfinished",
                  note="no run has ended yet" if kind == "suite"
                  else "no verdict: still running, or stopped early")
    return _with_state(entry, folder)


def _with_state(entry: Entry, folder: Path) -> Entry:
    if entry.state == "unfinished" and entry.kind in SUITES and is_locked(folder):
        return replace(entry, state="running", note="" if entry.outcome else "no run has ended yet")
    return entry


def is_locked(folder: Path) -> bool:
    """Whether a process holds a suite's lock on the folder (compose/suite/stored_runs.cc). Takes no
    lock itself, because that could make a suite fail that starts at this moment. Compares the inode
    alone: the device in this table is not always the one that stat() returns."""
    try:
        inode = str(folder.stat().st_ino)
        lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    except OSError:
        return False
    held = [words for line in lines if (words := line.split())[1:2] == ["FLOCK"]]
    return any(words[5].rsplit(":", 1)[-1] == inode for words in held)
