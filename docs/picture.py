#!/usr/bin/python3
"""Draws the README's picture from a run: the first incident, as the report shows it.

    build/doublehold run compose/testdata/known/k14.toml
    docs/picture.py runs/k14/latest docs/double-hold.png
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "reports"))

from figures_zoom import closeup_of, zoom  # noqa: E402
from incidents import incidents_of  # noqa: E402
from page import recording_of  # noqa: E402
from reading import Run, read_folder  # noqa: E402

DOTS_PER_INCH = 130


def main() -> int:
    run = read_folder(Path(sys.argv[1]))
    if not isinstance(run, Run):
        sys.exit(f"{sys.argv[1]}: not the folder of a run")
    recording, _ = recording_of(run.folder, run.verdict)
    incidents = incidents_of([v for claim in run.verdict.claims for v in claim.violations])
    figure = zoom(closeup_of(recording, run.verdict, incidents[0]))
    figure.savefig(sys.argv[2], dpi=DOTS_PER_INCH, facecolor="white")
    return 0


if __name__ == "__main__":
    sys.exit(main())
