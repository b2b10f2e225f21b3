#!/usr/bin/env python3
"""Compares `doublehold check --model` with the test data of Knossos and Porcupine.

    checker/linear/agree.py [--knossos CHECKOUT] [--porcupine CHECKOUT] [--program build/doublehold]

Each argument is a checkout of that project; its files are read and never copied. The expected
outcome is the project's own: Knossos has it in the folder (`good`, `bad`), Porcupine in the table
of its porcupine_test.go and in the names (`-ok`, `-bad`). The only flag is the model.

Prints each file with another outcome, and the sums. Exits with 0 if no outcome contradicts: an
`unknown` and a refusal do not, and docs/histories.md explains them. Exits with 1 if one does, and
with 3 if there are no files.
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
class Known:
    file: Path
    model: str
    right: str


def of_knossos(checkout: Path) -> list[Known]:
    return [Known(file, model, "valid" if said == "good" else "violated")
            for model in ("cas-register", "mutex") for said in ("good", "bad")
            for file in sorted((checkout / "data" / model / said).glob("*.edn"))]


def of_porcupine(checkout: Path) -> list[Known]:
    table = (checkout / "porcupine_test.go").read_text()
    known = [Known(checkout / "test_data" / "jepsen" / f"etcd_{int(number):03}.log", "cas-register",
                   "valid" if right == "true" else "violated")
             for number, right in re.findall(r"checkJepsen\(t, (\d+), (true|false)\)", table)]
    return known + [Known(file, "key-value", "valid" if file.stem.endswith("-ok") else "violated")
                    for file in sorted((checkout / "test_data" / "kv").glob("*.txt"))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--knossos", type=Path)
    parser.add_argument("--porcupine", type=Path)
    parser.add_argument("--program", default="build/doublehold")
    asked = parser.parse_args()
    contradictions = looked_at = 0
    for name, folder, find in (("Knossos", asked.knossos, of_knossos),
                               ("Porcupine", asked.porcupine, of_porcupine)):
        known = find(folder) if folder else []
        sums: dict[str, int] = {}
        for one in known:
            done = subprocess.run([asked.program, "check", str(one.file), "--model", one.model],
                                  capture_output=True, text=True, check=False)
            outcome = OUTCOMES.get(done.returncode, f"exit status {done.returncode}")
            agrees = outcome == one.right
            sums["agree" if agrees else outcome] = sums.get("agree" if agrees else outcome, 0) + 1
            if agrees:
                continue
            contradictions += outcome not in ("unknown", "refused")
            why = (done.stdout.strip() or done.stderr.strip()).splitlines() or [""]
            print(f"{one.file}: {outcome}, and {name} says {one.right}: {why[-2:][0]}")
        looked_at += len(known)
        if known:
            print(f"{name}: {len(known)} files: "
                  + ", ".join(f"{count} {what}" for what, count in sorted(sums.items())))
    if looked_at == 0:
        print("agree.py: no files: give --knossos or --porcupine", file=sys.stderr)
        return 3
    return 1 if contradictions else 0


if __name__ == "__main__":
    sys.exit(main())
