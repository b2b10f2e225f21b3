#!/usr/bin/env python3
"""Writes the generated tables of a document anew, from the program itself.

    docs/generate.py PROGRAM DOCUMENT... [--check]

A table stands between `<!-- generated: ARGUMENTS -->` and `<!-- end of generated -->`, where ARGUMENTS are what the
program is called with. With --check nothing is written, and a table that is no longer true is an error.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"(<!-- generated: (.+?) -->\n).*?(<!-- end of generated -->)", re.DOTALL)


def regenerate(text: str, program: Path, root: Path) -> str:
    def table(match: re.Match[str]) -> str:
        done = subprocess.run([str(program), *match[2].split()], capture_output=True, text=True, cwd=root, check=True)
        return f"{match[1]}{done.stdout}{match[3]}"

    return BLOCK.sub(table, text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("documents", type=Path, nargs="+")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    root = Path(__file__).resolve().parent.parent
    stale = []
    for document in arguments.documents:
        before = document.read_text(encoding="utf-8")
        after = regenerate(before, arguments.program.resolve(), root)
        if before == after:
            continue
        stale.append(str(document))
        if not arguments.check:
            document.write_text(after, encoding="utf-8")
    if arguments.check and stale:
        print(f"{', '.join(stale)}: generated tables are out of date; run 'make readme'", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
