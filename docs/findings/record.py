#!/usr/bin/env python3
"""Keeps the record of the findings in released libraries: when each was last seen.

    docs/findings/record.py PROGRAM [--repeat 5]
    docs/findings/record.py PROGRAM --bisect [CELL...]

Runs the suite `findings`, and writes date, commit and counts of each finding into record.json, and
the table of docs/findings.md. --bisect finds the versions that show a finding instead. Exits 1 if a
finding is no longer seen in every run, or if another cell is not as expected.
"""
from __future__ import annotations

import argparse, datetime, json, re, subprocess, sys, tempfile, tomllib
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
SUITE = TOP / "compose" / "suites" / "findings.toml"
RECORD = TOP / "docs" / "findings" / "record.json"
PAGE = TOP / "docs" / "findings.md"
TABLE = re.compile(r"(<!-- record of make findings -->\n).*?(<!-- end of record -->)", re.DOTALL)


def findings() -> dict[str, str]:
    """Returns the claim of each cell that is a finding."""
    def listed(names) -> list[str]:
        return names if isinstance(names, list) else [names]

    return {f"{row}/{column}": cell["finding"]
            for cell in tomllib.loads(SUITE.read_text())["cell"] if "finding" in cell
            for row in listed(cell["row"]) for column in listed(cell["column"])}


def commit() -> str:
    def git(*words: str) -> str:
        return subprocess.run(["git", "-C", str(TOP), *words], capture_output=True, text=True, check=True).stdout

    changed = git("status", "--porcelain", "-uno", ":!docs")
    return git("rev-parse", "--short=8", "HEAD").strip() + ("+" if changed else "")


def times_seen(folder: Path, cell: dict, claim: str) -> tuple[int, int]:
    runs = cell["runs"]
    verdicts = [json.loads((folder / run["dir"] / "verdict.json").read_text()) for run in runs if not run.get("error")]
    return sum(any(judged["claim"] == claim and judged["outcome"] == "violated" for judged in verdict["claims"])
               for verdict in verdicts), len(runs)


def look(program: str, repeat: int, record: dict) -> bool:
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([program, "suite", str(SUITE), "--repeat", str(repeat), "--out", out], check=False)
        folder = Path(out) / "findings" / "latest"
        cells = {cell["name"]: cell for cell in json.loads((folder / "suite.json").read_text())["cells"]}
        for name, claim in findings().items():
            seen, runs = times_seen(folder, cells[name], claim)
            print(f"{seen} of {runs}  {name}: {claim}")
            record.setdefault(name, {}).update(claim=claim, seen=seen, runs=runs, commit=commit(),
                                               date=datetime.date.today().isoformat())
    return done.returncode == 0 and all(record[name]["seen"] == record[name]["runs"] for name in findings())


def bisect(program: str, cells: list[str], record: dict) -> bool:
    found = True
    for name in cells or findings():
        with tempfile.TemporaryDirectory() as out:
            done = subprocess.run([program, "bisect", str(SUITE), "--cell", name, "--out", out], check=False)
            found = found and done.returncode == 0
            for answer in Path(out).glob("bisect/2*/bisect.json"):
                read = json.loads(answer.read_text())
                if read["interrupted"]:
                    continue
                record.setdefault(name, {"claim": findings()[name]}).update({key: read[key] for key in ("first", "before", "last", "after")})
    return found


def row(name: str, entry: dict) -> str:
    def end(probe: str, none: str) -> str:
        return f" ({probe or none})"

    only = "first" in entry and entry["first"] == entry["last"] and not (entry["before"] or entry["after"])
    versions = (f"{entry['first']} (the only version)" if only else
                f"{entry['first']}{end(entry['before'], 'the oldest')} to {entry['last']}{end(entry['after'], 'the newest')}"
                if "first" in entry else "")
    seen = f"{entry['seen']} of {entry['runs']}" if "seen" in entry else ""
    return f"| `{name}` | `{entry['claim']}` | {seen} | {entry.get('date', '')} | {entry.get('commit', '')} | {versions} |\n"


def write(record: dict) -> None:
    kept = {name: record[name] for name in findings() if name in record}
    RECORD.write_text(json.dumps(kept, indent=1) + "\n")
    table = ("| cell of the suite `findings` | claim | seen in | on | commit | versions that show it |\n|---|---|---|---|---|---|\n"
             + "".join(row(name, entry) for name, entry in kept.items()))
    PAGE.write_text(TABLE.sub(lambda match: match[1] + table + match[2], PAGE.read_text()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--bisect", nargs="*", metavar="CELL")
    asked = parser.parse_args()
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    good = look(asked.program, asked.repeat, record) if asked.bisect is None else bisect(asked.program, asked.bisect, record)
    write(record)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
