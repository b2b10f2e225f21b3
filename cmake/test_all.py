#!/usr/bin/env python3
"""Runs everything that guards a release: `make test`, and all that is too slow for every change.

    cmake/test_all.py [--jobs N] [--real-jobs N] [--only STEP ...] [--again]

Prints a line a step while it runs, and a summary at the end. The output of a step is in build-all/STEP.log. Steps that
passed are not run again at the same commit with the same changes, so that what was interrupted goes on: `--again` forgets
them, `--only` runs the steps that are named.

Exits 0 when every step passed, 1 when one failed, 3 when the command line is wrong.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
FOLDER = TOP / "build-all"
PASSED = FOLDER / "passed.json"
# Judged with real libraries, which their own step installs.
LIBRARY_SUITES = ("libraries", "findings")


@dataclass(frozen=True)
class Step:
    name: str
    proves: str
    commands: list[str]  # of a shell, at the top of the tree
    environment: dict[str, str] = field(default_factory=dict)


def suites() -> list[str]:
    return sorted(file.stem for file in (TOP / "compose" / "suites").glob("*.toml"))


def run_suites(names: list[str] | tuple[str, ...], jobs: int) -> list[str]:
    return [f"build/doublehold suite compose/suites/{name}.toml --jobs {jobs} --out build-all/runs" for name in names]


def steps(jobs: int, real_jobs: int) -> list[Step]:
    ctest = "ctest --output-on-failure --no-tests=error"
    own = [name for name in suites() if name not in LIBRARY_SUITES]
    every_trial = {"DOUBLEHOLD_ALL_TRIALS": "1"}
    return [
        Step("test", "make test", [f"make test JOBS={jobs} REAL_JOBS={real_jobs}"]),
        Step(
            "ubsan",
            "unit and sim tests under ASan and UBSan, with all random trials",
            [
                "cmake --preset ubsan",
                f"cmake --build --preset ubsan -j {jobs}",
                f"cd build-ubsan && {ctest} -j {jobs} -L 'unit|sim'",
            ],
            every_trial,
        ),
        Step("real", "tests on real servers, one at a time, under ASan and UBSan",
             [f"cd build-ubsan && {ctest} -j 1 -L real"]),
        Step("slow", "slow tests: soak, served locks, no oversell, drivers by name, the installed package",
             [f"cmake --build --preset asan -j {jobs} --target slow_tests", f"cd build-asan && {ctest} -L slow"]),
        Step("tsan", "every lock on a real server under TSan",
             [f"cmake --build --preset tsan -j {jobs} --target variants_test", f"cd build-tsan && {ctest} -R '^variants_test'"]),
        Step("conformance", "100,000 random sequences: the modelled Redis against a real one",
             [f"cmake --build --preset release -j {jobs} --target sim_conformance_test",
              f"cd build && {ctest} -R '^sim_conformance_test'"],
             {"DOUBLEHOLD_CONFORMANCE_SEQUENCES": "100000"}),
        Step("trials", "2,000,000 random histories of every model and claim against every order",
             [f"cmake --build --preset release -j {jobs} --target brute_trials",
              f"build/checker/brute_trials --list | xargs -P {jobs} -I NAME build/checker/brute_trials 2000000 20261121 NAME"]),
        Step("mutants", "every deliberate defect of the checkers is noticed by their tests", [f"make mutants JOBS={jobs}"]),
        Step("suites", "every suite comes out as it expects", ["make build", *run_suites(own, jobs)]),
        Step("libraries", "the suites of other lock libraries come out as they expect",
             ["./setup.sh --drivers", "make build", *run_suites(LIBRARY_SUITES, jobs)]),
        Step("bench", "the benchmarks still build", ["make build", f"cmake --build --preset release -j {jobs} --target bench/all"]),
    ]


def digest_of_tree() -> str:
    """Of the commit and of all that was changed since."""

    def output(*words: str) -> bytes:
        return subprocess.run(["git", *words], cwd=TOP, capture_output=True, check=True).stdout

    digest = hashlib.sha256(output("rev-parse", "HEAD") + output("diff", "HEAD"))
    for name in output("ls-files", "--others", "--exclude-standard", "-z").split(b"\0"):
        if name:
            digest.update(name + (TOP / os.fsdecode(name)).read_bytes())
    return digest.hexdigest()


def passed_before(tree: str) -> dict[str, float]:
    """The steps that passed on this tree, and how long each took."""
    try:
        stored = json.loads(PASSED.read_text())
    except (OSError, ValueError):
        return {}
    return stored["seconds"] if stored.get("tree") == tree else {}


def run(step: Step) -> bool:
    with (FOLDER / f"{step.name}.log").open("w") as log:
        for command in step.commands:
            log.write(f"$ {command}\n")
            log.flush()
            environment = {**os.environ, **step.environment}
            done = subprocess.run(["bash", "-c", command], cwd=TOP, stdin=subprocess.DEVNULL, stdout=log,
                                  stderr=subprocess.STDOUT, env=environment)
            if done.returncode != 0:
                log.write(f"exit status {done.returncode}\n")
                return False
    return True


def minutes(seconds: float) -> str:
    return f"{seconds / 60:.1f} min"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="what runs at once")
    parser.add_argument("--real-jobs", type=int, default=2 * (os.cpu_count() or 1), help="real tests at once")
    parser.add_argument("--only", nargs="+", metavar="STEP", default=[], help="these steps alone")
    parser.add_argument("--again", action="store_true", help="also what has passed before")
    asked = parser.parse_args()
    all_steps = steps(asked.jobs, asked.real_jobs)
    if unknown := set(asked.only) - {step.name for step in all_steps}:
        print(f"test_all.py: --only: no step '{unknown.pop()}': {', '.join(step.name for step in all_steps)}",
              file=sys.stderr)
        return 3

    FOLDER.mkdir(exist_ok=True)
    tree = digest_of_tree()
    passed = {} if asked.again else passed_before(tree)
    rows = []
    for step in all_steps:
        if asked.only and step.name not in asked.only:
            continue
        if step.name in passed:
            rows.append((step, f"passed before, in {minutes(passed[step.name])}"))
            continue
        print(f"{time.strftime('%H:%M')} {step.name}: {step.proves}", flush=True)
        began = time.monotonic()
        good = run(step)
        took = time.monotonic() - began
        rows.append((step, f"{'passed' if good else 'FAILED'} in {minutes(took)}"))
        print(f"      {rows[-1][1]}" + ("" if good else f": build-all/{step.name}.log"), flush=True)
        if good:
            passed[step.name] = took
            PASSED.write_text(json.dumps({"tree": tree, "seconds": passed}))

    failed = [step.name for step, result in rows if result.startswith("FAILED")]
    print()
    for step, result in rows:
        print(f"{step.name:12} {result:32} {step.proves}")
    print(f"\n{len(rows) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
