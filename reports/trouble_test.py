"""Tests of the command line: odd paths, a full disk, Ctrl-C, and a run without history.jsonl; and
pages of suites that were interrupted or changed."""

import errno
import json
import os
import signal
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path
from unittest import mock

from sample import Toy, write_run, write_suite
from testing_report import ReportFixture

HERE = Path(__file__).parent


class TroubleTest(ReportFixture):
    def test_an_unreadable_folder_is_refused(self) -> None:
        (self.folder / "loop").symlink_to("loop")
        for name, says in {"nowhere": "nowhere: no such folder",
                           "/dev/null": "/dev/null: is not a folder",
                           "loop": "loop: Too many levels of symbolic links",
                           "a\nb": "a\\nb: no such folder",
                           "x" * 100_000: "x... (100000 characters): File name too long"}.items():
            with self.subTest(name[:20]):
                self.refused(name, says=says)

    def test_a_full_disk_is_not_bad_input(self) -> None:
        write_run(self.folder / "run", Toy())
        full = OSError(errno.ENOSPC, "No space left on device")
        with mock.patch("report.write_whole", side_effect=full):
            status, out, err = self.report("run")
        self.assertEqual((status, out), (4, ""))
        self.assertIn("report.html: cannot be written (No space left on device)", err)

    def test_an_interrupted_export_says_that_the_page_was_written(self) -> None:
        write_run(self.folder / "run", Toy())
        with mock.patch("export.write_all", side_effect=KeyboardInterrupt):
            found = self.report("run", "--export", "out")
        self.assertEqual(found, (2, "", "doublehold report: interrupted; run/report.html was "
                                 "written, out is not complete\n"))
        self.assertTrue((self.folder / "run/report.html").exists())

    def test_only_a_regular_file_is_replaced(self) -> None:
        write_run(self.folder / "run", Toy())
        page = self.page("run")
        link, target, fifo = (self.folder / name for name in ("link", "target", "fifo"))
        link.symlink_to(target)
        target.write_text("old")
        os.mkfifo(fifo)
        reader = subprocess.Popen(["cat", fifo], stdout=subprocess.PIPE, text=True)
        self.addCleanup(reader.kill)
        for path in (link, fifo):
            self.assertEqual(self.report("run", "-o", path.name), (0, f"{path.name}\n", ""))
        self.assertTrue(link.is_symlink() and fifo.is_fifo())
        self.assertTrue(target.read_text() == page)
        self.assertTrue(reader.communicate(timeout=60)[0] == page)

    def test_the_page_of_an_interrupted_suite_says_how_many_runs_it_judges(self) -> None:
        write_suite(self.folder / "suite", repeat=2, rows=("none",), columns=("calm", "pause"))
        whole = self.page("suite")
        self.assertNotIn("was interrupted", whole)
        self.assertNotIn("cells not judged", whole)
        file = self.folder / "suite" / "suite.json"
        suite = json.loads(file.read_text())
        suite["interrupted"] = True
        suite["planned"] = [{"name": f"none/{x}", "row": "none"} for x in ("calm", "pause", "z")]
        del suite["cells"][0]["runs"][1:]
        file.write_text(json.dumps(suite))
        page = self.page("suite")
        self.assertIn("The suite was interrupted.</b> This page judges 3 runs of 6;", page)
        self.assertIn("; 1 of 3 cells not judged", page)
        self.assertNotIn("No violation seen with none", page)

    def test_the_page_of_a_suite_with_another_driver_says_so(self) -> None:
        write_suite(self.folder / "suite", repeat=1, rows=("none",), columns=("calm",))
        self.assertNotIn("command line changed this suite", self.page("suite"))
        file = self.folder / "suite" / "suite.json"
        file.write_text(json.dumps(json.loads(file.read_text())
                                   | {"changed": "the driver ./mine replaces redsync"}))
        self.assertIn("The command line changed this suite:</b> the driver ./mine replaces "
                      "redsync.", self.page("suite"))

    def test_a_fifo_that_nobody_reads_is_refused(self) -> None:
        write_run(self.folder / "run", Toy())
        os.mkfifo(self.folder / "fifo")
        self.assertEqual(self.report("run", "--svg", "fifo"), (
            3, "", "doublehold report: fifo: cannot be written (nobody reads this FIFO)\n"))

    def test_a_device_stays_and_its_error_is_reported(self) -> None:
        write_run(self.folder / "run", Toy())
        device = self.folder / "full"
        try:
            os.mknod(device, stat.S_IFCHR | 0o600, os.makedev(1, 7))
            device.open("wb").close()
        except OSError as error:
            self.skipTest(f"no device nodes here: {error}")
        self.assertEqual(self.report("run", "--svg", "full"), (
            4, "", "doublehold report: full: cannot be written (No space left on device)\n"))
        self.assertTrue(device.is_char_device())

    def test_a_page_on_stdout_is_all_that_is_printed(self) -> None:
        write_run(self.folder / "run", Toy())
        page = self.page("run")
        (self.folder / "stdout").symlink_to("/dev/stdout")  # so that a defect breaks this link alone
        with (self.folder / "out").open("w") as out:
            subprocess.run([sys.executable, "-B", HERE / "report.py", "run", "-o", "stdout"],
                           cwd=self.folder, stdout=out, check=True)
        self.assertTrue((self.folder / "out").read_text() == page)

    def test_an_interrupted_report_says_so_and_writes_no_page(self) -> None:
        write_run(self.folder / "run", Toy())
        history = self.folder / "run/history.jsonl"
        history.unlink()
        os.mkfifo(history)
        program = subprocess.Popen([sys.executable, "-B", HERE / "report.py", "run"],
                                   cwd=self.folder, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=partial(signal.signal, signal.SIGINT,
                                                      signal.SIG_DFL))
        with history.open("wb"):  # opening blocks until the program opens the FIFO
            program.send_signal(signal.SIGINT)
            _, err = program.communicate(timeout=60)
        self.assertEqual((program.returncode, err),
                         (2, "doublehold report: interrupted; no page was written\n"))
        self.assertFalse((self.folder / "run/report.html").exists())

    def test_a_run_with_only_a_binary_history_is_read_through_export(self) -> None:
        write_run(self.folder / "run", Toy())
        before = self.page("run", "-o", "before.html")
        kept = self.folder / "kept.jsonl"
        (self.folder / "run/history.jsonl").replace(kept)
        (self.folder / "run/history.bin").write_bytes(b"binary")
        program = self.folder / "doublehold"
        program.write_text(f'#!/bin/sh\n[ "$*" = "export run/history.bin --format jsonl" ] && '
                           f'exec cat {kept}\n')
        program.chmod(0o755)
        with mock.patch.dict(os.environ, {"DOUBLEHOLD_PROGRAM": str(program)}):
            self.assertTrue(before == self.page("run", "-o", "after.html"))
            program.write_text("#!/bin/sh\necho 'history.bin: truncated' >&2; exit 3\n")
            self.refused("run", says="history.bin: truncated")
        with mock.patch.dict(os.environ, {"DOUBLEHOLD_PROGRAM": "/nonexistent"}):
            self.refused("run", says="history.jsonl: no such file, and no doublehold program")
