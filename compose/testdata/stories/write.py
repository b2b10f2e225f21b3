#!/usr/bin/env python3
"""Writes these stories anew, with the program that is given: `$` and its words, then what it prints.

    compose/testdata/stories/write.py build/doublehold            # look at the difference before you commit it

They were written by a program that GCC compiled. `compose/replay/same_story_test.cc` asks the program of its own build for them, so
that the tests of a Clang build (cmake --preset clang) compare the two.
"""
import re
import subprocess
import sys
from pathlib import Path

SEARCHES = {
    "set-nx-px": "--clients 3 --depth 1",
    "setnx-getset": "--depth 2 --seed 7 --faults client-clock,client-fast,pause",
    "set-nx-px-del": "--clients 3 --strategy random --depth 3 --delay-bound 1 --budget 1000",
    "redisson-fair": "--clients 3 --strategy random --depth 2 --budget 1000",
    "fenced": "--strategy pct --depth 3 --delay-bound 2 --budget 1000",
    "redlock": "--delay-bound 1 --faults node-clock,restart-empty,pause",
    "watch": "--clients 3 --faults drop-reply",
    "set-nx-px-reentrant": "--topology replicated --nodes 1 --depth 2 --faults failover,cut-replication",
}


def run(program: str, words: list[str]) -> str:
    printed = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    if printed.returncode > 2:
        sys.exit(printed.stderr)
    return "".join(line for line in printed.stdout.splitlines(True) if not line.startswith('  "seconds"'))


def main() -> None:
    program = sys.argv[1]
    for lock, options in SEARCHES.items():
        search = ["explore", "--lock", lock, *options.split(), "--json"]
        found = run(program, search)
        blocks = [(search, found)]
        for replay in dict.fromkeys(re.findall(r'"replay": "(.*)"', found)):
            words = ["replay", replay]
            blocks.append((words, run(program, words)))
        text = "".join("$ " + "\t".join(words) + "\n" + printed for words, printed in blocks)
        (Path(__file__).parent / f"{lock}.txt").write_text(text)


if __name__ == "__main__":
    main()
