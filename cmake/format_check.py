#!/usr/bin/env python3
"""Says which C++ files clang-format would change; exits with 1 if it would change one.

    cmake/format_check.py STAMP_FILE

STAMP_FILE remembers which contents were right, so that only changed files are checked.
"""

import hashlib
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
FORMAT = "clang-format-14"


def main() -> int:
    stamp = Path(sys.argv[1])
    right = set(stamp.read_text().split()) if stamp.exists() else set()
    names = subprocess.run(["git", "ls-files", "*.cc", "*.h", "*.c"], cwd=TOP, capture_output=True,
                           text=True, check=True).stdout.split()
    style = (TOP / ".clang-format").read_bytes()
    digests = {name: hashlib.sha256(style + (TOP / name).read_bytes()).hexdigest()
               for name in names if (TOP / name).exists()}
    changed = [name for name, digest in digests.items() if digest not in right]
    wrong = set()
    if changed:
        done = subprocess.run([FORMAT, "--dry-run", *changed], cwd=TOP, capture_output=True,
                              text=True)
        wrong = {name for name in changed if f"{name}:" in done.stderr}
        if done.returncode != 0:
            sys.exit(done.stderr)
    for name in sorted(wrong):
        print(f"{name}: `make format` would change it")
    stamp.write_text("\n".join(digest for name, digest in digests.items() if name not in wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
