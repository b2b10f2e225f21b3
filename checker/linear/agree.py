#!/usr/bin/env python3
"""Compares `doublehold check --model` with the test data of Knossos and Porcupine.

    checker/linear/agree.py [--knossos CHECKOUT] [--porcupine CHECKOUT] [--program build/doublehold]

Each CHECKOUT is a checkout of that project. Its files are read and never copied. The expected
outcomes come from the projects:
- Knossos: the folder of the file (`good`, `bad`);
- Porcupine: the table in porcupine_test.go, and the file names (`-ok`, `-bad`).
`doublehold check` gets no option except the model.

Prints each file whose outcome differs, and the number of files by outcome. An outcome `unknown` or
`refused` differs but does not contradict; docs/histories.md explains both. Exit status: 0 if no
outcome contradicts, 1 if an outcome contradicts, 3 if there are no files.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

OUTCOMES = {0: "valid", 1: "violated", 2: "unknown", 3: "refused"}


@dataclass(frozen=True)
class TestFile:
    file: Path
    model: str
    expected: str


def find_knossos_files(checkout: Path) -> list[TestFile]:
    return [TestFile(file, model, "valid" if quality == "good" else "violated")
            for model in ("cas-register", "mutex") for quality in ("good", "bad")
            for file in sorted((checkout / "data" / model / quality).glob("*.edn"))]


def find_porcupine_files(checkout: Path) -> list[TestFile]:
    table = (checkout / "porcupine_test.go").read_text()
    logs = checkout / "test_data"
    files = [TestFile(logs / "jepsen" / f"etcd_{int(number):03}.log", "cas-register",
                      "valid" if expected == "true" else "violated")
             for number, expected in re.findall(r"checkJepsen\(t, (\d+), (true|false)\)", table)]
    return files + [
        TestFile(file, "key-value", "valid" if file.stem.endswith("-ok") else "violated")
        for file in sorted((logs / "kv").glob("*.txt"))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--knossos", type=Path)
    parser.add_argument("--porcupine", type=Path)
    parser.add_argument("--program", default="build/doublehold")
    options = parser.parse_args()
    contradictions = compared = 0
    for name, folder, find in (("Knossos", options.knossos, find_knossos_files),
                               ("Porcupine", options.porcupine, find_porcupine_files)):
        files = find(folder) if folder else []
        sums: dict[str, int] = {}
        for one in files:
            done = subprocess.run([options.program, "check", str(one.file), "--model", one.model],
                                  capture_output=True, text=True, check=False)
            outcome = OUTCOMES.get(done.returncode, f"exit status {done.returncode}")
            agrees = outcome == one.expected
            sums["agree" if agrees else outcome] = sums.get("agree" if agrees else outcome, 0) + 1
            if agrees:
                continue
            contradictions += outcome not in ("unknown", "refused")
            reason = (done.stdout.strip() or done.stderr.strip()).splitlines() or [""]
            print(f"{one.file}: {outcome}, but {name} expects {one.expected}: {reason[-2:][0]}")
        compared += len(files)
        if files:
            print(f"{name}: {len(files)} files: "
                  + ", ".join(f"{count} {what}" for what, count in sorted(sums.items())))
    if compared == 0:
        print("agree.py: no files: give --knossos or --porcupine", file=sys.stderr)
        return 3
    return 1 if contradictions else 0


if __name__ == "__main__":
    sys.exit(main())
