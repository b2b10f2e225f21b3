#!/usr/bin/python3
"""Draws changes of operators in the checkers, and runs their unit tests against each.

    checker/mutants/operators.py SCRATCH_FOLDER [--draw N] [--seed S] [--only PART] [--jobs N]

A change is one of these, at one place of a source in checker/:

- `<` and `<=`, `>` and `>=`, `==` and `!=`, `&&` and `||`, `+` and `-` are exchanged;
- a condition is negated;
- a number is one greater;
- a statement, or a return out of the middle of a function, is left out.

libclang finds the places. The seed and the text of a change decide whether it is drawn. All drawn
changes are compiled at once: each stands beside the original in a copy of the tree in
SCRATCH_FOLDER, and the environment variable DOUBLEHOLD_MUTANT chooses one. Drawn
changes that do not compile are left out.

Prints the changes that no test noticed, and the share that was noticed: the mutation score.
equal.toml lists equivalent changes, each with the reason why nobody can see it. Exits with 0 if at
least 95 % were noticed, else with 1.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from clang.cindex import Config, Cursor, CursorKind, Index, TranslationUnit

from run import SOURCES, failing_test

LEAST_PERCENT = 95
EXCHANGED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||",
             "||": "&&", "+": "-", "-": "+"}
CONDITIONS = {CursorKind.IF_STMT, CursorKind.WHILE_STMT, CursorKind.CONDITIONAL_OPERATOR}
# A statement that may be left out is one of these.
EFFECTS = {CursorKind.CALL_EXPR, CursorKind.BINARY_OPERATOR, CursorKind.UNARY_OPERATOR,
           CursorKind.COMPOUND_ASSIGNMENT_OPERATOR}
FUNCTIONS = {CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.CONSTRUCTOR,
             CursorKind.FUNCTION_TEMPLATE, CursorKind.DESTRUCTOR, CursorKind.LAMBDA_EXPR}
# A number in one of these is no part of a computation at run time.
FIXED = {CursorKind.STATIC_ASSERT, CursorKind.CASE_STMT, CursorKind.ENUM_DECL,
         CursorKind.TYPE_REF, CursorKind.TEMPLATE_REF}
SWITCH = "doublehold_mutant"
READ_SWITCH = f"""
#include <cstdlib>
int {SWITCH} = 0;
[[gnu::constructor(101)]] static void ReadMutant() {{
  if (const char* number = std::getenv("DOUBLEHOLD_MUTANT")) {SWITCH} = std::atoi(number);
}}
"""


@dataclass(frozen=True, order=True)
class Change:
    """The text from `begin` to `end` of a source becomes `text`."""

    file: str
    begin: int
    end: int
    what: str  # "exchange", "negate", "add one", "leave out"
    text: str
    line: int
    last_line: int
    source_line: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}: {self.source_line}"

    def name(self) -> str:
        """Names the change without its line number, as equal.toml does."""
        return f"{self.file}: {self.what}: {self.source_line}"

    def rank(self, seed: int) -> bytes:
        """The changes of the lowest ranks are drawn. So an edit elsewhere draws the same ones."""
        return hashlib.sha256(f"{seed} {self.name()} {self.text}".encode()).digest()

    def guarded(self, original: str, number: int) -> str:
        """The text that is the change if it is chosen, and the original otherwise."""
        chosen = f"{SWITCH} == {number}"
        if self.what == "leave out":
            return f"if ({SWITCH} != {number}) {original}"
        if self.what == "negate":
            return f"(({chosen}) != static_cast<bool>({original}))"
        # On one line, so that the other lines keep their numbers.
        changed = " ".join(re.sub(r"//.*", "", self.text).split("\n"))
        return f"(({chosen}) ? ({changed}) : ({original}))"


class Finder:
    """Finds the possible changes of one source."""

    def __init__(self, file: str, arguments: list[str]) -> None:
        self.file, self.data = file, (SOURCES / file).read_bytes()
        self.unit = Index.create().parse(
            str(SOURCES / file), arguments,
            options=TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        self.macros = [self.span(cursor) for cursor in self.unit.cursor.get_children()
                       if cursor.kind == CursorKind.MACRO_INSTANTIATION and self.is_here(cursor)]

    def is_here(self, cursor: Cursor) -> bool:
        here = cursor.extent.start.file
        return here is not None and here.name == str(SOURCES / self.file)

    @staticmethod
    def span(cursor: Cursor) -> tuple[int, int]:
        return cursor.extent.start.offset, cursor.extent.end.offset

    def text(self, begin: int, end: int) -> str:
        return self.data[begin:end].decode()

    def changes(self) -> Iterator[Change]:
        for cursor in self.unit.cursor.get_children():
            if self.is_here(cursor):
                yield from self._of(cursor, [], in_function=False)

    def _of(self, cursor: Cursor, parents: list[Cursor], in_function: bool) -> Iterator[Change]:
        begin, end = self.span(cursor)
        if cursor.kind in FIXED or any(begin < to and since < end and (since, to) != (begin, end)
                                       and since <= begin for since, to in self.macros):
            return
        if cursor.kind == CursorKind.VAR_DECL and re.search(r"\bconst(expr|init)\b",
                                                            self.text(begin, end)):
            return
        if cursor.kind in FUNCTIONS:
            if re.match(r"(\[\[\w+\]\] |static |inline )*(constexpr|consteval)\b",
                        self.text(begin, end)):
                return
            in_function = True
        if in_function:
            yield from self._at(cursor, parents, begin, end)
        for child in cursor.get_children():
            yield from self._of(child, [*parents, cursor], in_function)

    def _at(self, cursor: Cursor, parents: list[Cursor], begin: int, end: int) -> Iterator[Change]:
        def change(what: str, text: str, begin: int = begin, end: int = end) -> Change:
            line = self.data[:begin].count(b"\n") + 1
            source_line = self.data.decode().splitlines()[line - 1].strip()
            last_line = self.data[:end].count(b"\n") + 1
            return Change(self.file, begin, end, what, text, line, last_line, source_line)

        original = self.text(begin, end)
        operands = list(cursor.get_children()) if cursor.kind == CursorKind.BINARY_OPERATOR else \
            list(cursor.get_arguments()) if cursor.spelling.startswith("operator") and \
            cursor.kind == CursorKind.CALL_EXPR else []
        if len(operands) == 2 and all(operands):
            (_, left), (right, _) = self.span(operands[0]), self.span(operands[1])
            operator = self.text(left, right).strip()
            if operator in EXCHANGED and "string" not in cursor.type.get_canonical().spelling:
                other = self.text(left, right).replace(operator, EXCHANGED[operator])
                yield change("exchange", self.text(begin, left) + other + self.text(right, end))
        if cursor.kind in CONDITIONS:
            condition = next(cursor.get_children())
            if condition.kind.is_expression():
                yield change("negate", "", *self.span(condition))
        if cursor.kind == CursorKind.INTEGER_LITERAL:
            yield change("add one", f"{original} + 1")
        block = bool(parents) and parents[-1].kind == CursorKind.COMPOUND_STMT
        ends = self.data[end:end + 1] == b";"
        if block and ends and cursor.kind in EFFECTS:
            yield change("leave out", "")
        branch = next((p for p in reversed(parents) if p.kind != CursorKind.COMPOUND_STMT), None)
        if ends and cursor.kind == CursorKind.RETURN_STMT and branch is not None and \
                branch.kind not in FUNCTIONS:
            yield change("leave out", "")


def arguments_of(build: Path) -> list[str]:
    """The arguments that all sources of the checkers are compiled with, for libclang."""
    line = next(line for line in (build / "build.ninja").read_text().splitlines()
                if line.strip().startswith("INCLUDES"))
    includes = [word for word in shlex.split(line.split("=", 1)[1]) if word != "-isystem"]
    return ["-std=c++20", "-DFMT_SHARED", *includes, f"-I{SOURCES}"]


def rewrite(data: bytes, changes: list[tuple[int, Change]]) -> str:
    """Puts each change, with its number, beside the original. Changes may lie in one another."""
    def text(begin: int, end: int, inside: list[tuple[int, Change]]) -> str:
        out, at = "", begin
        while inside:
            number, outer = inside[0]
            inner = [one for one in inside[1:] if one[1].end <= outer.end]
            inside = inside[1 + len(inner):]
            out += data[at:outer.begin].decode()
            out += outer.guarded(text(outer.begin, outer.end, inner), number)
            at = outer.end
        return out + data[at:end].decode()

    ordered = sorted(changes, key=lambda one: (one[1].begin, -one[1].end, one[0]))
    return f"extern int {SWITCH};\n" + text(0, len(data), ordered)


@dataclass
class Copy:
    """A copy of the tree with all changes in it, each under its number."""

    folder: Path
    jobs: int
    commands: dict[str, str] = field(default_factory=dict)  # by source

    def __post_init__(self) -> None:
        names = subprocess.run(["git", "ls-files", "-z"], cwd=SOURCES, capture_output=True,
                               text=True, check=True).stdout.split("\0")
        shutil.rmtree(self.folder / "checker", ignore_errors=True)
        for name in filter(None, names):
            copy, source = self.folder / name, SOURCES / name
            if not source.is_file() or (copy.exists() and copy.stat().st_mtime_ns ==
                                        source.stat().st_mtime_ns):
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copy)
        self.run("cmake", "--preset", "release", "-DDOUBLEHOLD_BATCH=0",
                 "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -w")
        for row in json.loads((self.build_folder / "compile_commands.json").read_text()):
            self.commands[row["file"]] = row["command"]

    def run(self, *command: str) -> None:
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{shlex.join(command)}:\n{(done.stdout + done.stderr)[-4000:]}")

    @property
    def build_folder(self) -> Path:
        return self.folder / "build"

    def write(self, file: str, changes: list[tuple[int, Change]]) -> list[tuple[int, Change]]:
        """Writes a source with its changes, and returns those that compile."""
        command = re.sub(r" -o \S+| -Werror", "", self.commands[str(self.folder / file)])
        command = f"{command.split('ccache ')[-1]} -w -fsyntax-only -fmax-errors=0"
        while changes:
            (self.folder / file).write_text(rewrite((SOURCES / file).read_bytes(), changes))
            done = subprocess.run(command, cwd=self.build_folder, shell=True, capture_output=True,
                                  text=True)
            if done.returncode == 0:
                return changes
            # Line 1 declares the switch.
            wrong = {int(line) - 1 for line in re.findall(
                rf"{re.escape(Path(file).name)}:(\d+):\d+: (?:error|note|  required)", done.stderr)}
            left = [one for one in changes if one[1].line not in wrong]
            if len(left) == len(changes):  # the error is in a later line of a change
                left = [one for one in changes
                        if not any(one[1].line < line <= one[1].last_line for line in wrong)]
            if len(left) == len(changes):
                sys.exit(f"{file}: {done.stderr[-2000:]}")
            changes = left
        (self.folder / file).write_text((SOURCES / file).read_text())
        return changes

    def build(self) -> None:
        judge = self.folder / "checker/judge.cc"
        judge.write_text(judge.read_text() + READ_SWITCH)
        self.run("cmake", "--build", "build", "-j", str(self.jobs), "--target", "checker_test",
                 "linear_test")

    def noticed_by(self, number: int, change: Change) -> str | None:
        name = "linear_test" if change.file.startswith("checker/linear/") else "checker_test"
        program = next(self.build_folder.rglob(name))
        return failing_test(program, quick=False, DOUBLEHOLD_MUTANT=str(number))


def sources_of_checkers() -> list[str]:
    lists = (SOURCES / "checker/CMakeLists.txt").read_text()
    names = re.search(r"add_library\(doublehold_checker\s([^)]*)\)", lists)[1].split()
    return [f"checker/{name}" for name in names]


def equal_ones() -> dict[str, str]:
    """Changes that change nothing, each with the reason."""
    file = Path(__file__).with_name("equal.toml")
    rows = tomllib.loads(file.read_text())["equal"] if file.exists() else []
    return {row["change"]: row["because"] for row in rows}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scratch", type=Path, metavar="SCRATCH_FOLDER")
    parser.add_argument("--draw", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    Config.set_library_file("libclang-16.so.1")
    copy = Copy(options.scratch.resolve(), options.jobs)
    arguments = arguments_of(copy.build_folder)
    found = [change for file in sources_of_checkers() if options.only in file
             for change in sorted(set(Finder(file, arguments).changes()))]
    equal = equal_ones()
    unequal = [change for change in found if change.name() not in equal]
    drawn = sorted(unequal, key=lambda change: change.rank(options.seed))[:options.draw]
    of_file: dict[str, list[tuple[int, Change]]] = {}
    for number, change in enumerate(drawn, 1):
        of_file.setdefault(change.file, []).append((number, change))
    with ThreadPoolExecutor(options.jobs) as pool:
        written = [one for many in pool.map(lambda item: copy.write(*item), of_file.items())
                   for one in many]
    print(f"{len(found)} changes are possible, {len(found) - len(unequal)} of them equivalent; "
          f"{len(written)} of {len(drawn)} drawn compile", flush=True)
    copy.build()
    if broken := copy.noticed_by(0, drawn[0]):
        sys.exit(f"{broken} fails without any change")
    begun, noticed = time.monotonic(), 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for (number, change), by in zip(written, pool.map(lambda one: copy.noticed_by(*one),
                                                          written)):
            noticed += by is not None
            if by is None:
                print(f"NOT NOTICED {change}", flush=True)
    percent = 100 * noticed / max(len(written), 1)
    print(f"{noticed} of {len(written)} noticed, {percent:.1f} %, in "
          f"{time.monotonic() - begun:.0f} s")
    return 0 if percent >= LEAST_PERCENT else 1


if __name__ == "__main__":
    sys.exit(main())
