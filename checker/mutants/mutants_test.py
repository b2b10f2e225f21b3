"""Tests that each defect can be applied."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import run

HERE = Path(__file__).resolve().parent

ROW = """
[[mutant]]
defect = "{words}"
file = "checker/a.cc"
text = '{text}'
with = 'b'
"""


class Defects(unittest.TestCase):
    def test_each_defect_can_be_applied(self) -> None:
        mutants = run.mutants_of()
        run.check(mutants)
        self.assertGreaterEqual(len(mutants), 40)


class Check(unittest.TestCase):
    """Runs `run.py --check` in a small source tree."""

    def check(self, source: str, *rows: str) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "checker/mutants"
            folder.mkdir(parents=True)
            shutil.copy(HERE / "run.py", folder)
            (folder.parent / "a.cc").write_text(source)
            (folder / "defects.toml").write_text("".join(rows))
            command = [sys.executable, "-B", folder / "run.py", "--check"]
            done = subprocess.run(command, capture_output=True, text=True)
            return done.returncode, (done.stdout + done.stderr).strip()

    def test_a_text_must_occur_exactly_once(self) -> None:
        row = ROW.format(words="it is wrong", text="x > 1")
        error = "mutants: checker/a.cc: 'it is wrong': its text occurs {} times, not once"
        for source, status, said in [
            ("if (x > 1) y();", 0, "1 defects can be applied"),
            ("if (x > 2) y();", 3, error.format(0)),
            ("if (x > 1) y(x > 1);", 3, error.format(2)),
        ]:
            self.assertEqual(self.check(source, row), (status, said))

    def test_a_defect_changes_its_file_and_has_unique_words(self) -> None:
        row = ROW.format(words="it is wrong", text="b")
        error = "mutants: checker/a.cc: 'it is wrong': the replacement equals the text"
        self.assertEqual(self.check("b", row), (3, error))
        row = ROW.format(words="it is wrong", text="a")
        error = "mutants: checker/a.cc: 'it is wrong': another defect has the same words"
        self.assertEqual(self.check("a", row, row), (3, error))
        error = ("mutants: defects.toml: 'it is wrong': "
                 "a mutant has exactly file, text, with and defect")
        self.assertEqual(self.check("a", row.replace("with", "wiht")), (3, error))

    def test_a_missing_file_is_named(self) -> None:
        row = ROW.format(words="it is wrong", text="a").replace("a.cc", "gone.cc")
        self.assertEqual(self.check("a", row),
                         (3, "mutants: checker/gone.cc: 'it is wrong': No such file or directory"))


if __name__ == "__main__":
    unittest.main()
