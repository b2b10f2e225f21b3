#!/usr/bin/env python3
"""Sweeps the libraries of the atlas: each fault at each place of one section of a client.

    docs/findings/sweeps.py PROGRAM [ROW...] [--section 10] [--jobs 3] [--runs FOLDER]

Sweeps each row of compose/suites/atlas.toml, or those named, and keeps what came out in sweeps.json
and in the tables of docs/findings/sweeps.md. A row on another server is swept only if it is the
only one of its library, and a row with five nodes on three. Exits 1 if a run was violated or
unknown in a way that is no property of all locks with a lease (see the page).
"""
from __future__ import annotations

import argparse, collections, datetime, json, re, subprocess, sys, tomllib
from pathlib import Path

from record import TOP, commit

RECORD = TOP / "docs" / "findings" / "sweeps.json"
PAGE = TOP / "docs" / "findings" / "sweeps.md"
NODES = 3
# By cause: a holder that was late for one of these reasons is a property.
LATE_HOLDERS = {"stopped": "stopped", "message-held": "held"}
# Why an outcome is unknown.
UNKNOWN = {"was granted the lock": "blocked", "never took effect": "not met"}
COLUMNS = (*LATE_HOLDERS.values(), "late call", *UNKNOWN.values())


def rows() -> dict[str, dict]:
    asked = tomllib.loads((TOP / "compose" / "suites" / "atlas.toml").read_text())["row"]
    usual = {row["lock"]["driver"].split("@")[0] for row in asked.values() if "server" not in row.get("topology", {})}
    return {name: row for name, row in asked.items()
            if "server" not in row.get("topology", {}) or row["lock"]["driver"].split("@")[0] not in usual}


def words(row: dict, section: int) -> list[str]:
    """Returns the options of `doublehold sweep`."""
    workload, topology = row.get("workload", {}).get("name", "inventory"), row.get("topology", {})
    sold = "exactly-once" if workload == "exactly-once" else "stock"
    options = [f"--option={name}={value}" for name, value in row["lock"].get("options", {}).items()]
    servers = ([f"--nodes={NODES}"] if "nodes" in topology else []) + \
        ([f"--server={topology['server']}"] if "server" in topology else [])
    return [f"--driver={row['lock']['driver']}", *options, *servers, f"--workload={workload}", "--lease=1s",
            f"--claims=exclusion,release,{sold},liveness,call-timeout", f"--section={section}"]


def kind_of(claim: dict, cell: dict) -> str:
    """Returns the property that explains a violation, or what was violated where."""
    causes = {violation["cause"] for violation in claim.get("violations", [])}
    if claim["claim"] in ("exclusion", "stock", "exactly-once") and len(causes) == 1:
        if (kind := LATE_HOLDERS.get(next(iter(causes)))) is not None:
            return kind
    if claim["claim"] == "call-timeout" and " to node " in cell["place"]:
        return "late call"
    return f"{claim['claim']} ({', '.join(sorted(causes))}) at {cell['place']}/{cell['fault']}"


def summary(swept: dict, folder: Path) -> dict:
    kinds, other = collections.Counter(), []
    for cell in swept["cells"]:
        verdict = json.loads((folder / cell["dir"] / "verdict.json").read_text())
        found = {kind_of(claim, cell) for claim in verdict["claims"] if claim["outcome"] == "violated"}
        if "?" in cell["letters"] or "~" in cell["letters"]:
            found.add(next((kind for words, kind in UNKNOWN.items() if words in cell["sentence"]),
                           f"unknown at {cell['place']}/{cell['fault']}: {cell['sentence']}"))
        kinds.update(found & set(COLUMNS))
        other += sorted(found - set(COLUMNS))
    return {"version": swept["library"]["version"], "runs": len(swept["cells"]), "kinds": dict(sorted(kinds.items())),
            "other": other, "date": datetime.date.today().isoformat(), "commit": commit()}


def sweep(given: argparse.Namespace, row: dict) -> dict | None:
    done = subprocess.run([given.program, "sweep", *words(row, given.section), f"--jobs={given.jobs}", "--json",
                           f"--out={given.runs}"], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1, 2):
        return None
    swept = json.loads(done.stdout)
    return summary(swept, Path(swept["folder"]))


def counted(other: list[str]) -> str:
    """Leaves out the places: "2 `release` (foreign-release), 1 unknown `liveness`"."""
    kinds = collections.Counter(re.sub(r"^unknown at .*?: ([\w-]+): .*", r"unknown `\1`",
                                       re.sub(r"^([\w-]+ \(.*?\)) at .*", r"\1", text)) for text in other)
    return ", ".join(f"{count} {kind}" for kind, count in kinds.items())


def write(record: dict) -> None:
    RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    page = PAGE.read_text()
    for section, swept in record.items():
        head = "| row of the atlas | version | runs | " + " | ".join(COLUMNS) + " | other | on |\n"
        lines = [f"| {name} | {one['version']} | {one['runs']} | "
                 + " | ".join(str(one["kinds"].get(kind, 0)) for kind in COLUMNS)
                 + f" | {counted(one['other'])} | {one['date']} |\n" for name, one in sorted(swept.items())]
        page = re.sub(f"(<!-- section {section} -->\n).*?(<!-- end -->)",
                      lambda found: found[1] + head + "|---" * (len(COLUMNS) + 5) + "|\n" + "".join(lines) + found[2],
                      page, flags=re.DOTALL)
    PAGE.write_text(page)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("rows", nargs="*")
    parser.add_argument("--section", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=3)
    parser.add_argument("--runs", default="runs", type=Path, help="folder for run folders")
    given = parser.parse_intermixed_args()
    known = rows()
    if unknown := [name for name in given.rows if name not in known]:
        parser.error(f"no such row: {', '.join(unknown)}; one of: {', '.join(known)}")
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    swept, fine = record.setdefault(str(given.section), {}), True
    for name in given.rows or known:
        one = sweep(given, known[name])
        fine = fine and one is not None and not one["other"]
        print(f"{name}: {one or 'could not be swept'}", flush=True)
        if one is not None:
            swept[name] = one
            write(record)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
