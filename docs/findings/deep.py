#!/usr/bin/env python3
"""Searches each simulated lock with three faults, also in takeovers by a replica, and with two
faults and one delay. Keeps the results in deep.json, and writes docs/deep.md.

    docs/findings/deep.py PROGRAM [--only PATTERN...] [--jobs 2] [--parts N]
    docs/findings/deep.py PROGRAM --real    # what needs three faults, on real servers
    docs/findings/deep.py --write           # the page alone

A search that is in deep.json is not run again. All of them take some ten hours on two cores.
--only takes names such as 'redlock-3-faults' or '*-orders'. With --parts, a search of any three
faults is run in N parts, of which each is kept until all are there.
"""
from __future__ import annotations

import argparse, collections, fnmatch, json, subprocess, sys, tempfile, textwrap
from pathlib import Path

from record import TOP, commit

RECORD = TOP / "docs" / "findings" / "deep.json"
PAGE = TOP / "docs" / "deep.md"
THREE_CLIENTS = ["set-nx-px", "redisson", "redlock", "fenced"]
REAL_RUNS = 5
TAKEOVERS = ["cut-replication", "failover", "late-failover", "handover", "split-brain"]
# From the smallest violation, whose number of faults is the cell, to clean.
CELLS = "0123?-"


def listed(program: Path, what: str) -> list[str]:
    printed = subprocess.run([program, "list", "--json"], capture_output=True, text=True, check=True)
    return [entry["name"] for entry in json.loads(printed.stdout)[what]]


def searches(program: Path) -> list[tuple[str, str, list[str]]]:
    """Name, lock and options of each search."""
    wanted = []
    forms = [form for form in listed(program, "fault-forms") if form not in TAKEOVERS]
    for lock in listed(program, "locks"):
        nodes = ["--nodes", "3"] if lock.startswith("redlock") else []
        for n in [2, 3] if lock in THREE_CLIENTS else [2]:
            bounds = ["--clients", str(n), "--depth", "3", *nodes]
            wanted.append((f"{lock}-{n}-faults", lock, bounds))
            wanted += [(f"{lock}-{n}-one-{form}", lock, [*bounds, "--faults", form]) for form in forms]
        wanted.append((f"{lock}-2-orders", lock, ["--clients", "2", "--depth", "2", "--delay-bound", "1", *nodes]))
        wanted.append((f"{lock}-2-takeovers", lock, ["--clients", "2", "--depth", "3", "--topology", "replicated",
                                                     "--faults", ",".join(TAKEOVERS)]))
    # All faults with three clients last: they take longest.
    return sorted(wanted, key=lambda each: each[0].endswith("-3-faults"))


def cell(claim: dict) -> str:
    if claim["violated"]:
        choices = claim["replay"].rsplit("/", 1)[1]
        return str(len(choices.split("-")) if choices else 0)
    return "?" if claim["unknown"] else "-"


def summary(result: dict, counted: dict) -> dict:
    """What deep.json keeps of a search: stories only of what needs three faults."""
    claims = {claim["claim"]: cell(claim) for claim in result["claims"]}
    stories = {claim["claim"]: {"sentence": claim["sentence"], "replay": claim["replay"]}
               for claim in result["claims"] if cell(claim) == "3"}
    return {"lock": result["lock"], "clients": result["clients"], "commit": commit(),
            "executions": counted["executions"], "run": counted["run"], "claims": claims, "stories": stories}


def search(program: Path, lock: str, words: list[str], jobs: int, shard: str) -> dict | None:
    command = [program, "explore", "--lock", lock, *words, "--jobs", str(jobs), "--budget", "0",
               "--memory-mb", "16000", "--shard", shard, "--json"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    # 3: the lock's service has no such fault, or no replicas.
    if done.returncode == 3:
        return None
    result = json.loads(done.stdout)
    if result["cut_off"] or result["ended"] not in ("all run", "only a part"):
        print(f"{shard} of {lock} {' '.join(words)}: not complete, {result['ended']}", file=sys.stderr)
        return None
    # All parts run the executions with fewer faults; the first counts them.
    counted = result if shard.startswith("1/") else result["levels"][-1]
    print(f"{result['seconds']:.0f} s, {counted['executions']:,} executions, {counted['run']:,} run", flush=True)
    return summary(result, counted) if result["points"] else None


def merge(parts: list[dict]) -> dict:
    """The result of a whole search."""
    whole = dict(parts[0], executions=sum(part["executions"] for part in parts), run=sum(part["run"] for part in parts))
    whole["claims"] = {name: min((part["claims"][name] for part in parts), key=CELLS.index)
                       for name in whole["claims"]}
    stories = {name: story for part in reversed(parts) for name, story in part["stories"].items()}
    whole["stories"] = {name: story for name, story in stories.items() if whole["claims"][name] == "3"}
    return whole


def run(given: argparse.Namespace, record: dict) -> None:
    for name, lock, words in searches(given.program):
        if name in record or not any(fnmatch.fnmatch(name, pattern) for pattern in given.only):
            continue
        n = given.parts if name.endswith("-faults") else 1
        parts = {f"{name}, part {i}/{n}" if n > 1 else name: f"{i}/{n}" for i in range(1, n + 1)}
        for part, shard in parts.items():
            if part not in record:
                print(f"{part}: ", end="", flush=True)
                if (found := search(given.program, lock, words, given.jobs, shard)) is None:
                    print("not kept")
                    break
                record[part] = found
                keep(record)
        else:
            record[name] = merge([record.pop(part) for part in parts])
            keep(record)


def replay(program: Path, record: dict) -> None:
    """Runs what needs three faults on real servers, and keeps how often each claim had which outcome."""
    stories = [(name, story) for result in record.values() for name, story in result["stories"].items()]
    for text in sorted({story["replay"] for _, story in stories if "real" not in story}):
        outcomes = collections.defaultdict(collections.Counter)
        for _ in range(REAL_RUNS):
            with tempfile.TemporaryDirectory() as out:
                done = subprocess.run([program, "replay", "--real", text, "--out", out],
                                      capture_output=True, text=True, check=False)
            for line in done.stdout.partition("simulated  real\n")[2].partition("\n\n")[0].splitlines():
                claim, _, outcome = line.split()[:3]
                outcomes[claim][outcome] += 1
        for name, story in stories:
            if story["replay"] == text:
                story["real"] = ", ".join(f"{n} {outcome}" for outcome, n in outcomes[name].most_common())
                print(f"{text.rsplit('/', 2)[1]}, {name}: {story['real']}", flush=True)
        keep(record)


def table(results: list[dict], names: list[str]) -> str:
    lines = [f"| lock | clients | executions | run | {' | '.join(names)} |", "|---" * (4 + len(names)) + "|"]
    for result in results:
        counts = f"{result['executions']:,} | {result['run']:,}"
        row = " | ".join(result["claims"].get(name, "") for name in names)
        lines.append(f"| {result['lock']} | {result['clients']} | {counts} | {row} |")
    return "\n".join(lines)


def third(one: dict[str, dict]) -> str:
    """The table of what the third fault adds to two of its kind."""
    found = collections.defaultdict(dict)
    for name, result in one.items():
        found[result["lock"], result["clients"]][name.partition("-one-")[2]] = ", ".join(result["stories"]) or "."
    forms = max(found.values(), key=len)
    lines = [f"| lock | clients | {' | '.join(forms)} |", "|---" * (2 + len(forms)) + "|"]
    for (lock, clients), cells in found.items():
        lines.append(f"| {lock} | {clients} | {' | '.join(cells.get(form, '') for form in forms)} |")
    return "\n".join(lines)


def story_text(result: dict, claim: str, story: dict) -> str:
    text = f"`{result['lock']}`, {result['clients']} clients, {claim}: {story['sentence']}. " \
           f"Runs on real servers: {story.get('real', 'not run')}."
    return textwrap.fill(text, 100, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False) + \
        f"\n\n      build/doublehold replay '{story['replay']}'\n"


def page(record: dict) -> str:
    found = sorted(record.items(), key=lambda each: (each[1]["lock"], each[1]["clients"]))
    whole = {name: result for name, result in found if ", part" not in name}
    one = {name: result for name, result in whole.items() if "-one-" in name}
    kinds = {kind: [result for name, result in whole.items() if name.endswith(f"-{kind}")]
             for kind in ("faults", "takeovers", "orders")}
    # The claims of the lock that has most of them, and then the others.
    judged = sorted((result["claims"] for results in kinds.values() for result in results), key=len, reverse=True)
    names = list(dict.fromkeys(name for claims in judged for name in claims))
    new = [story_text(result, claim, story) for result in [*kinds["faults"], *one.values()]
           for claim, story in result["stories"].items()]
    text = (TOP / "docs" / "findings" / "deep.txt").read_text(encoding="utf-8")
    return text.format(**{kind: table(results, names) for kind, results in kinds.items()},
                       third=third(one), new="\n".join(new) or "None.\n")


def keep(record: dict) -> None:
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(result)}" for name, result in record.items())
    RECORD.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    PAGE.write_text(page(record), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", type=Path)
    parser.add_argument("--only", nargs="*", default=["*"])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--parts", type=int, default=1)
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    if given.write == (given.program is not None):
        parser.error("give PROGRAM or --write")
    if given.write:
        keep(record)
    elif given.real:
        replay(given.program, record)
    else:
        run(given, record)
    return 0


if __name__ == "__main__":
    sys.exit(main())
