"""Tests of the command line: bad input is refused in one line."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from sample import Toy, write_run, write_suite
from testing_report import ReportFixture

HERE = Path(__file__).parent


class BadInputTest(ReportFixture):
    def test_a_folder_without_a_run_or_suite_is_refused(self) -> None:
        (self.folder / "docs").mkdir()
        self.refused("docs", says="neither a run (verdict.json), a suite (suite.json), a sweep "
                                  "(sweep.json) nor an exploration (explore.json)")

    def test_a_run_without_verdict_is_refused(self) -> None:
        write_run(self.folder / "run", Toy())
        (self.folder / "run/verdict.json").unlink()
        self.refused("run", says="verdict.json: no such file")

    def test_a_run_without_history_is_refused(self) -> None:
        write_run(self.folder / "run", Toy())
        (self.folder / "run/history.jsonl").unlink()
        self.refused("run", says="history.jsonl: no such file")

    def test_an_invalid_line_of_frames_jsonl_is_reported_with_its_number(self) -> None:
        write_run(self.folder / "run", Toy())
        # Lines outside of the drawn windows are skipped by their first member, the time.
        good = '{"client":1,"time":5,"node":1,"direction":"request","command":"SET"}\n'
        for bad, says in (("{", "frames.jsonl:2: not JSON"),
                          ("[]", "frames.jsonl:2: not a JSON object"),
                          (good.replace("request", "r"), "'direction' is 'r', not one of")):
            (self.folder / "run/frames.jsonl").write_text(good + bad)
            self.refused("run", says=says)

    def test_a_history_truncated_anywhere_is_refused(self) -> None:
        write_run(self.folder / "run", Toy())
        file = self.folder / "run/history.jsonl"
        whole = file.read_bytes()
        at_a_line = whole[:whole.index(b"\n", len(whole) // 2) + 1]
        for cut in (b"", whole[:40], at_a_line, at_a_line + b'{"index"', whole[:-1]):
            with self.subTest(bytes=len(cut)):
                file.write_bytes(cut)
                self.refused("run", says="history.jsonl:")

    def test_a_history_with_a_missing_line_is_refused(self) -> None:
        write_run(self.folder / "run", Toy())
        file = self.folder / "run/history.jsonl"
        lines = file.read_text().splitlines(keepends=True)
        file.write_text("".join(lines[:20] + lines[21:]))
        self.refused("run", says="history.jsonl:21: out of order")

    def test_a_history_with_a_malformed_value_is_refused(self) -> None:
        write_run(self.folder / "run", Toy())
        file = self.folder / "run/history.jsonl"
        whole = file.read_text()
        for value in ('"soon"', "{}", "1e400"):
            with self.subTest(value):
                file.write_text(re.sub(r'"valid_until_ns": \d+', f'"valid_until_ns": {value}',
                                       whole, count=1))
                self.refused("run", says="not an event of a history")

    def test_a_history_of_another_run_is_refused(self) -> None:
        write_run(self.folder / "a", Toy())
        write_run(self.folder / "b", Toy(seed=8))
        (self.folder / "b/history.jsonl").replace(self.folder / "a/history.jsonl")
        self.refused("a", says="not of the same run")

    def test_a_malformed_verdict_is_refused(self) -> None:
        write_run(self.folder / "run", Toy(fault="pause"))
        file = self.folder / "run/verdict.json"
        good = json.loads(file.read_text())
        bad = [("[]", "not a JSON object"), ("{", "not JSON"), ("{}", "'stalls' is missing")]
        for change, says in (({"overall": "fine"}, "'overall' is 'fine', not one of"),
                             ({"seed": "7"}, "'seed' is not a whole number"),
                             ({"grants": True}, "'grants' is not a whole number"),
                             ({"claims": [{"claim": "stock"}]}, "claims[0]: 'outcome' is missing")):
            bad.append((json.dumps({**good, **change}), says))
        for text, says in bad:
            with self.subTest(says):
                file.write_text(text)
                self.refused("run", says=says)

    def test_a_malformed_suite_is_refused(self) -> None:
        write_suite(self.folder / "suite", repeat=1, rows=("none",), columns=("calm",))
        file = self.folder / "suite/suite.json"
        good = json.loads(file.read_text())
        cell = good["cells"][0]
        for text, says in (("{]", "not JSON"),
                           (json.dumps({**good, "rows": 3}), "'rows' is not a list"),
                           (json.dumps({**good, "columns": []}), "is no row or column"),
                           (json.dumps({**good, "cells": [{**cell, "rates": [{"claim": None}]}]}),
                            "rates[0]: 'unit' is missing"),
                           (json.dumps({**good, "cells": [{**cell, "until": {"answer": "yes"}}]}),
                            "until: 'answer' is 'yes', not one of")):
            with self.subTest(says):
                file.write_text(text)
                self.refused("suite", says=says)

    def test_a_suite_with_a_missing_run_is_refused(self) -> None:
        write_suite(self.folder / "suite", repeat=1, rows=("none",), columns=("calm",))
        (self.folder / "suite/cells/none-calm/1/verdict.json").unlink()
        self.refused("suite", says="cells/none-calm/1/verdict.json: no such file")

    def test_a_page_that_cannot_be_written_is_reported(self) -> None:
        write_run(self.folder / "run", Toy())
        self.refused("run", "-o", "nowhere/page.html", says="nowhere/page.html: cannot be written")

    def test_a_wrong_command_line_is_refused(self) -> None:
        self.refused(says="doublehold report: the following arguments are required: DIR "
                          "(usage: doublehold report DIR...")
        self.refused("run", "--colour", says="--colour")

    def test_a_missing_package_is_named(self) -> None:
        write_run(self.folder / "run", Toy())
        for module, package in (("matplotlib", "python3-matplotlib"), ("jinja2", "python3-jinja2")):
            hide = self.folder / "hide" / module
            hide.mkdir(parents=True)
            (hide / f"{module}.py").write_text(
                f"raise ModuleNotFoundError('hidden', name='{module}')")
            done = subprocess.run(
                [sys.executable, "-B", HERE / "report.py", "run"], text=True, capture_output=True,
                cwd=self.folder, env={**os.environ, "PYTHONPATH": str(hide)})
            self.assertEqual((done.returncode, done.stdout), (4, ""))
            self.assertIn(package, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)

