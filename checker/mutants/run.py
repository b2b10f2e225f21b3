#!/usr/bin/env python3
"""Plants deliberate defects in the checkers, one at a time, and runs their unit tests.

    checker/mutants/run.py BUILD_FOLDER [--only PART ...] [--quick] [--jobs N]
    checker/mutants/run.py --check

The defects are in defects.toml: those that operators.py does not draw. The text of a defect must
occur exactly once in its file. First BUILD_FOLDER is brought up to date. Then, for each defect, a
broken copy of the file is compiled in a scratch folder with the command of BUILD_FOLDER. The tests
are linked anew, with the copy before the libraries. The source tree and BUILD_FOLDER are not
changed.

Prints one line for each defect: `caught`, with the test that failed, or `NOT CAUGHT`.
--only PART: only defects with PART in their file or words.
--quick: without the tests of random histories.
--check: only checks that each defect can be applied.

Exits with 0 if all defects are caught, 1 if one is not, 3 if a defect cannot be applied, and 4 if
the tests fail without a defect.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2]
DEFECTS = Path(__file__).resolve().parent / "defects.toml"

# The test programs of each part, the fastest first.
TESTS = {
    "checker/linear/": ["linear_test"],
    "checker/": ["checker_test"],
    "lib/history/": ["op_log_test", "history_test", "linear_test", "checker_test"],
}
PROGRAMS = ["op_log_test", "history_test", "linear_test", "checker_test"]
# Tests that compare random histories with every order. They run only if no other test fails.
SLOW = ["BruteForce.*", "ExclusionScanTest.*Random", "Fuzz.*", "LongRandomRuns.*",
        "*SearchTrials.*"]
SECONDS = 300  # time limit of a test program: a defect may cause an endless loop
NOT_APPLICABLE, BROKEN_WITHOUT = 3, 4


class Unusable(Exception):
    """A defect cannot be applied. The message is one line."""


@dataclass(frozen=True)
class Mutant:
    file: str
    text: str
    replacement: str
    defect: str

    def line(self, source: str) -> int:
        return source[: source.index(self.text)].count("\n") + 1

    def broken(self, source: str) -> str:
        count = source.count(self.text)
        if count != 1:
            raise Unusable(f"{self.file}: '{self.defect}': its text occurs {count} times, not once")
        if self.text == self.replacement:
            raise Unusable(f"{self.file}: '{self.defect}': the replacement equals the text")
        return source.replace(self.text, self.replacement)


def mutants_of(file: Path = DEFECTS) -> list[Mutant]:
    found = []
    for row in tomllib.loads(file.read_text())["mutant"]:
        if set(row) != {"file", "text", "with", "defect"}:
            words = row.get("defect", "?")
            raise Unusable(
                f"{file.name}: '{words}': a mutant has exactly file, text, with and defect")
        text, replacement = row["text"].strip("\n"), row["with"].strip("\n")
        found.append(Mutant(row["file"], text, replacement, row["defect"]))
    return found


def source_of(mutant: Mutant, top: Path = SOURCES) -> str:
    try:
        return (top / mutant.file).read_text()
    except OSError as error:
        raise Unusable(f"{mutant.file}: '{mutant.defect}': {error.strerror}") from error


def check(mutants: list[Mutant], top: Path = SOURCES) -> None:
    seen: set[str] = set()
    for mutant in mutants:
        mutant.broken(source_of(mutant, top))
        if mutant.defect in seen:
            raise Unusable(f"{mutant.file}: '{mutant.defect}': another defect has the same words")
        seen.add(mutant.defect)


def programs_for(file: str) -> list[str]:
    return next(programs for part, programs in TESTS.items() if file.startswith(part))


def output_of(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


@dataclass
class Build:
    """The build commands of the build folder. Builds the test programs, then only reads."""

    folder: Path
    jobs: int
    dependencies: dict[str, set[str]] = field(default_factory=dict)  # project files of each object
    commands: dict[str, str] = field(default_factory=dict)  # by output file

    def __post_init__(self) -> None:
        output_of(["cmake", "--build", ".", "--parallel", str(self.jobs), "--target", *PROGRAMS],
                  self.folder)
        target = ""
        for line in output_of(["ninja", "-t", "deps"], self.folder).splitlines():
            if line and not line.startswith(" "):
                target = line.split(":")[0]
                continue
            path = os.path.normpath(self.folder / line.strip())
            if line and path.startswith(f"{SOURCES}/"):
                self.dependencies.setdefault(target, set()).add(path.removeprefix(f"{SOURCES}/"))
        for line in output_of(["ninja", "-t", "commands", *PROGRAMS], self.folder).splitlines():
            made = re.search(r" -o (\S+)", line)
            if made:
                self.commands[made[1]] = line

    def link_of(self, program: str) -> tuple[str, str]:
        """The path of the program in the build folder, and its link command."""
        return next((made, line) for made, line in self.commands.items()
                    if made.split("/")[-1] == program)

    def objects_with(self, file: str) -> list[str]:
        return sorted(made for made in self.commands if file in self.dependencies.get(made, ()))


def compile_broken(build: Build, made: str, scratch: Path, file: str) -> Path:
    """Compiles the object `made` with the scratch copy of `file`, a source or a header."""
    command = build.commands[made]
    source = str(SOURCES / file)
    out = scratch / made.replace("/", "+")
    command = command.replace(f" -o {made}", f" -o {out}")
    command = re.sub(r" -M\S*( \S+\.d)?", "", command.replace(f" -MT {made}", ""))
    # A defect may leave an unused parameter or variable, so warnings are off.
    command = command.replace(f" -I{SOURCES} ", f" -w -I{scratch} -I{SOURCES} ")
    command = command.replace(" -Werror", "")
    if file.endswith(".cc"):
        command = command.replace(f" -c {source}", f" -c {scratch / file}")
    done = subprocess.run(command, shell=True, cwd=build.folder, capture_output=True, text=True)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "error:" in line]
        raise Unusable(f"it does not compile: {(errors or [done.stderr.strip()])[0]}")
    return out


def link(build: Build, program: str, broken: dict[str, Path], scratch: Path) -> Path:
    made, command = build.link_of(program)
    out = scratch / program
    in_libraries = []
    for original, path in broken.items():
        if f" {original} " in command:
            command = command.replace(f" {original} ", f" {path} ")
        else:
            in_libraries.append(str(path))
    # The broken objects come before the libraries: the linker takes the first definition.
    quick = " -fuse-ld=gold" if shutil.which("ld.gold") else ""
    command = command.replace(
        f" -o {made} ", f"{quick} -Wl,-S -o {out} {' '.join(in_libraries)} ", 1)
    done = subprocess.run(command, shell=True, cwd=build.folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise Unusable(f"it cannot be linked: {done.stderr.strip().splitlines()[-1]}")
    return out


def failing_test(program: Path, quick: bool, **settings: str) -> str | None:
    """Returns the first test that fails; None: all pass. `settings`: environment variables."""
    rounds = [f"-{':'.join(SLOW)}"] if quick else [f"-{':'.join(SLOW)}", ":".join(SLOW)]
    for which in rounds:
        command = [str(program), f"--gtest_filter={which}", "--gtest_fail_fast", "--gtest_color=no"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                                  timeout=SECONDS,
                                  env={**os.environ, "DOUBLEHOLD_ALL_TRIALS": "1", **settings})
            output, how = done.stdout, "" if done.returncode >= 0 else " (crashed)"
            if done.returncode == 0:
                continue
        except subprocess.TimeoutExpired as late:
            output, how = (late.stdout or b"").decode(errors="replace"), " (never ended)"
        failed = re.findall(r"^\[  FAILED  \] ([^\s,]+)", output, re.M)
        begun = re.findall(r"^\[ RUN      \] (\S+)", output, re.M)
        return (failed[0] if failed else begun[-1] if begun else program.name) + how
    return None


def noticed_by(build: Build, file: str, text: str, quick: bool) -> str | None:
    """Returns the first test that fails if `file` contains `text`; None: all pass."""
    with tempfile.TemporaryDirectory(prefix="doublehold-mutant-") as name:
        scratch = Path(name)
        (scratch / file).parent.mkdir(parents=True)
        (scratch / file).write_text(text)
        broken = {made: compile_broken(build, made, scratch, file)
                  for made in build.objects_with(file)}
        if not broken:
            raise Unusable("no test is built from it")
        for program in programs_for(file):
            try:
                linked = link(build, program, broken, scratch)
            except Unusable:
                if program == programs_for(file)[0]:
                    raise
                continue  # the program does not use the library of `file`
            if noticed := failing_test(linked, quick):
                return noticed
    return None


def run(build: Build, mutants: list[Mutant], quick: bool) -> int:
    # First without a defect: a test that fails then would hide whether a defect is noticed.
    samples = {programs_for(mutant.file)[0]: mutant.file
               for mutant in mutants if mutant.file.endswith(".cc")}  # one source for each program
    for file in samples.values():
        if noticed := noticed_by(build, file, (SOURCES / file).read_text(), quick=True):
            print(f"{noticed} fails without any defect", file=sys.stderr)
            return BROKEN_WITHOUT

    def one(mutant: Mutant) -> tuple[str, str | None]:
        source = source_of(mutant)
        where = f"{mutant.file}:{mutant.line(source)}"
        try:
            return where, noticed_by(build, mutant.file, mutant.broken(source), quick)
        except Unusable as why:
            raise Unusable(f"{where}: '{mutant.defect}': {why}") from why

    begun = time.monotonic()
    caught = 0
    with ThreadPoolExecutor(build.jobs) as pool:
        for mutant, (where, noticed) in zip(mutants, pool.map(one, mutants)):
            caught += noticed is not None
            print(f"{'caught    ' if noticed else 'NOT CAUGHT'} {where:<36} {mutant.defect}"
                  f"{f'  [{noticed}]' if noticed else ''}", flush=True)
    print(f"{caught} of {len(mutants)} caught, in {time.monotonic() - begun:.0f} s")
    return 0 if caught == len(mutants) else 1


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=Path, metavar="BUILD_FOLDER")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", action="append", metavar="PART")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    try:
        mutants = mutants_of()
        check(mutants)
        if arguments.check:
            print(f"{len(mutants)} defects can be applied")
            return 0
        if arguments.build is None:
            parser.error("BUILD_FOLDER is missing")
        parts = arguments.only or [""]
        chosen = [m for m in mutants if any(part in m.file or part in m.defect for part in parts)]
        if not chosen:
            parser.error(f"no defect has '{' or '.join(parts)}' in its file or its words")
        return run(Build(arguments.build.resolve(), arguments.jobs), chosen, arguments.quick)
    except Unusable as why:
        print(f"mutants: {why}", file=sys.stderr)
        return NOT_APPLICABLE


if __name__ == "__main__":
    sys.exit(main())
