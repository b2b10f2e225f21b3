#!/usr/bin/env python3
"""Judges stored runs with two builds, and lists each claim whose outcome changed.

usage: checker/judge_diff.py OLD_PROGRAM NEW_PROGRAM FOLDER...

Judges every history.bin and history.jsonl below the folders, for example the runs of all suites.
Exits with 1 if an outcome changed from or to `violated`, and with 2 if a program failed.
"""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def judge(program: str, history: Path) -> dict[str, tuple[str, str]]:
    """Returns the outcome and the reason of each claim; {"program": ...} if the program failed."""
    done = subprocess.run([program, "check", str(history), "--json"], capture_output=True, text=True)
    try:
        claims = json.loads(done.stdout)["claims"]
    except (json.JSONDecodeError, KeyError):
        return {"program": ("failed", done.stderr.strip())}
    return {claim["claim"]: (claim["outcome"], claim["reason"]) for claim in claims}


def main() -> int:
    if len(sys.argv) < 4:
        print(__doc__.strip(), file=sys.stderr)
        return 3
    old_program, new_program = sys.argv[1:3]
    histories = sorted(
        file for folder in sys.argv[3:] for name in ("history.bin", "*.jsonl")
        for file in Path(folder).rglob(name) if file.name != "frames.jsonl"
        and (file.name != "history.jsonl" or not file.with_name("history.bin").exists()))
    with ThreadPoolExecutor(2) as pool:
        old = pool.map(lambda file: judge(old_program, file), histories)
        new = pool.map(lambda file: judge(new_program, file), histories)
        verdicts = list(zip(histories, old, new, strict=True))
    status = changed = 0
    for file, before, after in verdicts:
        for claim in sorted(before.keys() | after.keys()):
            was, old_reason = before.get(claim, ("not judged", ""))
            now, new_reason = after.get(claim, ("not judged", ""))
            if was == now and now != "failed":
                continue
            changed += 1
            status = max(status, 2 if "failed" in (was, now) else int("violated" in (was, now)))
            print(f"{file}\n  {claim}: {was} -> {now}\n    {old_reason}\n    {new_reason}")
    print(f"{changed} outcomes changed in {len(histories)} histories")
    return status


if __name__ == "__main__":
    sys.exit(main())
