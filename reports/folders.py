"""Detects whether a folder is a run, suite, sweep or exploration, and reads it. Also reads a file
that has the history of a run."""

import atexit
import json
import shutil
import stat
import tempfile
from pathlib import Path

from event_lines import run_program
from exploration import Exploration, read_exploration
from parsing import BadInput, read_json, shown
from reading import Run, Suite, Sweep, read_suite, read_verdict
from sweeps import read_swept


def read_folder(folder: Path) -> Run | Suite | Sweep | Exploration:
    try:
        mode = folder.stat().st_mode
    except FileNotFoundError:
        raise BadInput(f"{shown(folder)}: no such folder") from None
    except OSError as error:
        raise BadInput(f"{shown(folder)}: {error.strerror}") from None
    if stat.S_ISREG(mode):
        return read_file(folder)
    if not stat.S_ISDIR(mode):
        raise BadInput(f"{shown(folder)}: is not a folder")
    if (folder / "sweep.json").exists():
        return Sweep(read_suite(folder), *read_swept(folder))
    if (folder / "suite.json").exists():
        return read_suite(folder)
    if (folder / "explore.json").exists():
        return read_exploration(folder)
    if (folder / "verdict.json").exists():
        # The page shows a command that runs plan.json again, so plan.json must be valid JSON.
        read_json(folder / "plan.json")
        return Run(folder, read_verdict(folder / "verdict.json"))
    if (folder / "latest").is_dir():
        raise BadInput(f"{folder}: contains several runs; name one of them, or {folder / 'latest'}")
    if any((folder / name).exists() for name in ("plan.json", "history.jsonl", "history.bin")):
        raise BadInput(f"{folder / 'verdict.json'}: no such file; was the run stopped early?")
    latest = sorted((link for link in folder.glob("*/latest") if link.is_dir()),
                    key=lambda link: link.stat().st_mtime)
    hint = f"; try {latest[-1]}" if latest else ""
    raise BadInput(f"{folder}: neither a run (verdict.json), a suite (suite.json), a sweep "
                   f"(sweep.json) nor an exploration (explore.json){hint}")


def read_file(file: Path) -> Run:
    """Judges a history file, and reads it as a folder without a plan."""
    folder = Path(tempfile.mkdtemp(prefix="doublehold-report-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    # The exit status of the verdict is no failure: 1 (violated), 2 (unknown).
    verdict = json.loads(run_program(["check", str(file), "--json"], most=2))
    (folder / "verdict.json").write_text(json.dumps({**verdict, "environment": {}}))
    (folder / "history.jsonl").write_bytes(
        run_program(["export", str(file), "--format", "jsonl"], most=0))
    return Run(folder, read_verdict(folder / "verdict.json"), file)
