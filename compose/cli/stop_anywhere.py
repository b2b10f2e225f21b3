#!/usr/bin/env python3
"""Stops commands at random times by Ctrl-C and by kill -9, and checks what is left.

    compose/cli/stop_anywhere.py PROGRAM [--times 40] [--only run,suite,...] [--seed 1]

After each stop:
- no process of the command is running, and its folder for temporary files is empty;
- a run that was killed has a history and a verdict, which say that it was cut short;
- each JSON file is whole, and no file is half-written (*.part); kill -9 may leave one of those;
- Ctrl-C ends with a documented exit status, and never with a run that was cut short as valid;
- a suite resumes, and keeps each verdict that was there; the other results can be reported, or the
  report says in one line what is missing;
- a page is whole, or is not there.
Prints a line for each command and signal. Exit status: 0 all as it should be, else 1.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE_S = 60  # much longer than any wait that passes
MARK = "DOUBLEHOLD_STOPPED_ANYWHERE"  # in the environment of all processes of a command
KILLED = "its supervisor was killed"  # in a warning of a run that was cut short by kill -9
SUITE = """
[experiment]
lock.name = "set-nx-px"
workload.duration = "500ms"
workload.clients = 2
expect.stock = "any"
[[cell]]
row = "a"
column = ["1", "2", "3", "4"]
"""


class Wrong(Exception):
    """Something is not as it should be after a stop."""


@dataclass
class Command:
    words: Callable[[Path], list[str]]  # for the folder of its results
    longest_s: float  # it is stopped within this time
    check: Callable[["Trial"], None]
    before: tuple[str, ...] = ()  # an earlier command, whose results go into the same folder


class Trial:
    """One command that is stopped once, in folders of its own."""

    def __init__(self, program: str, command: Command, home: Path) -> None:
        self.program, self.command, self.home = program, command, home
        self.out, self.temporary = home / "out", home / "tmp"
        self.temporary.mkdir()
        (home / "four.toml").write_text(SUITE)
        self.mark = f"{MARK}={home}"
        self.status, self.stderr = 0, ""

    def stop(self, number: int, after_s: float) -> None:
        if self.command.before:
            self.run(*self.command.before, "--into", str(self.out))
        child = self.start(self.command.words(self.out))
        try:
            child.wait(after_s)
        except subprocess.TimeoutExpired:
            child.send_signal(number)
        _, self.stderr = child.communicate(timeout=PATIENCE_S)
        self.status = child.returncode
        wait_until(lambda: not self.processes(), "processes are left: {}", self.processes)
        wait_until(lambda: not self.left(), "temporary files are left: {}", self.left)
        if number == signal.SIGINT:
            self.check_ctrl_c()
        for file in self.files("*.json"):
            try:
                json.loads(file.read_text())
            except ValueError as error:
                raise Wrong(f"{file.relative_to(self.out)} is not whole: {error}") from None

    def check_ctrl_c(self) -> None:
        # A command with an earlier one reads its results, and can say nothing before it has begun.
        reads = bool(self.command.before)
        too_early = self.status == -signal.SIGINT and (reads or not self.out.exists())
        if self.status not in (0, 1, 2) and not too_early:
            raise Wrong(f"exit status {self.status}: {self.stderr.strip()}")
        if parts := self.files("*.part"):
            raise Wrong(f"half-written: {parts}")
        for file in self.files("verdict.json"):
            verdict = json.loads(file.read_text())
            # It may have been interrupted after its clients had ended.
            was_cut = not is_whole(verdict) and verdict["environment"].get("interrupted", False)
            if was_cut and verdict["overall"] == "valid":
                raise Wrong(f"{file.relative_to(self.out)} is valid, and was interrupted")

    def start(self, words: list[str], stdout: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
        name, _, value = self.mark.partition("=")
        environment = {**os.environ, "TMPDIR": str(self.temporary), name: value}
        return subprocess.Popen([self.program, *words], env=environment, cwd=self.home, text=True,
                                stdin=subprocess.DEVNULL, stdout=stdout,
                                stderr=subprocess.PIPE)

    def run(self, *words: str) -> tuple[int, str, str]:
        child = self.start(list(words), stdout=subprocess.PIPE)
        out, err = child.communicate(timeout=5 * PATIENCE_S)
        return child.returncode, out, err

    def report(self, folder: Path) -> None:
        """Requires a report, or one line that says why there is none."""
        status, _, err = self.run("report", str(folder))
        is_written = (folder / "report.html").exists()
        if status == 0 and is_written or status == 3 and not is_written and err.count("\n") == 1:
            return
        raise Wrong(f"report: exit status {status}: {err.strip()}")

    def files(self, name: str) -> list[Path]:
        return sorted(self.out.rglob(name)) if self.out.exists() else []

    def left(self) -> list[str]:
        return sorted(entry.name for entry in self.temporary.iterdir())

    def processes(self) -> list[str]:
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(f"{folder.name} {(folder / 'comm').read_text().strip()}")
            except OSError:
                continue
        return found


def wait_until(condition: Callable[[], bool], wrong: str, state: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise Wrong(wrong.format(state()))
        time.sleep(0.05)


def check_run(trial: Trial) -> None:
    file = trial.out / "verdict.json"
    # The janitor is started before the folder `clients` is made.
    was_killed = trial.status == -signal.SIGKILL and (trial.out / "clients").exists()
    if not file.exists() and not was_killed:
        return
    trial.report(trial.out)
    status, out, err = trial.run("check", "--json", str(trial.out))
    if status not in (0, 1, 2):
        raise Wrong(f"check: exit status {status}: {err.strip()}")
    # A run that was killed while it was judged has a whole history, but perhaps no verdict.
    was_cut = any(KILLED in warning for warning in json.loads(out)["warnings"])
    if was_killed and was_cut != (file.exists() and was_interrupted(file)):
        raise Wrong("check and verdict.json disagree whether the run was cut short")
    if was_killed and not was_cut and not is_whole(json.loads(out)):
        raise Wrong("check does not say that the run was cut short")


def check_search(trial: Trial) -> None:
    """Reports the folder of a sweep, of an exploration or of a comparison."""
    for name in ("sweep.json", "explore.json", "suite.json"):
        for file in trial.files(name):
            trial.report(file.parent)
            result = json.loads(file.read_text())
            missing = [cell for cell in result.get("cells", []) if cell.get("letters") == ""]
            if missing and not result["interrupted"]:
                raise Wrong(f"{name} does not say that runs are missing")


def check_suite(trial: Trial) -> None:
    if not trial.files("suite.json"):
        return
    before = {file: hashlib.sha256(file.read_bytes()).hexdigest()
              for file in trial.files("verdict.json") if not was_interrupted(file)}
    trial.report(trial.out)
    status, _, err = trial.run("suite", "four.toml", "--resume", str(trial.out))
    suite = json.loads((trial.out / "suite.json").read_text())
    if status != 0 or suite["interrupted"] or len(suite["cells"]) != 4:
        raise Wrong(f"--resume: exit status {status}, {len(suite['cells'])} cells: {err.strip()}")
    for file, digest in before.items():
        if hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            raise Wrong(f"--resume ran {file.relative_to(trial.out)} again")


def check_page(trial: Trial) -> None:
    for file in trial.files("*.html"):
        if not file.read_text().rstrip().endswith("</html>"):
            raise Wrong(f"{file.relative_to(trial.out)} is not whole")
    trial.report(trial.out)


def is_whole(verdict: dict[str, Any]) -> bool:
    """Whether the clients worked to the end."""
    return bool(1e9 * verdict["seconds"] >= 0.9 * verdict["duration_ns"])


def was_interrupted(file: Path) -> bool:
    return bool(json.loads(file.read_text())["environment"].get("interrupted"))


RUN_BEFORE = "run", "--lock", "set-nx-px", "--duration", "500ms", "--faults", "none"
COMMANDS = {
    "run": Command(lambda out: ["run", "--lock", "redlock", "--faults", "pause", "--clients", "2",
                                "--duration", "2s", "--into", str(out)], 5, check_run),
    "sweep": Command(lambda out: ["sweep", "--lock", "set-nx-px", "--faults", "pause,crash",
                                  "--jobs", "2", "--out", str(out)], 15, check_search),
    "explore": Command(lambda out: ["explore", "--all", "--depth", "2", "--into", str(out)],
                       15, check_search),
    "suite": Command(lambda out: ["suite", "four.toml", "--into", str(out)], 6, check_suite),
    "compare": Command(lambda out: ["compare", "--locks", "set-nx-px,redlock", "--faults", "pause",
                                    "--budget", "8s", "--out", str(out)], 12, check_search),
    "report": Command(lambda out: ["report", str(out)], 2, check_page, RUN_BEFORE),
    "serve": Command(lambda out: ["serve", str(out), "--port", "0"], 2, check_page, RUN_BEFORE),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--times", type=int, default=40, help="stops of each command and signal")
    parser.add_argument("--only", default=",".join(COMMANDS))
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    # In the background of a shell, SIGINT is ignored, and the commands would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    program, draw, wrongs = str(Path(asked.program).resolve()), random.Random(asked.seed), 0
    for name in asked.only.split(","):
        for number in (signal.SIGINT, signal.SIGKILL):
            found: dict[str, int] = {}
            for _ in range(asked.times):
                after_s = draw.uniform(0, COMMANDS[name].longest_s)
                home = Path(tempfile.mkdtemp(prefix="stopped-"))
                try:
                    trial = Trial(program, COMMANDS[name], home)
                    trial.stop(number, after_s)
                    COMMANDS[name].check(trial)
                except (Wrong, subprocess.TimeoutExpired) as error:
                    why = f"after {after_s:.2f} s: {error}"
                    found[why] = found.get(why, 0) + 1
                finally:
                    shutil.rmtree(home, ignore_errors=True)
            wrongs += sum(found.values())
            print(f"{name}, {number.name}: {asked.times} stops, {sum(found.values())} wrong",
                  *found, sep="\n  ", flush=True)
    return 1 if wrongs else 0


if __name__ == "__main__":
    sys.exit(main())
