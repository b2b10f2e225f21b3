#!/usr/bin/env python3
"""Writes docs/atlas.md from a finished run of compose/suites/atlas.toml.

    docs/atlas.py RUNS/atlas/latest
"""
from __future__ import annotations

import json, re, subprocess, sys, tomllib
from collections import Counter
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
PAGE = TOP / "docs" / "atlas.md"
# From the worst on: the story of a row is that of its worst claim.
WORST = ["lease-exclusion", "exclusion", "release", "stock", "exactly-once", "fencing", "liveness", "availability", "lost-lock-notification",
         "release-result", "key-leak", "call-timeout", "idle-traffic"]
OWN_BY_LEASE = {"network", "pause", "own-times-pause", "clock", "restart"}  # take the lock from a holder: every lock with a lease is violated there


def read(file: Path) -> dict:
    return json.loads(file.read_text())


class Cell:
    def __init__(self, folder: Path, cell: dict):
        self.name, self.row, self.column = cell["name"], cell["row"], cell["column"]
        self.dir = cell["runs"][0]["dir"]
        self.errors = [run["error"] for run in cell["runs"] if run.get("error")]
        self.verdicts = [read(folder / run["dir"] / "verdict.json") for run in cell["runs"] if not run.get("error")]
        self.runs, self.seconds = len(cell["runs"]), sum(run["seconds"] for run in cell["runs"])
        self.violated = Counter(judged["claim"] for verdict in self.verdicts for judged in verdict["claims"] if judged["outcome"] == "violated")
        self.unknown = sum(verdict["overall"] == "unknown" for verdict in self.verdicts)

    def outcome(self) -> str:
        if not self.verdicts:
            return "not run"
        return "violated" if self.violated else "unknown" if self.unknown else "valid"

    def text(self) -> str:
        if not self.verdicts:
            return "not run"
        def counted(claim: str) -> str:
            seen = self.violated[claim]
            return claim if seen == self.runs else f"{claim} {seen}/{self.runs}"
        claims = [counted(claim) for claim in sorted(self.violated, key=WORST.index)]
        if claims:
            return f"**{', '.join(claims)}**"
        return "ok" if not self.unknown else f"unknown {self.unknown}/{self.runs}"

    def story(self) -> tuple[int, str] | None:
        """Returns the rank of the worst violation, and its sentence with its cause."""
        found = [(WORST.index(judged["claim"]), judged["claim"], judged["violations"][0]) for verdict in self.verdicts
                 for judged in verdict["claims"] if judged["outcome"] == "violated" and judged.get("violations")]
        if not found:
            return None
        rank, claim, first = min(found, key=lambda each: each[0])
        cause = f" (cause: `{first['cause']}`)" if first.get("cause") else ""
        return rank, f"`{claim}`: {first['sentence']}{cause}"


def about_driver(command: str) -> dict:
    file = TOP / "drivers" / command.partition("@")[0] / "driver.toml"
    return tomllib.loads(file.read_text()) if file.exists() else {}


def server_of(cells: list[Cell], service: str) -> str:
    """Returns the version that ran, such as "redis 7.0.15"; nothing if no cell ran."""
    ran = [verdict["environment"].get(service, "?") for cell in cells for verdict in cell.verdicts]
    return f"; on {service} {ran[0]}" if ran else ""


def section(name: str, cells: list[Cell], plan: dict) -> list[str]:
    driver, about = plan["driver"], about_driver(plan["driver"]["command"])
    options = "".join(f", `{key}={value}`" for key, value in driver["options"].items())
    server = server_of(cells, driver.get("service", "redis"))
    lines = [f"### {name}", "", f"{about.get('summary', driver['name'])}; {driver['version']}{options}{server}."]
    if "promise" in about:
        lines += ["", f"> {about['promise']}", f"> ({about['promise_from']})"]
    lines += ["", "| fault | seen | story of the worst |", "|---|---|---|"]
    for cell in cells:
        story = cell.story()
        lines.append(f"| {cell.column} | {cell.text()} | {story[1] if story else cell.errors[0] if cell.errors else ''} |")
    worst = min((cell for cell in cells if cell.story()), default=None,
                key=lambda cell: (cell.column in OWN_BY_LEASE, cell.story()[0]))
    if worst:
        lines += ["", f'    build/doublehold suite atlas --only "{worst.name}"']
    return lines + [""]


def main(folder: Path) -> None:
    suite = read(folder / "suite.json")
    cells = [Cell(folder, cell) for cell in suite["cells"]]
    if not cells:
        sys.exit(f"{folder}: no cell was run")
    columns = {column: suite["about"].get(column, "") for column in suite["columns"]}
    rows: dict[str, list[Cell]] = {}
    for cell in cells:
        rows.setdefault(cell.row, []).append(cell)
    counts = Counter(cell.outcome() for cell in cells)
    date = re.match(r"(\d{4})(\d\d)(\d\d)", folder.resolve().name)
    commit = subprocess.run(["git", "-C", str(TOP), "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    page = ["# The atlas: what breaks which lock library", "",
            "Find your library below: its row, and its section with what its documentation says, the worst story",
            "of each fault, and the command that shows it. *Written by `docs/atlas.py` from a run of",
            "`compose/suites/atlas.toml`; do not edit.*", "",
            f"Run on {'-'.join(date.groups()) if date else '?'} at commit {commit}: {len(cells)} cells of {len(rows)} rows, "
            f"each run {suite['repeat']} times, {suite['seconds'] / 60:.0f} min at {suite['jobs']} jobs: "
            + ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()) + ".", "",
            "Every lock that has only a lease is violated under `network`, `pause`, `own-times-pause`, `clock` and",
            "`restart`: that is a property of leases ([findings.md](findings.md)). A violation in another column is",
            "the library's own.",
            "`n/m`: in n of m runs; without it, in all.", "", "| fault | what happens |", "|---|---|",
            *(f"| {name} | {about} |" for name, about in columns.items()), "",
            "| library | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
    for name, of_row in rows.items():
        by_column = {cell.column: cell.text() for cell in of_row}
        anchor = re.sub(r"[^\w\- ]", "", name.lower()).replace(" ", "-")
        page.append(f"| [{name}](#{anchor}) | " + " | ".join(by_column.get(column, "not looked at") for column in columns) + " |")
    page.append("")
    for name, of_row in rows.items():
        page += section(name, of_row, read(folder / of_row[0].dir / "plan.json"))
    PAGE.write_text("\n".join(page))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
