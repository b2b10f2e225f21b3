#!/usr/bin/env python3
"""Writes docs/atlas.md from a finished run of compose/suites/atlas.toml.

    docs/atlas.py RUNS/atlas/latest [PAGE.md]
"""
from __future__ import annotations

import json, re, subprocess, sys, textwrap, tomllib
from collections import Counter
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP / "drivers"))
from kept import order  # of versions

# From the worst on. The first seven say whether the lock excludes, and whether the data is right.
WORST = ["lease-exclusion", "exactly-once", "exclusion", "release", "stock", "torn-read", "fencing",
         "liveness", "availability", "lost-lock-notification", "release-result", "key-leak",
         "call-timeout", "idle-traffic"]
UNSAFE = set(WORST[:7])
# No lock with a lease keeps these claims if a fault outlasts the lease, or takes the lock away.
LATE = {"exclusion", "stock", "exactly-once", "torn-read"}
TAKEN = {"lease-exclusion", "fencing"}
LIMITS = {"network": LATE, "pause": LATE, "own-times-pause": LATE,
          "clock": LATE | TAKEN, "restart": LATE | TAKEN}
OWN_CAUSES = {"foreign-release", "over-at-grant", "end-ignored", "marker-left", "resent"}
ANSWERS = {"no": "it let two clients in, freed another client's lock, or harmed the data, for a "
                 "reason that other locks with a lease avoid",
           "not always": "as *no*, but only in an experiment designed to provoke it; *elsewhere* names "
                         "the claims, and the lock's section the options",
           "in part": "as *within its lease*, but it broke another claim: for example, a call was late, "
                      "a free lock was not granted, a key was left, or a release hid that the lock "
                      "was lost",
           "within its lease": "as right as a lease allows: only a fault that outlasts the lease, "
                               "or makes the server forget or end it early, broke it; no lock with "
                               "a lease is safe from all of these",
           "nothing seen": "nothing was violated in these few runs; that does not prove the lock right",
           "?": "it did not run, or could not be judged"}
# Libraries whose findings stand on the page of another, of which they are a part or a fork.
PAGES = {"redis-py-asyncio": "redis-py", "valkey-py": "redis-py"}
MARKS = {"ok": "nothing was violated in this run; another run may differ",
         "ok?": "nothing was violated, but some claim could not be judged",
         "**claim**": "violated, and other locks with a lease keep it here",
         "lease": "violated, as can happen to every lock with a lease: the fault outlasts the "
                  "lease, or makes the server forget or end it early",
         "-": "did not run; an empty cell is not tested"}


def read(file: Path) -> dict:
    return json.loads(file.read_text())


def rank(claim: str) -> int:
    return WORST.index(claim) if claim in WORST else len(WORST)


def wrapped(text: str, first: str = "", rest: str = "") -> list[str]:
    return textwrap.wrap(text, 100, initial_indent=first, subsequent_indent=rest,
                         break_long_words=False, break_on_hyphens=False)


def table(*lines) -> list[str]:
    head, *rows = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |"
                   for line in lines]
    return [head, "|---" * len(lines[0]) + "|", *rows, ""]


class Cell:
    def __init__(self, folder: Path, cell: dict, place: int, limits: set[str]):
        self.name, self.column, self.place = cell["name"], cell["column"], place
        self.errors = [run["error"] for run in cell["runs"] if run.get("error")]
        files = [folder / run["dir"] / "verdict.json" for run in cell["runs"]]
        self.verdicts = [read(file) for file in files if file.exists()]
        judged = [claim for verdict in self.verdicts for claim in verdict["claims"]]
        violated = [claim for claim in judged if claim["outcome"] == "violated"]
        self.violated = Counter(claim["claim"] for claim in violated)
        self.unknown = {claim["claim"] for claim in judged if claim["outcome"] == "unknown"}
        # What the lock could have kept.
        self.own = {claim["claim"] for claim in violated if claim["claim"] not in limits
                    or any(each.get("cause") in OWN_CAUSES for each in claim["violations"])}
        self.claims = {claim["claim"] for claim in judged}
        self.story = min((claim for claim in violated if claim["violations"]), default=None,
                         key=lambda claim: (claim["claim"] not in self.own, rank(claim["claim"])))

    def counted(self, claims) -> str:
        runs = len(self.verdicts)
        return ", ".join(claim + f" {self.violated[claim]}/{runs}" * (self.violated[claim] < runs)
                         for claim in sorted(claims, key=rank))

    def mark(self) -> str:
        if self.own:
            return f"**{self.counted(self.own)}**"
        return ("-" if not self.verdicts else "lease" if self.violated
                else "ok?" if self.unknown else "ok")

    def goodness(self) -> tuple:
        """Sorts the worst first; of equals the one whose fault has the first column."""
        return not self.own, min(map(rank, self.own or self.violated), default=99), self.place

    def line(self) -> list[str]:
        seen = [self.column, self.counted(self.violated) or ("nothing" if self.verdicts else "did not run"),
                ", ".join(sorted(self.unknown, key=rank))]
        if not self.story:
            return [*seen, self.errors[0] if self.errors else ""]
        first = min(self.story["violations"], key=lambda each: each.get("cause") not in OWN_CAUSES)
        cause = f" (cause: `{first['cause']}`)" if first.get("cause") else ""
        return [*seen, f"`{self.story['claim']}`: {first['sentence']}{cause}"]


class Row:
    def __init__(self, folder: Path, cells: list[dict], columns: list[str], known: dict):
        self.name = cells[0]["row"]
        self.anchor = re.sub(r"[^\w\- ]", "", self.name.lower()).replace(" ", "-")
        self.driver = read(folder / cells[0]["runs"][0]["dir"] / "plan.json")["driver"]
        self.library = self.driver["command"].partition("@")[0]
        about = TOP / "drivers" / self.library / "driver.toml"
        self.about = tomllib.loads(about.read_text()) if about.exists() else {}
        self.language = re.split(r"\W", self.about.get("summary", "Other"))[0]
        limits = LIMITS if {"lease", "watchdog"} & set(self.driver["can"]) else {}
        self.cells = sorted((Cell(folder, cell, columns.index(cell["column"]),
                                  limits.get(cell["column"], set())) for cell in cells),
                            key=Cell.goodness)
        self.own = {claim for cell in self.cells for claim in cell.own}
        service = self.driver.get("service", "redis")
        ran = [verdict["environment"] for cell in self.cells for verdict in cell.verdicts]
        version, _, product = (ran[0].get(service, "?") if ran else "?").partition(" (")
        version = version.replace("unknown", "")
        self.server = f"{product.rstrip(')') or service} {version}".strip()  # "9.1.2 (Valkey)"
        page = f"findings/{PAGES.get(self.library, self.library)}.md"
        has_page = (TOP / "docs" / page).exists()
        defaults = {name: text.partition(":")[0] for name, text in self.about.get("options", {}).items()}
        found = sorted((finding for finding in known.get(self.library, [])
                        if finding.covers(self.driver["version"])),
                       key=lambda finding: (rank(finding.claim), finding.version != self.driver["version"]))
        self.known = [finding for finding in found if finding.concerns(self.driver["options"], defaults)]
        self.others = [finding for finding in found if finding not in self.known]
        claims = sorted({finding.claim for finding in self.known}, key=rank) or ["findings"]
        self.more = f"[{', '.join(claims)}]({page})" * has_page
        if service != "redis":
            self.more += ", " * has_page + "[the service](findings.md#other-services-than-redis)"

    def answer(self) -> str:
        if self.own & UNSAFE:
            return "**no**"
        if UNSAFE & {finding.claim for finding in self.known}:
            return "**not always**"
        if self.own or self.known:
            return "**in part**"
        if any(cell.violated for cell in self.cells):
            return "within its lease"
        unsure = any(cell.unknown & UNSAFE or not cell.verdicts for cell in self.cells)
        return "?" if unsure else "nothing seen"

    def line(self, columns: list[str]) -> list[str]:
        marks = {cell.column: cell.mark() for cell in self.cells}
        return [f"[{self.name}](#{self.anchor})", self.driver["version"], self.server,
                self.answer(), self.more, *(marks.get(column, "") for column in columns)]

    def section(self, rows: list["Row"]) -> list[str]:
        options = self.driver["options"].items()
        lines = [f"### {self.name}", "", *wrapped(
            f"{self.about.get('summary', self.driver['name'])}. Tested: {self.driver['version']}"
            f"{''.join(f', `{key}={value}`' for key, value in options)}, on {self.server}."), ""]
        for key, _ in options:
            lines += [*wrapped(f"`{key}` = {self.about.get('options', {}).get(key, '')}", "- ", "  "), ""]
        lines += [f"Is it right? {self.answer()}", ""]
        if "promise" in self.about:
            promise = f"{self.about['promise']} ({self.about['promise_from']})"
            lines += [*wrapped(promise, "> ", "> "), ""]
        lines += table(["fault", "violated", "could not be judged", "its worst violation"],
                       *map(Cell.line, self.cells))
        if self.cells[0].violated:
            lines += [f'    build/doublehold suite atlas --only "{self.cells[0].name}"', ""]
        if self.more:
            cells = " These experiments provoke more violations. The worst:" * bool(self.known)
            lines += [*wrapped(f"Elsewhere: {self.more}.{cells}"), ""]
        if self.known:
            lines += [f'    build/doublehold suite findings --only "{self.known[0].cell}"', ""]
            lines += [*(line for finding in self.known for line in finding.lines()), ""]
        if self.others:
            claims = ", ".join(f"`{claim}`" for claim in sorted({other.claim for other in self.others}, key=rank))
            lines += [*wrapped(f"Other kinds of lock or options of this library violate {claims}."), ""]
        related = [f"[{row.name}](#{row.anchor})" for row in rows if row.library == self.library and row is not self]
        if related:
            lines += [*wrapped(f"Its other rows: {', '.join(related)}."), ""]
        return lines


class Finding:
    """A cell of the suite `findings`, with the versions that show it."""

    def __init__(self, cell: str, entry: dict, row: dict, column: dict):
        self.cell, self.claim, self.entry, self.about = cell, entry["claim"], entry, column.get("about", "")
        self.library, _, version = row["lock"]["driver"].partition("@")
        self.options = row["lock"].get("options", {}) | column.get("lock", {}).get("options", {})
        self.version = version
        self.first, self.last = entry.get("first", version), entry.get("last", version)

    def covers(self, version: str) -> bool:
        return not self.first or order(self.first) <= order(version) <= order(self.last)

    def concerns(self, options: dict, defaults: dict) -> bool:
        """Whether a row with these options may show it: only numbers, such as a timeout, may differ."""
        def chosen(given: dict) -> dict:
            return {key: value for key, value in given.items() if value != defaults.get(key) and not value.isdigit()}
        return chosen(options) == chosen(self.options)

    def lines(self) -> list[str]:
        options = "".join(f", `{key}={value}`" for key, value in self.options.items())
        only = self.first == self.last and not (self.entry.get("before") or self.entry.get("after"))
        versions = (f": {self.first} (the only version)" if "first" in self.entry and only else
                    f": {self.first} ({self.entry['before'] or 'the oldest'}) to "
                    f"{self.last} ({self.entry['after'] or 'the newest'})"
                    if "first" in self.entry else "")
        about = f". {self.about[0].upper()}{self.about[1:]}" * bool(self.about)
        return wrapped(f"`{self.claim}` in `{self.cell}`{options}{versions}{about}", "- ", "  ")


def known_findings() -> dict[str, list[Finding]]:
    """Returns the findings of each driver."""
    suite = tomllib.loads((TOP / "compose/suites/findings.toml").read_text())
    found: dict[str, list[Finding]] = {}
    for cell, entry in read(TOP / "docs/findings/record.json").items():
        row, _, column = cell.rpartition("/")
        finding = Finding(cell, entry, suite["row"][row], suite["column"][column])
        found.setdefault(finding.library, []).append(finding)
    return found


def introduction(date: str, suite: dict, rows: list[Row]) -> list[str]:
    head = ["git", "-C", str(TOP), "rev-parse", "--short=8", "HEAD"]
    commit = subprocess.check_output(head, text=True).strip()
    counts = Counter(row.answer().strip("*") for row in rows)
    cut = f" It was interrupted: {len(suite['planned'])} were planned." * suite["interrupted"]
    runs = "each run once" if suite["repeat"] == 1 else f"each run {suite['repeat']} times"
    lines = ["# The atlas: is the lock that you use right?", "", *wrapped(
        "Find your library under its language. The column *right?* is the answer for that version "
        "and server. The name links to a section with the documentation's promise, the worst "
        "violation under each fault, and a command that repeats the worst one. [How to read the "
        "tables](#how-to-read-the-tables) explains marks and faults, and [claims.md](claims.md) all "
        "claims and causes."),
        "", *wrapped(
        "*elsewhere* lists claims that this version violates in experiments designed to provoke a "
        "bug; the lock's section shows them, with their options. *findings* there is a link to the "
        "library's page, which has no such experiment for this version. The lease is 2 s, 4 s in "
        "`restart`, and the library's default in `own-times` and `own-times-pause`."),
        "", *wrapped(
        "A library that is not here was not judged: [test it yourself](driver-protocol.md)."),
        "", *table(["right?", "locks", "it means"], *(
            [answer, str(counts[answer]), meaning] for answer, meaning in ANSWERS.items())),
        *wrapped("The commands need `./setup.sh --drivers` and `make build`. Those on ZooKeeper, "
                 "etcd and PostgreSQL also need `./setup.sh --services` before the build. To test "
                 "another version (not of PHP libraries, which are Debian's packages):"),
        "", "    build/doublehold run --driver redis-py@4.5.5 --lease 2s --faults pause",
        "", *wrapped(f"*Written by `docs/atlas.py` at commit {commit}; do not edit.* The run of "
                     f"`compose/suites/atlas.toml` is of {date}: {len(suite['cells'])} cells of "
                     f"{len(rows)} locks, {runs}, "
                     f"{suite['seconds'] / 60:.0f} min.{cut}"), ""]
    unsafe = [row for row in rows if row.own & UNSAFE]
    stories = [f"- [{row.name}](#{row.anchor}): {row.cells[0].mark()} in `{row.cells[0].column}`"
               for row in sorted(unsafe, key=lambda row: (row.cells[0].place > 1, row.cells[0].goodness()))]
    return lines + ["Locks with the answer *no*, the worst first:", "", *stories, ""] * bool(stories)


def judged(rows: list[Row], column: str) -> set[str]:
    return {claim for row in rows for cell in row.cells if cell.column == column for claim in cell.claims}


def legend(suite: dict, rows: list[Row]) -> list[str]:
    meanings = {claim["claim"]: claim["meaning"] for row in rows for cell in row.cells
                for verdict in cell.verdicts for claim in verdict["claims"]}
    return ["## How to read the tables", "", *table(["mark", "it means"], *MARKS.items()),
            *table(["fault", "what happens", "claims that are judged"], *(
                [column, suite["about"].get(column, ""), ", ".join(sorted(judged(rows, column), key=rank))]
                for column in suite["columns"])),
            *table(["claim", "violated when"], *(
                [f"`{claim}`", meanings[claim]] for claim in sorted(meanings, key=rank)))]


def main(folder: Path, page: Path) -> None:
    suite = read(folder / "suite.json")
    if not suite["cells"]:
        sys.exit(f"{folder}: no cell was run")
    cells: dict[str, list[dict]] = {}
    for cell in suite["cells"]:
        cells.setdefault(cell["row"], []).append(cell)
    known = known_findings()
    rows = sorted((Row(folder, of_row, suite["columns"], known) for of_row in cells.values()),
                  key=lambda row: (row.language == "Other", row.language))
    date = re.sub(r"^(\d{4})(\d\d)(\d\d).*", r"\1-\2-\3", folder.resolve().name)
    lines = introduction(date, suite, rows)
    for language in dict.fromkeys(row.language for row in rows):
        lines += [f"## {language}", "", *table(
            ["lock", "version", "server", "right?", "elsewhere", *suite["columns"]],
            *(row.line(suite["columns"]) for row in rows if row.language == language))]
    lines += [*legend(suite, rows), "## Each lock", ""]
    for row in rows:
        lines += row.section(rows)
    page.write_text("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]) if sys.argv[2:] else TOP / "docs" / "atlas.md")
