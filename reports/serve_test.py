"""Tests of `doublehold serve`: what its pages show, and what it refuses."""

import fcntl
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock
from urllib.parse import quote

import web_server
from exploration_test import explored, search
from inventory import Inventory
from report_test import HOSTILE, Page
from run_list import list_page
from sample import Toy, write_run, write_suite

HERE = Path(__file__).parent
SECRET = "nobody-may-read-this"


class ServeTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)
        self.runs = self.top / "runs"
        self.runs.mkdir()
        self.port = 0

    def serve(self) -> None:
        server = web_server.open_server(self.runs, 0)
        self.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)

    def ask(self, path: str, method: str = "GET",
            host: str = "localhost") -> tuple[int, dict[str, str], str]:
        if not self.port:
            self.serve()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.addCleanup(connection.close)
        connection.request(method, path, headers={"Host": host})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()

    def page(self, path: str) -> Page:
        """Returns a page whose elements are closed and which loads nothing."""
        status, _, html = self.ask(path)
        self.assertEqual(status, 200, html[-2000:])
        page = Page(html)
        self.assertEqual(page.open, [])
        for link in page.followed:
            self.assertRegex(link, r"^(/(?!/)|#)", "a link leads to another machine")
        return page

    def links(self, path: str) -> list[str]:
        return [link for link in self.page(path).followed if link.startswith("/report/")]

    def write_each_kind(self) -> None:
        write_run(self.runs / "mine/20260102T030405Z-7", Toy(fault="pause"))
        write_run(self.runs / "calm", Toy(lock="fenced", seed=9))
        write_run(self.runs / "replayed", Toy(seed=8))
        (self.runs / "replayed/trace.json").write_text("{}")
        for name, fault in (("suite", "pause"), ("sweep", "network")):
            write_suite(self.runs / name, repeat=1, rows=("none",), columns=("calm", fault))
        (self.runs / "sweep/sweep.json").write_text(json.dumps(
            {"sweep": "sweep-redlock", "cells": [
                {"place": "none", "fault": "network", "letters": "h", "new": False,
                 "unheld_ns": 0}]}))
        (self.runs / "explored").mkdir()
        (self.runs / "explored/explore.json").write_text(
            json.dumps(explored([[search(1, ["stock"])]])))

    def test_the_list_shows_each_kind_with_its_verdict(self) -> None:
        self.write_each_kind()
        text = self.page("/").text
        for row in ("2 runs, 1 replay, 1 suite, 1 sweep and 1 exploration; 4 violated a claim",
                    "mine/ 20260102T030405Z-7 run set-nx-px pause ✕ violated : exclusion, stock "
                    "7 2026-01-02 03:04:05 2 s",
                    "calm run fenced none ✓ no violation 9", "replayed replay set-nx-px none ✓",
                    "suite runs suite none calm, pause ✕ violated : exclusion",
                    "sweep runs sweep redlock calm, network ✕ violated : exclusion",
                    "explored exploration some-lock fault-0 ✕ violated : stock"):
            self.assertIn(row, text)

    def test_only_what_has_expectations_can_be_not_as_expected(self) -> None:
        suite = self.runs / "suite/suite.json"
        write_suite(suite.parent, repeat=1, rows=("none",), columns=("calm", "pause"))
        found = json.loads(suite.read_text())
        runs = [run for cell in found["cells"] for run in cell["runs"]]
        for expects in (True, False):
            write_run(self.runs / f"run-{expects}", Toy(fault="pause", expected=expects))
            file = self.runs / f"run-{expects}/verdict.json"
            file.write_text(json.dumps(json.loads(file.read_text()) | {"as_expected": False}))
            for run in runs:
                run["as_expected"] = (run["overall"] == "valid") != expects
            suite.write_text(json.dumps(found))
            names = [link for link in self.links("/?verdict=not+as+expected")]
            self.assertEqual("/report/suite" in names, expects)
        self.assertEqual(names, ["/report/run-True"])

    def test_the_newest_is_first(self) -> None:
        for day in ("03", "01", "02"):
            write_run(self.runs / f"run/202601{day}T000000Z-1", Toy())
        self.assertEqual([link[-12:-10] for link in self.links("/")], ["03", "02", "01"])

    def test_a_filter_is_a_parameter_of_the_address(self) -> None:
        self.write_each_kind()
        for query, names in (("lock=fenced", ["calm"]), ("fault=network", ["sweep"]),
                             ("claim=stock&kind=exploration", ["explored"]),
                             ("verdict=valid&kind=run", ["calm"]), ("find=REPLAY", ["replayed"]),
                             ("find=mine+pause", ["mine/20260102T030405Z-7"]),
                             ("find=mine+crash", []), ("lock=%22%3E", [])):
            with self.subTest(query):
                self.assertEqual(self.links(f"/?{query}"), [f"/report/{name}" for name in names])

    def test_a_suite_of_which_no_run_has_ended_has_no_report(self) -> None:
        write_suite(self.runs / "suite", repeat=1, rows=("none",), columns=("calm",))
        file = self.runs / "suite/suite.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | {
            "interrupted": True, "planned": [{}], "until": None, "comparison": None, "cells": []}))
        status, _, html = self.ask("/report/suite")
        self.assertEqual(status, 422)
        self.assertIn("suite: no run of this suite has ended, so there is nothing to report", html)
        self.assertIn("0 of 1 cells done", self.page("/suite/suite").text)

    def test_a_report_is_made_on_demand_and_again_only_when_a_file_changes(self) -> None:
        write_run(self.runs / "run", Toy(fault="pause"))
        with mock.patch("web_server.render_page", wraps=web_server.render_page) as made:
            first, again = self.ask("/report/run"), self.ask("/report/run")
            self.assertEqual((first[0], first[2]), (200, again[2]))
            self.assertEqual(made.call_count, 1)
        file = self.runs / "run/verdict.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | {"warnings": ["a new one"]}))
        self.assertIn("a new one", Page(self.ask("/report/run")[2]).text)

    def test_two_chosen_runs_are_compared(self) -> None:
        for name, lock in (("a b", "set-nx-px"), ("c&d", "fenced")):
            write_run(self.runs / name, Toy(lock=lock, fault="pause"))
        chosen = "&".join(f"dir={quote(name)}" for name in ("a b", "c&d"))
        self.assertIn("2 runs compared", self.page(f"/compare?{chosen}").text)
        self.assertEqual(self.ask("/compare?dir=a+b")[0], 400)

    def test_a_stored_comparison_is_listed_and_its_scripts_cannot_read_other_pages(self) -> None:
        write_run(self.runs / "a", Toy())
        subprocess.run([sys.executable, "-B", HERE / "report.py", "a", "a", "-o", "both.html"],
                       cwd=self.runs, check=True, stdout=subprocess.DEVNULL)
        (self.runs / "other.html").write_text(SECRET)
        text = self.page("/").text
        self.assertIn("both.html comparison", text)
        self.assertNotIn("other.html", text)
        status, headers, _ = self.ask("/page/both.html")
        self.assertEqual(status, 200)
        self.assertIn("sandbox allow-scripts", headers["Content-Security-Policy"])
        for path in ("/page/other.html", "/page/a/verdict.json", "/page/a"):
            self.assertEqual(self.ask(path)[0], 404, path)

    def test_a_text_of_a_file_is_never_markup(self) -> None:
        write_run(self.runs / "<script>alert('x')<", Toy(
            lock=HOSTILE, fault="pause", hostile=HOSTILE, experiment=HOSTILE))
        write_run(self.runs / 'a"b\n', Toy(lock=HOSTILE))
        (self.runs / 'a"b\n/verdict.json').write_text(json.dumps({"claims": HOSTILE}))
        os.mkdir(os.fsencode(self.runs) + b"/\xff")
        write_run(Path(os.fsdecode(os.fsencode(self.runs) + b"/\xff/run")), Toy())
        for path in ("/", f"/?find={quote(HOSTILE)}&lock={quote(HOSTILE)}",
                     f"/{quote(HOSTILE)}", f"/report/{quote(HOSTILE)}", "/report/%FF/run"):
            with self.subTest(path):
                html = self.ask(path)[2]
                self.assertNotIn("<script>alert", html)
                self.assertNotIn("<b>more", html)
        self.assertEqual(len(self.links("/")), 2)
        for link in self.links("/"):
            self.assertEqual(self.ask(link)[0], 200)

    def test_no_path_leads_out_of_the_folder(self) -> None:
        write_run(self.top / "secret", Toy(lock=SECRET))
        write_run(self.runs / "run", Toy())
        (self.runs / "out").symlink_to(self.top / "secret")
        (self.runs / "loop").symlink_to("loop")
        (self.runs / "in").symlink_to("run")
        absolute = str(self.top / "secret")
        for path in ("../secret", "run/../../secret", "%2e%2e/secret", "%2E%2E%2Fsecret",
                     "run/%2e%2e/%2e%2e/secret", "..%2fsecret", absolute, quote(absolute, safe=""),
                     "/" + absolute, "out", "out/", "loop", "./run", "run%00", "%252e%252e/secret"):
            for area in ("report", "suite", "events", "page"):
                with self.subTest(path, area=area):
                    status, _, text = self.ask(f"/{area}/{path}")
                    self.assertEqual(status, 404)
                    self.assertNotIn(SECRET, text)
        self.assertEqual(self.ask(f"/compare?dir=run&dir={quote('../secret')}")[0], 404)
        self.assertEqual(self.ask("/report/in")[0], 200, "this link stays in the folder")
        self.assertNotIn(SECRET, self.ask("/")[2])

    def test_no_file_of_a_run_leads_out_of_the_folder(self) -> None:
        write_run(self.top / "secret", Toy(lock=SECRET))
        for name in ("verdict.json", "history.jsonl", "plan.json"):
            write_run(self.runs / name, Toy())
            (self.runs / name / name).unlink()
            (self.runs / name / name).symlink_to(self.top / "secret" / name)
        write_suite(self.runs / "suite", repeat=1, rows=("none",), columns=("calm",))
        suite = json.loads((self.runs / "suite/suite.json").read_text())
        suite["cells"][0]["runs"][0]["dir"] = str(self.top / "secret")
        (self.runs / "suite/suite.json").write_text(json.dumps(suite))
        for name in ("verdict.json", "history.jsonl", "plan.json", "suite"):
            with self.subTest(name):
                status, _, text = self.ask(f"/report/{name}")
                self.assertEqual(status, 422)
                self.assertIn("leads out of the folder of runs", text)
                self.assertNotIn(SECRET, text)
        self.assertNotIn(SECRET, self.ask("/")[2])

    def test_only_get_and_head_are_answered(self) -> None:
        write_run(self.runs / "run", Toy())
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "FOO"):
            with self.subTest(method):
                status, headers, _ = self.ask("/", method)
                self.assertEqual((status, headers["Allow"]), (405, "GET, HEAD"))
        write_suite(self.runs / "suite", repeat=1, rows=("none",), columns=("calm",))
        for path in ("/", "/report/run", "/events/suite", "/nowhere"):
            with socket.create_connection(("127.0.0.1", self.port)) as connection:
                connection.sendall(f"HEAD {path} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
                answer = b"".join(iter(lambda: connection.recv(65536), b""))
            self.assertTrue(answer.endswith(b"\r\n\r\n"), path)

    def test_a_request_to_another_name_is_refused(self) -> None:
        for host, status in (("localhost", 200), ("127.0.0.1:80", 200), ("LOCALHOST:1", 200),
                             ("evil.example", 403), ("127.0.0.1.evil.example", 403), ("", 403),
                             ("localhost@evil.example", 403), ("localhost:80:evil", 403)):
            with self.subTest(host):
                self.assertEqual(self.ask("/", host=host)[0], status)

    def test_a_run_or_suite_itself_can_be_served(self) -> None:
        self.runs.rmdir()
        write_suite(self.runs, repeat=1, rows=("none",), columns=("calm", "pause"))
        self.assertIn("(this folder) runs suite none", self.page("/").text)
        self.assertIn("none-pause/ 1 run none pause ✕ violated", self.page("/suite/").text)
        self.assertEqual(self.ask("/report/")[0], 200)

    def test_a_damaged_run_is_a_row_that_says_so(self) -> None:
        for name in ("cut", "odd", "pipe", "begun"):
            write_run(self.runs / name, Toy())
        (self.runs / "cut/verdict.json").write_text('{"claims": [')
        (self.runs / "odd/verdict.json").write_text('{"claims": [{"outcome": "fine"}]}')
        (self.runs / "begun/verdict.json").unlink()
        (self.runs / "pipe/verdict.json").unlink()
        os.mkfifo(self.runs / "pipe/verdict.json")
        write_run(self.runs / "good", Toy())
        text = self.page("/").text
        self.assertLess(text.index("3 entries damaged"), text.index("cut run"))
        for row in ("cut run damaged cut/verdict.json: not JSON (",
                    "odd run damaged odd/verdict.json: claims[0]: 'outcome' is 'fine', not one of",
                    "pipe run damaged pipe/verdict.json: is not a file",
                    "begun run unfinished no verdict: still running, or stopped early"):
            self.assertIn(row, text)
        self.assertEqual(self.links("/"), ["/report/good"])
        for name in ("cut", "pipe", "begun"):
            status, _, html = self.ask(f"/report/{name}")
            self.assertEqual(status, 422)
            self.assertIn(f"{name}/verdict.json", html)

    def test_a_page_says_first_what_it_lacks(self) -> None:
        for i in range(3):
            write_run(self.runs / f"run-{i}", Toy())
        inventory = Inventory(self.runs)
        with mock.patch("run_list.SECONDS_OF_READING", -1.0), mock.patch("run_list.MOST_ROWS", 2):
            text = Page(list_page(inventory, "")).text
        for lack in ("3 entries not read yet", "The 1 oldest are not shown"):
            self.assertLess(text.index(lack), text.index("run-"))
        with mock.patch("inventory.MOST_FOLDERS", 2):
            self.assertIn("the search ended early", Page(list_page(inventory, "")).text)
        with mock.patch("inventory.os.scandir", side_effect=PermissionError):
            self.assertIn("1 folder cannot be read", Page(list_page(inventory, "")).text)

    def test_all_of_a_thousand_runs_are_listed_and_read_once(self) -> None:
        write_run(self.runs / "run-0", Toy())
        for i in range(1, 1000):
            shutil.copytree(self.runs / "run-0", self.runs / f"run-{i}")
        inventory = Inventory(self.runs)
        inventory.list(3600)
        with mock.patch("inventory.READERS", {}):
            links = [link for link in Page(list_page(inventory, "")).followed
                     if link.startswith("/report/")]
        self.assertEqual(set(links), {f"/report/run-{i}" for i in range(1000)})

    def test_a_running_suite_is_shown_as_its_runs_end(self) -> None:
        write_suite(self.runs / "suite", repeat=2, rows=("none",), columns=("calm", "pause"))
        file = self.runs / "suite/suite.json"
        whole = json.loads(file.read_text())
        whole |= {"interrupted": True, "planned": [{}, {}], "shard": None, "until": None}
        cells = whole["cells"]
        cells[1]["runs"].pop()  # the run with an error
        last, cells[1]["runs"] = cells[1]["runs"], []
        file.write_text(json.dumps({**whole, "cells": []}))
        shutil.move(self.runs / "suite/cells/none-pause", self.top / "pause")
        holder = os.open(self.runs / "suite", os.O_RDONLY)
        fcntl.flock(holder, fcntl.LOCK_EX)
        self.assertIn("running no run has ended yet", self.page("/").text)
        self.assertIn("0 of 2 cells done, 0 of 4 runs; time left not known yet",
                      self.page("/suite/suite").text)
        file.write_text(json.dumps(whole))
        self.assertIn("1 of 2 cells done, 2 of 4 runs; about 4 s left",
                      self.page("/suite/suite").text)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.addCleanup(connection.close)
        connection.request("GET", "/events/suite")
        events = connection.getresponse()
        self.assertEqual(events.headers["Content-Type"], "text/event-stream")
        self.assertIn("2 of 4 runs", self.event(events))
        shutil.move(self.top / "pause", self.runs / "suite/cells/none-pause")
        cells[1]["runs"] = last
        fresh = self.runs / "suite/fresh"
        fresh.write_text(json.dumps(whole))
        fresh.replace(file)
        said = self.event(events)
        self.assertIn("2 of 2 cells done, 4 of 4 runs", said)
        self.assertIn("none-pause/2", said)
        os.close(holder)
        self.assertIn("Stopped before its end", self.event(events))
        self.assertIn("event: end", self.event(events))
        self.assertIn("unfinished", self.page("/").text)

    def event(self, events: http.client.HTTPResponse) -> str:
        """Returns the next event that is no comment."""
        while True:
            lines = []
            while (line := events.readline().decode()) not in ("\n", ""):
                lines.append(line)
            if not lines or lines != [":\n"]:
                return "".join(lines)


class CommandLineTest(unittest.TestCase):
    def run_program(self, folder: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-B", HERE / "serve.py", *arguments], text=True,
                              capture_output=True, cwd=folder, timeout=60)

    def test_what_cannot_be_served_is_refused_in_one_line(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "file").touch()
            server = web_server.open_server(Path(folder), 0)
            port = str(server.server_address[1])
            for arguments, status, says in (
                    ([], 3, "doublehold serve: runs: no such folder"),
                    (["file"], 3, "doublehold serve: file: is not a folder"),
                    ([".", "--port", "65536"], 3, "--port 65536: must be from 0 to 65535"),
                    ([".", "--port", "x"], 3, "(usage: doublehold serve [RUNS] [--port PORT])"),
                    ([".", "--port", port], 4, f"--port {port}: Address already in use")):
                with self.subTest(says):
                    done = self.run_program(folder, *arguments)
                    self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
                    self.assertIn(says, done.stderr)
                    self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            server.server_close()

    def test_ctrl_c_ends_it_with_status_0(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = subprocess.Popen([sys.executable, "-B", HERE / "serve.py", folder],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            assert program.stdout
            self.assertRegex(program.stdout.readline(),
                             rf"^serving {folder} at http://127\.0\.0\.1:\d+/\n$")
            program.send_signal(signal.SIGINT)
            out, err = program.communicate(timeout=60)
            self.assertEqual((program.returncode, out, err), (0, "", ""))
