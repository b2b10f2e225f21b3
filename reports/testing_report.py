"""Runs the reports' command line on made-up folders, for tests."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from report import main


class ReportFixture(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def report(self, *arguments: str) -> tuple[int, str, str]:
        """Returns exit status, standard output and standard error."""
        out, err = io.StringIO(), io.StringIO()
        with (contextlib.chdir(self.folder), contextlib.redirect_stdout(out),
              contextlib.redirect_stderr(err)):
            try:
                status = main([*arguments])
            except SystemExit as wrong_command_line:
                status = int(wrong_command_line.code or 0)
        return status, out.getvalue(), err.getvalue()

    def page(self, *arguments: str) -> str:
        status, out, err = self.report(*arguments)
        self.assertEqual((status, err), (0, ""))
        return Path(self.folder, out.removesuffix("\n")).read_text()

    def refused(self, *arguments: str, says: str) -> None:
        before = sorted(self.folder.rglob("*"))
        status, out, err = self.report(*arguments)
        self.assertEqual((status, out), (3, ""), err)
        self.assertEqual(err.count("\n"), 1, err)
        self.assertIn(says, err)
        self.assertEqual(sorted(self.folder.rglob("*")), before, "a refused command wrote files")
