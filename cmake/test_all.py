#!/usr/bin/env python3
"""Runs all checks before a release: `make test`, and everything too slow for every change.

    cmake/test_all.py [--jobs N] [--real-jobs N] [--only STEP ...] [--again]

Prints a line a step while it runs, and a summary at the end. The output of a step is in
build-all/STEP.log. Steps that passed on the same tree are skipped, so an interrupted run can be
resumed. `--again` runs them again; `--only` runs the named steps. Needs root for network
namespaces.

Exits 0 when every step passed, 1 when one failed, 3 when a step of --only does not exist.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
FOLDER = TOP / "build-all"
PASSED = FOLDER / "passed.json"
# What these suites need besides Redis.
PREPARED = {"libraries": "./setup.sh --drivers", "findings": "./setup.sh --drivers",
            "namespaces": "./setup.sh --services",
            "atlas": "./setup.sh --services && ./setup.sh --drivers",
            "services": "./setup.sh --services && ./setup.sh --drivers"}


@dataclass(frozen=True)
class Step:
    name: str
    proves: str
    commands: list[str]  # shell commands, run at the top of the tree
    environment: dict[str, str] = field(default_factory=dict)


def suites() -> list[str]:
    return sorted(file.stem for file in (TOP / "compose" / "suites").glob("*.toml"))


def suite_step(name: str) -> Step:
    prepared = [PREPARED[name]] if name in PREPARED else []
    return Step(f"suite-{name}", f"compose/suites/{name}.toml comes out as it expects",
                [*prepared, "make build",
                 f"build/doublehold suite compose/suites/{name}.toml --out build-all/runs"])


def steps(jobs: int, real_jobs: int) -> list[Step]:
    ctest = "ctest -V --no-tests=error"
    every_trial = {"DOUBLEHOLD_ALL_TRIALS": "1"}

    def build(preset: str, targets: str) -> list[str]:
        return [f"cmake --preset {preset}",
                f"cmake --build --preset {preset} -j {jobs} --target {targets}"]

    alone = "build-alone"
    # A shard for each model or claim.
    trials = (f"seq 0 15 | xargs -P {jobs} -I @ env GTEST_TOTAL_SHARDS=16 GTEST_SHARD_INDEX=@ "
              "build/checker/{} --gtest_brief=1 "
              "--gtest_filter='*OnRandomHistories*:DisturbedRuns*'")
    return [
        Step("test", "make test", [f"make test JOBS={jobs} REAL_JOBS={real_jobs}"]),
        Step("quick", "unit and sim tests under ASan and UBSan, with all trials",
             [*build("ubsan", "all"), f"cd build-ubsan && {ctest} -j {jobs} -L 'unit|sim'"],
             every_trial),
        Step("real", "tests on real servers, one at a time, under ASan and UBSan",
             [*build("ubsan", "all"), f"cd build-ubsan && {ctest} -j 1 -L real"], every_trial),
        Step("slow", "slow tests: soak, drivers by name, the installed package",
             ["./setup.sh --drivers", *build("ubsan", "all slow_tests"),
              f"cd build-ubsan && {ctest} -L slow"]),
        Step("stops", "commands that are stopped anywhere lose nothing and leave nothing behind",
             ["make build", "compose/cli/stop_anywhere.py build/doublehold"]),
        Step("tsan", "every lock on a real server under TSan",
             [*build("tsan", "variants_test"), f"cd build-tsan && {ctest} -R '^variants_test'"]),
        Step("conformance", "100,000 random sequences: the modelled Redis against a real one",
             [*build("release", "sim_conformance_test"), "build/lib/sim_conformance_test"],
             {"DOUBLEHOLD_CONFORMANCE_SEQUENCES": "100000"}),
        Step("servers", "the same for the other servers that are installed by name",
             [*build("release", "sim_conformance_test"),
              # The test waits after each step of Valkey's clock.
              *(f"DOUBLEHOLD_CONFORMANCE_SEQUENCES={sequences} DOUBLEHOLD_CONFORMANCE_SERVER=$(drivers/kept_servers.py {server}) "
                "build/lib/sim_conformance_test"
                for server, sequences in (("redis@6.2", 10000), ("redis@8.2", 10000), ("valkey@9.1", 200)))]),
        Step("trials", "2,000,000 random histories of every model and claim against every order",
             [*build("release", "linear_test claim_trials_test"),
              trials.format("linear_test"), trials.format("claim_trials_test")],
             {"DOUBLEHOLD_TRIALS": "2000000", "DOUBLEHOLD_SEED": "20261122"}),
        Step("mutants", "the tests of the checkers notice every defect, and 95 % of the drawn changes",
             [f"make mutants JOBS={jobs}"]),
        *[suite_step(name) for name in suites()],
        Step("alone", "every source compiles by itself, and the benchmarks build",
             [f"cmake --preset release -B {alone} -DDOUBLEHOLD_BATCH=0",
              f"cmake --build {alone} -j {jobs} --target all bench/all slow_tests"]),
    ]


def digest_of_tree() -> str:
    """Returns a digest of the commit and all uncommitted changes."""

    def output(*words: str) -> bytes:
        return subprocess.run(["git", *words], cwd=TOP, capture_output=True, check=True).stdout

    digest = hashlib.sha256(output("rev-parse", "HEAD") + output("diff", "HEAD"))
    for name in output("ls-files", "--others", "--exclude-standard", "-z").split(b"\0"):
        if name:
            digest.update(name + (TOP / os.fsdecode(name)).read_bytes())
    return digest.hexdigest()


def passed_before(tree: str) -> dict[str, str]:
    """Returns the steps that passed on this tree, with their summaries."""
    try:
        stored = json.loads(PASSED.read_text())
    except (OSError, ValueError):
        return {}
    return stored["passed"] if stored.get("tree") == tree else {}


def skipped(step: Step) -> int:
    """Returns how many tests were skipped: they cannot run here, or they are variations."""
    log = (FOLDER / f"{step.name}.log").read_text(errors="replace")
    return sum(int(count) for count in re.findall(r"\[  SKIPPED \] (\d+) tests?", log))


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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    cores = os.cpu_count() or 1
    parser.add_argument("--jobs", type=int, default=cores, help="what runs at once")
    parser.add_argument("--real-jobs", type=int, default=2 * cores, help="real tests at once")
    parser.add_argument("--only", nargs="+", metavar="STEP", default=[], help="these steps alone")
    parser.add_argument("--again", action="store_true", help="also what has passed before")
    asked = parser.parse_args()
    all_steps = steps(asked.jobs, asked.real_jobs)
    names = [step.name for step in all_steps]
    if unknown := set(asked.only) - set(names):
        print(f"test_all.py: --only: no step '{unknown.pop()}': {', '.join(names)}", file=sys.stderr)
        return 3

    FOLDER.mkdir(exist_ok=True)
    tree = digest_of_tree()
    passed = passed_before(tree)
    rows = []
    for step in all_steps:
        if asked.only and step.name not in asked.only:
            continue
        if step.name in passed and not asked.again:
            rows.append((step, f"{passed[step.name]} before"))
            continue
        passed.pop(step.name, None)
        print(f"{time.strftime('%H:%M')} {step.name}: {step.proves}", flush=True)
        began = time.monotonic()
        good = run(step)
        result = f"{'passed' if good else 'FAILED'} in {(time.monotonic() - began) / 60:.1f} min"
        if (count := skipped(step)) > 0:
            result += f", {count} tests skipped"
        rows.append((step, result))
        print(f"      {result}" + ("" if good else f": build-all/{step.name}.log"), flush=True)
        if good:
            passed[step.name] = result
        PASSED.write_text(json.dumps({"tree": tree, "passed": passed}))

    failed = sum(result.startswith("FAILED") for _, result in rows)
    print()
    for step, result in rows:
        print(f"{step.name:18} {result:42} {step.proves}")
    print(f"\n{len(rows) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
