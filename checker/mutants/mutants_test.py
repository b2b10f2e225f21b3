"""The list of defects does not rot: each can be applied, and no part of the checkers is without one."""

import re
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
    def test_each_can_be_applied(self) -> None:
        mutants = run.mutants_of()
        run.check(mutants)
        self.assertGreaterEqual(len(mutants), 40)

    def test_every_source_of_the_checkers_has_one(self) -> None:
        lists = (run.SOURCES / "checker/CMakeLists.txt").read_text()
        sources = re.search(r"add_library\(doublehold_checker\s([^)]*)\)", lists)[1].split()
        self.assertGreater(len(sources), 40)
        broken = {mutant.file for mutant in run.mutants_of()}
        self.assertEqual([source for source in sources if f"checker/{source}" not in broken], [])


class Check(unittest.TestCase):
    """Of a tree of its own, as `run.py --check` sees it."""

    def check(self, source: str, *rows: str) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "checker/mutants"
            (folder / "defects").mkdir(parents=True)
            shutil.copy(HERE / "run.py", folder)
            (folder.parent / "a.cc").write_text(source)
            (folder / "defects/some.toml").write_text("".join(rows))
            done = subprocess.run([sys.executable, "-B", folder / "run.py", "--check"], capture_output=True, text=True)
            return done.returncode, (done.stdout + done.stderr).strip()

    def test_a_text_must_be_there_once(self) -> None:
        row = ROW.format(words="it is wrong", text="x > 1")
        for source, status, said in [
            ("if (x > 1) y();", 0, "1 defects can be applied"),
            ("if (x > 2) y();", 3, "mutants: checker/a.cc: 'it is wrong': its text occurs 0 times, not once"),
            ("if (x > 1) y(x > 1);", 3, "mutants: checker/a.cc: 'it is wrong': its text occurs 2 times, not once"),
        ]:
            self.assertEqual(self.check(source, row), (status, said))

    def test_a_defect_changes_something_and_has_words_of_its_own(self) -> None:
        row = ROW.format(words="it is wrong", text="b")
        self.assertEqual(self.check("b", row), (3, "mutants: checker/a.cc: 'it is wrong': it changes nothing"))
        row = ROW.format(words="it is wrong", text="a")
        self.assertEqual(self.check("a", row, row),
                         (3, "mutants: checker/a.cc: 'it is wrong': another has the same words"))
        self.assertEqual(self.check("a", row.replace("with", "wiht")),
                         (3, "mutants: some.toml: 'it is wrong': it needs file, text, with and defect alone"))

    def test_a_file_that_is_gone_is_named(self) -> None:
        row = ROW.format(words="it is wrong", text="a").replace("a.cc", "gone.cc")
        self.assertEqual(self.check("a", row),
                         (3, "mutants: checker/gone.cc: 'it is wrong': No such file or directory"))


if __name__ == "__main__":
    unittest.main()
