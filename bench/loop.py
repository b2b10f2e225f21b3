#!/usr/bin/env python3
"""The cost of a change in builds and tests: CPU seconds against budgets.

    bench/loop.py [--jobs N] [--without-real]

Builds everything anew in build-loop/ without the compiler cache, one preset after another. Runs the
tests of `make test` once. Prints the ten slowest sources, headers, links, test programs, tests and
test suites, then one line for each budget. CPU seconds do not depend on the load of a machine,
but differ between machines.
Exits 1 when a budget is missed, 4 when a command fails.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from run import Figure

TOP = Path(__file__).resolve().parents[1]
FOLDER = TOP / "build-loop"
CORES = 2  # number of cores for which the wall-clock budgets are meant
# These tests draw random histories, sequences and executions.
RANDOM = re.compile(r"TrialsOfClaim|SearchTrials|BruteForce|Fuzz\.|Random|EventLines\.AreScanned|"
                    r"Flipped|Conformance")
LIBRARY_HEADER = re.compile(r'#include <((?:boost|fmt|gtest|hiredis|nlohmann|simdjson|tl|toml\+\+)\b[^>]*)>')


@dataclass(frozen=True)
class Cost:
    name: str
    cpu_s: float


def fail(what: str) -> None:
    print(f"loop.py: {what}", file=sys.stderr)
    sys.exit(4)


def cpu_of(command: str | list[str], folder: Path, environment: dict[str, str] | None = None) -> float:
    """Returns the CPU seconds of a command and its child processes."""
    with subprocess.Popen(command, shell=isinstance(command, str), cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          env={**os.environ, "CCACHE_DISABLE": "1", **(environment or {})}) as process:
        output = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        fail(f"exit {process.returncode}: {command if isinstance(command, str) else shlex.join(command)}\n{output}")
    return used.ru_utime + used.ru_stime


def output_of(*command: str, folder: Path = TOP) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"{shlex.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout


class Build:
    """A preset that is built from scratch, with the cost of each object and each link."""

    def __init__(self, preset: str, targets: list[str], jobs: int) -> None:
        self.folder = FOLDER / preset
        output_of("cmake", "--preset", preset, "-B", str(self.folder))
        self.compiled: dict[str, Cost] = {}
        self.linked: dict[str, Cost] = {}
        self.commands: dict[str, str] = {}
        links = []
        for line in output_of("ninja", "-t", "commands", *targets, folder=self.folder).splitlines():
            made = re.search(r" -o (\S+)", line) or re.search(r"\bar qc (\S+)", line)
            if made is None:
                fail(f"a command that makes nothing: {line}")
            self.commands[made[1]] = line
            if not made[1].endswith(".o"):
                links.append(made[1])
        objects = [made for made in self.commands if made.endswith(".o")]
        for made in objects:
            (self.folder / made).parent.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(jobs) as pool:
            costs = pool.map(lambda made: cpu_of(self.commands[made], self.folder), objects)
            for made, cpu_s in zip(objects, costs):
                self.compiled[made] = Cost(f"{preset}: {self._named(made)}", cpu_s)
        for made in links:
            self.linked[made] = Cost(f"{preset}: {made}", cpu_of(self.commands[made], self.folder))

    def _named(self, made: str) -> str:
        """Names an object by its source. A batch is named by its first source and the number of
        others."""
        source = re.search(r" -c (\S+)", self.commands[made])[1]
        if "/batches/" not in source:
            return source.removeprefix(f"{TOP}/")
        first, *others = re.findall(r'^#include "([^"]+)"', Path(source).read_text(), re.M)
        return f"{first} and {len(others)} more"

    def cpu_s(self) -> float:
        return sum(cost.cpu_s for cost in [*self.compiled.values(), *self.linked.values()])

    def made_for(self, target: str) -> set[str]:
        lines = output_of("ninja", "-t", "commands", target, folder=self.folder).splitlines()
        return {made for made, line in self.commands.items() if line in set(lines)}

    def users(self) -> Counter[str]:
        """Returns how many objects include each header."""
        count: Counter[str] = Counter()
        for made in self.compiled:
            text = (self.folder / f"{made}.d").read_text().replace("\\\n", " ")
            count.update({os.path.normpath(self.folder / name) for name in text.split()[1:]})
        return count


def header_costs(build: Build, jobs: int) -> list[Cost]:
    """Returns the cost of parsing each header alone, multiplied by the number of objects that
    include it. Covers the headers of libraries and the most used headers of this tree."""
    users = build.users()
    named = set()
    for source in output_of("git", "ls-files", "*.cc", "*.h").split():
        named |= set(LIBRARY_HEADER.findall((TOP / source).read_text()))
    ours = [name for name, _ in users.most_common() if name.startswith(f"{TOP}/") and name.endswith(".h")][:30]
    some = next(line for made, line in build.commands.items() if "doublehold_compose" in made and made.endswith(".o"))
    flags = " ".join(re.findall(r" (-(?:[DIfgO]|std=)\S*)", some))

    def cost(name: str) -> Cost | None:
        count = users[name] if name.startswith("/") else max(
            (number for path, number in users.items() if path.endswith(f"/{name}")), default=0)
        if count == 0:
            return None
        line = f'#include "{name}"' if name.startswith("/") else f"#include <{name}>"
        cpu_s = cpu_of(f"echo {shlex.quote(line)} | c++ {flags} -fsyntax-only -x c++ -", build.folder)
        return Cost(f"{name.removeprefix(f'{TOP}/')}: {cpu_s:.2f} s, {count} times", cpu_s * count)

    with ThreadPoolExecutor(jobs) as pool:
        return [each for each in pool.map(cost, [*ours, *sorted(named)]) if each is not None]


@dataclass
class Tests:
    """Runs the tests of ctest that have one of some labels, once."""

    programs: list[Cost]
    each: list[Cost]  # wall-clock seconds, as the tests report them

    def cpu_s(self) -> float:
        return sum(cost.cpu_s for cost in self.programs)

    def suites(self) -> list[Cost]:
        sums: dict[str, float] = defaultdict(float)
        for cost in self.each:
            sums[cost.name.split(".")[0]] += cost.cpu_s
        return [Cost(name, cpu_s) for name, cpu_s in sums.items()]


def run_tests(folder: Path, jobs: int, *which: str) -> Tests:
    listed = json.loads(output_of("ctest", "--show-only=json-v1", *which, folder=folder))["tests"]

    def run_one(test: dict) -> tuple[Cost, list[Cost]]:
        properties = {each["name"]: each["value"] for each in test["properties"]}
        environment = dict(line.split("=", 1) for line in properties.get("ENVIRONMENT", []))
        told = FOLDER / f"{test['name']}.json"
        cpu_s = cpu_of(test["command"], Path(properties["WORKING_DIRECTORY"]),
                       {**environment, "GTEST_OUTPUT": f"json:{told}"})
        each = []
        if told.exists():
            for suite in json.loads(told.read_text())["testsuites"]:
                each += [Cost(f"{suite['name']}.{one['name']}", float(one["time"].rstrip("s")))
                         for one in suite["testsuite"]]
        return Cost(test["name"], cpu_s), each

    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(run_one, listed))
    return Tests([program for program, _ in results], [cost for _, each in results for cost in each])


def print_slowest(title: str, costs: list[Cost]) -> None:
    print(f"\n{title}: {sum(cost.cpu_s for cost in costs):.0f} s in all, {len(costs)} of them")
    for cost in sorted(costs, key=lambda cost: -cost.cpu_s)[:10]:
        print(f"  {cost.cpu_s:7.2f} s  {cost.name}")


def edit_cost(build: Build) -> float:
    """Returns the cost of editing one source of checker/: the cost of its most expensive batch, and
    of every link of `make check` that contains this batch."""
    batch = max(cost.cpu_s for made, cost in build.compiled.items() if "/doublehold_checker.dir/" in made)
    links = build.made_for("check_tests")
    return batch + sum(cost.cpu_s for made, cost in build.linked.items()
                       if made in links and "libdoublehold_checker.a" in build.commands[made])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="commands at once")
    parser.add_argument("--without-real", action="store_true", help="leave out the tests on real servers")
    asked = parser.parse_args()

    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    release = Build("release", ["doublehold"], asked.jobs)
    asan = Build("asan", ["all"], asked.jobs)
    tsan = Build("tsan", ["tsan_tests"], asked.jobs)
    quick = run_tests(asan.folder, asked.jobs, "-L", "check")
    others = run_tests(asan.folder, asked.jobs, "-L", "unit|sim", "-LE", "check")
    threads = run_tests(tsan.folder, asked.jobs, "-L", "tsan")
    real = Tests([], []) if asked.without_real else run_tests(asan.folder, 2 * asked.jobs, "-L", "real")

    builds = [asan, tsan]
    print_slowest("sources", [cost for build in builds for cost in build.compiled.values()])
    print_slowest("headers, times their includers", header_costs(asan, asked.jobs))
    print_slowest("links", [cost for build in builds for cost in build.linked.values()])
    print_slowest("test programs", [*quick.programs, *others.programs, *threads.programs, *real.programs])
    print_slowest("tests (wall-clock)", [*quick.each, *others.each, *real.each])
    print_slowest("test suites (wall-clock)", [*quick.suites(), *others.suites(), *real.suites()])

    built = asan.cpu_s() + tsan.cpu_s()
    tested = quick.cpu_s() + others.cpu_s() + threads.cpu_s() + real.cpu_s()
    check_objects = asan.made_for("check_tests")
    check_built = sum(cost.cpu_s for made, cost in [*asan.compiled.items(), *asan.linked.items()] if made in check_objects)
    drawn = sum(cost.cpu_s for cost in [*quick.each, *others.each, *real.each] if RANDOM.search(cost.name))
    # Budgets are in CPU seconds. A budget of N seconds of wall-clock time on CORES cores is N *
    # CORES CPU seconds. Tests that wait for servers use no CPU time while they wait.
    rows = [
        Figure("make test: compiling and linking", [built], "s", 14 * 60, at_least=False),
        Figure("make test: all of it", [built + tested], "s", 12 * 60 * CORES, at_least=False),
        Figure("make test: again, nothing changed", [tested], "s", 4 * 60 * CORES, at_least=False),
        Figure("make check: all of it", [check_built + quick.cpu_s()], "s", 7 * 60 * CORES, at_least=False),
        Figure("make check: one source of checker/ edited", [edit_cost(asan) + quick.cpu_s()], "s", 45 * CORES,
               at_least=False),
        Figure("random trials in make test (wall-clock)", [drawn], "s", 60, at_least=False),
        # The budget of the demo is seven minutes: 1.5 for the set-up, 1 for the suite, and 4.5 for
        # the build.
        Figure("make demo: compiling and linking", [release.cpu_s()], "s", 4.5 * 60 * CORES, at_least=False),
    ]
    print()
    for row in rows:
        print(row.line())
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
