#!/usr/bin/env python3
"""Writes docs/deep.md: what three faults find in each simulated lock, also in takeovers by a
replica, and two faults with one delay.

    docs/findings/deep.py BUILD_FOLDER RESULTS [--jobs N] [--parts N] [--only LOCK ...]
    docs/findings/deep.py BUILD_FOLDER RESULTS --real    # what needs three faults, on real servers
    docs/findings/deep.py --write RESULTS                # the table of what is kept

A search that has a result in the folder RESULTS is not run again. All searches: some hours on two
cores. With --parts, searches of any three faults are run in N parts, of which each is kept.
"""

from __future__ import annotations

import argparse
import collections
import json
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

TOP = Path(__file__).parents[2]
THREE_CLIENTS = ["set-nx-px", "redisson", "redlock", "fenced"]
REAL_RUNS = 5
TAKEOVERS = "cut-replication,failover,late-failover,handover,split-brain"


def listed(program: Path, what: str) -> list[str]:
    printed = subprocess.run([program, "list", "--json"], capture_output=True, text=True, check=True)
    return [entry["name"] for entry in json.loads(printed.stdout)[what]]


def merge(parts: list[dict]) -> dict:
    """The result of a whole search. A claim is that of the part with its smallest violation."""
    def size(claim: dict) -> tuple:
        return (claim["violated"] == 0, claim["unknown"] == 0, cell(claim))

    whole = dict(parts[0], complete=True, ended="all run", seconds=sum(part["seconds"] for part in parts))
    for count in ("executions", "run"):
        whole[count] = sum(level[count] for level in parts[0]["levels"][:-1]) + \
            sum(part["levels"][-1][count] for part in parts)
    whole["claims"] = [min(claims, key=size) for claims in zip(*(part["claims"] for part in parts), strict=True)]
    return whole


def search(program: Path, lock: str, words: list[str], jobs: int, into: Path, parts: int = 1) -> None:
    if into.exists():
        return
    if parts > 1:
        files = [into.with_suffix(f".part-{i}-of-{parts}") for i in range(1, parts + 1)]
        for i, file in enumerate(files, start=1):
            search(program, lock, [*words, "--shard", f"{i}/{parts}"], jobs, file)
        if all(file.exists() for file in files):
            whole = merge([json.loads(file.read_text(encoding="utf-8")) for file in files])
            into.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
        return
    command = [program, "explore", "--lock", lock, *words, "--jobs", str(jobs), "--budget", "0", "--memory-mb", "16000",
               "--json"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    result = json.loads(done.stdout) if done.returncode in (0, 1, 2) else {}
    # 3: the lock's service has no such fault, or no replicas
    if result.get("cut_off") or result.get("ended") not in ("all run", "only a part"):
        if done.returncode != 3 or into.name.endswith(("-faults.json", "-orders.json")):
            print(f"{into.name}: {done.stderr.strip() or 'incomplete'}", file=sys.stderr)
        return
    into.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    counts = f"{result['executions']:,} executions, {result['run']:,} run"
    print(f"{into.name}: {counts}, {result['seconds']:.0f} s", flush=True)


def searches(program: Path) -> list[tuple[str, str, list[str]]]:
    """Name of the result, lock and options of each search."""
    wanted = []
    forms = [form for form in listed(program, "fault-forms") if form not in TAKEOVERS.split(",")]
    for name in listed(program, "locks"):
        nodes = ["--nodes", "3"] if name.startswith("redlock") else []
        for n in [2, 3] if name in THREE_CLIENTS else [2]:
            bounds = ["--clients", str(n), "--depth", "3", *nodes]
            wanted.append((f"{name}-{n}-faults", name, bounds))
            wanted += [(f"{name}-{n}-one-{form}", name, [*bounds, "--faults", form]) for form in forms]
        wanted.append((f"{name}-2-orders", name, ["--depth", "2", "--delay-bound", "1", *nodes]))
        wanted.append((f"{name}-2-takeovers", name,
                       ["--depth", "3", "--topology", "replicated", "--faults", TAKEOVERS]))
    # All faults with three clients last: they take longest.
    return sorted(wanted, key=lambda each: each[0].endswith("-3-faults"))


def cell(claim: dict) -> str:
    """The number of faults of the smallest violation; ? if unknown in some executions, - if clean."""
    if claim["violated"]:
        choices = claim["replay"].rsplit("/", 1)[1]
        return str(len(choices.split("-")) if choices else 0)
    return "?" if claim["unknown"] else "-"


def table(results: list[dict], names: list[str]) -> list[str]:
    lines = [f"| lock | clients | executions | run | {' | '.join(names)} |", "|---" * (4 + len(names)) + "|"]
    for result in results:
        cells = {claim["claim"]: cell(claim) for claim in result["claims"]}
        counts = f"{result['executions']:,} | {result['run']:,}"
        row = " | ".join(cells.get(name, "") for name in names)
        lines.append(f"| {result['lock']} | {result['clients']} | {counts} | {row} |")
    return lines


def read(folder: Path, kind: str) -> list[dict]:
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob(f"*-{kind}.json"))]


def third(folder: Path) -> list[str]:
    """The table of what the third fault adds to two of its kind."""
    found = {}
    for result in read(folder, "one-*"):
        new = [claim["claim"] for claim in result["claims"] if cell(claim) == "3"]
        found.setdefault((result["lock"], result["clients"]), {})[result["faults"][0]] = ", ".join(new) or "."
    forms = max((result["faults"] for result in read(folder, "faults")), key=len)
    lines = [f"| lock | clients | {' | '.join(forms)} |", "|---" * (2 + len(forms)) + "|"]
    for (lock, clients), cells in found.items():
        lines.append(f"| {lock} | {clients} | {' | '.join(cells.get(form, '') for form in forms)} |")
    return lines


def needing_three(folder: Path) -> list[tuple[dict, dict]]:
    """The violations that need three faults, each with its search."""
    results = [*read(folder, "faults"), *read(folder, "one-*")]
    return [(result, claim) for result in results for claim in result["claims"] if cell(claim) == "3"]


def replay(program: Path, folder: Path) -> None:
    """Runs these violations on real servers, and keeps how often each claim had which outcome."""
    kept = {}
    for text in sorted({claim["replay"] for _, claim in needing_three(folder)}):
        outcomes = collections.defaultdict(collections.Counter)
        for _ in range(REAL_RUNS):
            with tempfile.TemporaryDirectory() as out:
                done = subprocess.run([program, "replay", "--real", text, "--out", out],
                                      capture_output=True, text=True, check=False)
            for line in done.stdout.partition("simulated  real\n")[2].partition("\n\n")[0].splitlines():
                claim, _, outcome = line.split()[:3]
                outcomes[claim][outcome] += 1
        kept[text] = {claim: ", ".join(f"{n} {outcome}" for outcome, n in counts.most_common())
                      for claim, counts in outcomes.items()}
        print(f"{text.rsplit('/', 2)[1]}: {kept[text]}", flush=True)
    (folder / "real.json").write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def write(folder: Path) -> str:
    kinds = {kind: read(folder, kind) for kind in ("faults", "takeovers", "orders")}
    # The claims of the lock that has most of them, and then the others.
    judged = [[claim["claim"] for claim in result["claims"]] for results in kinds.values() for result in results]
    names = list(dict.fromkeys(name for claims in sorted(judged, key=len, reverse=True) for name in claims))
    # A lock that sends its server nothing has no takeovers.
    kinds["takeovers"] = [result for result in kinds["takeovers"] if result["points"] > 0]
    kept = folder / "real.json"
    real = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}

    def story(result: dict, claim: dict) -> str:
        on_real = real.get(claim["replay"], {}).get(claim["claim"], "not run")
        text = f"`{result['lock']}`, {result['clients']} clients, {claim['claim']}: {claim['sentence']}. " \
               f"Runs on real servers: {on_real}."
        return textwrap.fill(text, 100, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False) + \
            f"\n\n      build/doublehold replay '{claim['replay']}'\n"

    new = [story(*each) for each in needing_three(folder)]
    text = (TOP / "docs" / "findings" / "deep.txt").read_text(encoding="utf-8")
    return text.format(**{kind: "\n".join(table(results, names)) for kind, results in kinds.items()},
                       third="\n".join(third(folder)), new="\n".join(new) or "None.\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--parts", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    if asked.write:
        (TOP / "docs" / "deep.md").write_text(write(asked.folders[0]), encoding="utf-8")
        return 0
    build, results = asked.folders
    if asked.real:
        replay(build / "doublehold", results)
        return 0
    results.mkdir(parents=True, exist_ok=True)
    for name, lock, words in searches(build / "doublehold"):
        if not asked.only or lock in asked.only:
            parts = asked.parts if name.endswith("-faults") else 1
            search(build / "doublehold", lock, words, asked.jobs, results / f"{name}.json", parts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
