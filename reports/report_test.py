"""Tests of the command line on made-up folders: pages, and messages of one line."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

from folders import read_folder
from parsing import Node
from rates import read_rates
from reading import Run
from sample import Toy, write_run, write_suite
from testing_report import ReportFixture

HERE = Path(__file__).parent
HOSTILE = " <script>alert('x')</script> & <b>more</b>"
VOID = {"meta", "br", "link", "img", "input", "wbr"}


class Page(HTMLParser):
    """Collects the links of a page, and checks that every element is closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.followed: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attributes:
            if name in ("href", "src", "xlink:href", "data", "action", "srcset"):
                self.followed.append(value or "")
            if name == "id":
                self.ids.append(value or "")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


class ReportTest(ReportFixture):
    def assert_shows(self, text: str, *parts: str) -> None:
        for part in parts:
            self.assertTrue(part in text, f"missing: {part}")

    def assert_stands_alone(self, html: str) -> None:
        page = Page(html)
        self.assertEqual(page.open, [])
        self.assertEqual([link for link in page.followed if not link.startswith("#")], [])
        self.assertEqual(re.findall(r"https?:.{20}|@import|url\((?!#).{20}", html), [])
        self.assertEqual(len(page.ids), len(set(page.ids)), "an id is used twice")
        targets = {f"#{name}" for name in page.ids}
        self.assertLessEqual(set(page.followed), targets)
        self.assertLessEqual(set(re.findall(r"url\((#[^)]+)\)", html)), targets)

    # -- pages

    def test_the_page_of_a_run_describes_claims_violations_and_faults(self) -> None:
        verdict = write_run(self.folder / "run", Toy(fault="pause", pauses=[300, 900]))
        html = self.page("run")
        self.assert_shows(html, "<title>set-nx-px under process pauses: held twice, oversold "
                          "\N{EM DASH} as expected</title>")
        self.assert_stands_alone(html)
        text = Page(html).text
        for claim in verdict["claims"]:
            self.assert_shows(text, claim["claim"], *(v["sentence"] for v in claim["violations"]))
            self.assert_shows(text, *(f"cause: {v['cause']}: {v['because']}"
                                      for v in claim["violations"]))
            self.assert_shows(text, *(f"{step['at_ns'] / 1e9:.3f} s: {step['text']}"
                                      for v in claim["violations"] for step in v["steps"]))
        self.assert_shows(text, "doublehold run --plan plan.json", "lease over", "stall",
                          "held twice\N{RIGHT DOUBLE QUOTATION MARK}: ",
                          "violated when exclusion is broken",
                          "violated when liveness is broken")
        self.assertRegex(text, r"asked 2\d\d ms, got 2\d\d ms")

    def test_the_picture_of_a_violation_needs_no_history(self) -> None:
        write_run(self.folder / "run", Toy(fault="pause", pauses=[300, 900]))
        before = self.page("run", "--svg", "one.svg")
        file = self.folder / "run/history.jsonl"
        start = json.loads(file.read_text().split("\n", 1)[0])
        start["value"]["events"] = 0
        file.write_text(json.dumps(start) + "\n")
        self.assertTrue(before == self.page("run", "--svg", "two.svg"))

    def test_the_page_of_a_run_without_faults_has_the_upper_bound(self) -> None:
        verdict = write_run(self.folder / "run", Toy())
        html = self.page("run")
        self.assert_stands_alone(html)
        self.assertEqual(verdict["overall"], "valid")
        self.assert_shows(Page(html).text, "no violation seen", "0 of 1 run violated, so with 95 % "
                          "confidence below 98 % of such runs are")

    def test_the_title_and_the_first_answer_say_that_a_run_was_cut_short(self) -> None:
        write_run(self.folder / "run", Toy(fault="pause", pauses=[300]))
        file = self.folder / "run/verdict.json"
        cut = "the run was cut short at 2.000 s (planned: 60s): its supervisor was killed"
        file.write_text(json.dumps(json.loads(file.read_text()) | {"cut_short": cut}))
        html = self.page("run")
        self.assertTrue("the run was cut short</title>" in html)
        self.assertTrue(f'<dl class="answers">\n<dt>Cut short</dt><dd>T{cut[1:]}.</dd>' in html)

    def test_an_unknown_run_is_not_called_valid(self) -> None:
        write_run(self.folder / "run", Toy(stalled=True, expected=False))
        html = self.page("run")
        self.assert_stands_alone(html)
        self.assert_shows(Page(html).text, "could not be decided", "nothing here counts as passed",
                          "the machine stalled a holder past its lease")

    def test_a_library_behind_a_driver_is_named(self) -> None:
        write_run(self.folder / "run", Toy(fault="pause", lock="driver",
                                           library={"name": "mine<b>", "version": "4.5"}))
        html = self.page("run")
        self.assert_stands_alone(html)
        self.assertFalse("mine<b>" in html, "not escaped")
        self.assert_shows(Page(html).text, "mine<b> 4.5 under", "with the lock mine<b> 4.5 to let",
                          "mine<b> 4.5, served by a driver")

    def test_every_text_of_the_input_is_escaped(self) -> None:
        for fault, stalled in (("pause", False), ("calm", True)):
            write_run(self.folder / fault, Toy(fault=fault, stalled=stalled, hostile=HOSTILE,
                                               lock="<i>lock</i>", experiment="<u>ex</u>"))
            html = self.page(fault)
            self.assert_stands_alone(html)
            for markup in ("<script>alert", "<b>more", "<i>lock", "<u>ex"):
                self.assertFalse(markup in html, f"not escaped: {markup}")
            self.assert_shows(html, "&lt;script&gt;alert")

    def test_the_page_of_a_suite_has_a_matrix_and_a_section_for_each_cell(self) -> None:
        write_suite(self.folder / "suite", repeat=2)
        html = self.page("suite")
        self.assert_stands_alone(html)
        self.assert_shows(html, "11 of 12 cells as expected",
                          "<h1>1 of 2 locks: oversold under network, pause and clock</h1>",
                          "node 1 did not start: &lt;no memory&gt;")
        page = Page(html)
        cells = {f"#cell-{i}" for i in range(1, 13)}
        self.assertLessEqual(cells, set(page.followed))
        self.assert_shows(page.text, "stock kept", "How often, over 2 runs", "any claim",
                          "2 of 2 fault episodes \N{MIDDLE DOT} 10\N{EN DASH}95 %",
                          "0 of 2 runs \N{MIDDLE DOT} below 95 %", "cause: stopped")
        self.assertLess(page.text.index("set-nx-px \N{MIDDLE DOT} pause"),
                        page.text.index("none \N{MIDDLE DOT} pause"), "none comes last")
        self.assertFalse("until" in page.text)
        self.assertLess(len(html), 3_000_000)

    def test_a_suite_with_few_cells_in_its_matrix_is_shown_by_column(self) -> None:
        write_suite(self.folder / "suite", repeat=1)
        file = self.folder / "suite/suite.json"
        suite = json.loads(file.read_text())
        suite["cells"] = [cell for cell in suite["cells"] if cell["column"] == "pause"]
        file.write_text(json.dumps(suite))
        html = self.page("suite")
        self.assert_stands_alone(html)
        self.assert_shows(html, "Case by case", "client 1 is stopped &lt;long&gt;")
        self.assertFalse("not run" in html)

    def test_the_answer_about_a_requested_rate_is_shown_for_each_cell(self) -> None:
        write_suite(self.folder / "suite", repeat=1, rows=("none",), columns=("calm", "pause"))
        file = self.folder / "suite/suite.json"
        suite = json.loads(file.read_text())
        suite["until"] = {"text": "rate < 1% @ 95% <b>", "claim": None, "limit": 0.01,
                          "confidence": 0.95}
        suite["cells"][0]["until"] = {
            "answer": "not decided", "runs": 7, "unit": "run", "of": 7, "violated": 1,
            "undecided": 2, "lower_bound": 0.003, "upper_bound": 0.8}
        file.write_text(json.dumps(suite))
        html = self.page("suite")
        self.assert_stands_alone(html)
        self.assert_shows(html, "rate &lt; 1% @ 95% &lt;b&gt;",
                          "not decided: 1 of 7 runs (2 unknown), 0.3\N{EN DASH}80")

    def test_a_suite_without_rates_shows_none(self) -> None:
        write_suite(self.folder / "suite", repeat=2, rows=("none",), columns=("calm",))
        file = self.folder / "suite/suite.json"
        suite = json.loads(file.read_text())
        for cell in suite["cells"]:
            del cell["rates"], cell["until"]
        file.write_text(json.dumps(suite))
        self.assertFalse("How often" in self.page("suite"))

    def test_a_suite_in_which_all_runs_failed_gets_a_page(self) -> None:
        write_suite(self.folder / "suite", repeat=1, rows=("none",), columns=("calm", "pause"))
        file = self.folder / "suite/suite.json"
        suite = json.loads(file.read_text())
        for cell in suite["cells"]:
            for run in cell["runs"]:
                run.update(error="no redis-server", overall="unknown", as_expected=False)
        file.write_text(json.dumps(suite))
        html = self.page("suite")
        self.assert_stands_alone(html)
        self.assert_shows(html, "undecided in part: none", "no redis-server", "could not run")

    def test_the_page_of_a_suite_names_a_fault_that_was_not_tested(self) -> None:
        write_suite(self.folder / "suite", repeat=1, rows=("none",), columns=("calm", "pause"))
        file = next((self.folder / "suite").rglob("verdict.json"))
        untested = "fault 'pause' was to last for 3.2s: the run's end healed it after 1.3 s"
        file.write_text(json.dumps(json.loads(file.read_text()) | {"untested": [untested]}))
        self.assert_shows(Page(self.page("suite")).text, untested, ": not tested")

    def test_a_suite_is_compared_with_its_baseline(self) -> None:
        columns = ("calm", "pause")
        write_suite(self.folder / "suite", repeat=2, rows=("none", "fenced"), columns=columns)
        write_suite(self.folder / "before", repeat=2, rows=("none", "fenced"), columns=columns)
        same = Page(self.page("suite", "--baseline", "before")).text
        self.assertIn("No cell differs: 4 cells compared. The baseline is", same)
        file = self.folder / "suite" / "suite.json"
        original = file.read_text()
        now = json.loads(original)
        next(rate for rate in now["cells"][0]["rates"] if rate["claim"]).update(undecided=1)
        file.write_text(json.dumps(now))
        self.assertRegex(Page(self.page("suite", "--baseline", "before")).text,
                         r"1 cell of 4 changed: none/calm \([a-z-]+ newly undecided\)")
        file.write_text(original)
        file = self.folder / "before" / "suite.json"
        before = json.loads(file.read_text())
        runs = before["cells"][0]["runs"]
        was = {"violated": "valid", "valid": "violated"}[runs[0]["overall"]]
        for run in runs:
            run["overall"] = was
        before["rows"] = ["none", "fenced", "gone"]
        before["cells"][3] |= {"name": "gone/pause", "row": "gone"}
        file.write_text(json.dumps(before))
        text = Page(self.page("suite", "--baseline", "before")).text
        self.assertIn(f"1 cell of 3 changed: none/calm ({was} in the baseline); 1 cell not in the "
                      "baseline; 1 cell of the baseline did not run", text)
        file.write_text(json.dumps({**before, "suite": "other"}))
        self.refused("suite", "--baseline", "before", says="is of the suite 'other', not 'toys'")

    def test_a_baseline_that_is_no_earlier_run_of_the_suite_is_refused(self) -> None:
        write_suite(self.folder / "suite", repeat=1, rows=("none",), columns=("calm",))
        write_run(self.folder / "run", Toy())
        for words in (("suite", "--baseline", "run"), ("run", "--baseline", "suite"),
                      ("suite", "run", "--baseline", "suite")):
            self.refused(*words, says="--baseline: needs one suite folder")

    def test_a_suite_of_which_no_run_has_ended_is_refused(self) -> None:
        write_suite(self.folder / "suite", repeat=1, rows=("none",), columns=("calm",))
        file = self.folder / "suite" / "suite.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | {"cells": []}))
        # A comparison cannot be resumed, so no hint at --resume follows.
        self.refused("suite", says="suite: no run of this suite has ended, so there is nothing to "
                     "report\n")

    def test_a_run_that_an_earlier_version_cut_short_is_on_no_page(self) -> None:
        write_suite(self.folder / "suite", repeat=1, rows=("none",), columns=("calm", "pause"))
        file = self.folder / "suite" / "suite.json"
        suite = json.loads(file.read_text())
        suite["interrupted"] = True
        del suite["cells"][1]["runs"][1:]
        suite["cells"][1]["runs"][0]["interrupted"] = True
        (self.folder / "suite/cells/none-pause/1/verdict.json").unlink()
        file.write_text(json.dumps(suite))
        text = Page(self.page("suite")).text
        self.assertIn("This page judges 1 run of 2;", text)
        self.assertIn("Nothing violated; undecided in part: none; 1 of 2 cells not judged", text)

    def test_a_suite_without_expectations_does_not_mention_expectations(self) -> None:
        write_suite(self.folder / "suite", repeat=1, rows=("none",), columns=("calm", "pause"))
        for file in self.folder.glob("suite/cells/*/*/verdict.json"):
            verdict = json.loads(file.read_text())
            for claim in verdict["claims"]:
                claim["expected"] = None
            file.write_text(json.dumps(verdict))
        text = Page(self.page("suite")).text
        self.assertFalse("expected" in text)
        self.assertFalse("Expected" in text)

    def test_the_page_of_a_sweep_shows_places_and_pairs_of_faults(self) -> None:
        write_suite(self.folder / "sweep", repeat=1, rows=("after-read", "pause at start"),
                    columns=("pause", "network at after-read"))
        suite = json.loads((self.folder / "sweep/suite.json").read_text())
        cells = [{"name": cell["name"], "place": cell["row"], "fault": cell["column"],
                  "letters": "w", "violated": [], "new": " at " in cell["column"],
                  "unheld_ns": 400_000_000, "sentence": "", "dir": ""} for cell in suite["cells"]]
        (self.folder / "sweep/sweep.json").write_text(json.dumps(
            {"sweep": "sweep-some-lock", "library": None, "seconds": 1.0, "cells": cells}))
        html = self.page("sweep")
        self.assert_stands_alone(html)
        self.assert_shows(Page(html).text, "some-lock: oversold, held twice in ", "Pairs of faults",
                          "after-read, then network at after-read",
                          "new: neither fault does this alone", "held by nobody for 400 ms")
        self.assertNotIn("interrupted", html)
        self.refused("sweep", "sweep", "-o", "x.html", says="a sweep has its own page")

    def test_the_page_of_an_interrupted_sweep_says_what_is_missing(self) -> None:
        write_suite(self.folder / "sweep", repeat=1, rows=("after-read", "GET"),
                    columns=("pause", "crash"))
        file = self.folder / "sweep/suite.json"
        suite = json.loads(file.read_text())
        suite |= {"interrupted": True, "planned": [{"name": f"{i}", "row": ""} for i in range(9)]}
        del suite["cells"][1:3]
        file.write_text(json.dumps(suite))
        cells = [{"name": cell["name"], "place": cell["row"], "fault": cell["column"],
                  "letters": "h", "violated": [], "new": False, "unheld_ns": 0, "sentence": "",
                  "dir": ""} for cell in suite["cells"]]
        (self.folder / "sweep/sweep.json").write_text(json.dumps(
            {"sweep": "sweep-some-lock", "library": None, "seconds": 1.0, "cells": cells}))
        self.assert_shows(Page(self.page("sweep")).text, "; interrupted, 9 planned",
                          "The sweep was interrupted. This page judges 2 runs of 9;",
                          "not run, or does not apply")

    def test_plots_and_tables_are_exported(self) -> None:
        write_run(self.folder / "run", Toy(fault="pause"))
        write_suite(self.folder / "suite", repeat=1, rows=("none",), columns=("calm", "pause"))
        for name, plots in (("run", ("overview", "zoom-1", "speed")), ("suite", ("speed", ))):
            self.page(name, "--export", f"out-{name}")
            for plot in plots:
                for kind, begins in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
                    data = (self.folder / f"out-{name}/{plot}.{kind}").read_bytes()
                    self.assertTrue(data.startswith(begins), f"{plot}.{kind}")
        table = (self.folder / "out-suite/table-1-lock-by-fault.csv").read_text().splitlines()
        self.assertEqual(table[0], "lock,calm,pause")
        self.assertTrue(table[1].startswith('none,'), table[1])
        (self.folder / "file").write_text("")
        status, _, err = self.report("run", "--export", "file")
        self.assertEqual((status, err.count("\n")), (3, 1))
        self.assertIn("file: cannot be written", err)

    def test_runs_are_called_different_only_if_their_trials_differ(self) -> None:
        for name, of, violated in (("few", 6, 0), ("many", 6, 6), ("some", 6, 2)):
            verdict = write_run(self.folder / name, Toy(fault="pause", lock=name))
            for claim in verdict["claims"]:
                claim["trials"] = {"unit": "fault episode", "of": of, "violated": violated,
                                   "undecided": 0, "clopper_pearson_95": [0.1, 0.9]}
            (self.folder / name / "verdict.json").write_text(json.dumps(verdict))
        text = Page(self.page("few", "some", "-o", "same.html")).text
        self.assert_shows(text, "2 of 2 runs violated a claim; no difference proved",
                          "no difference proved (least p = 0.45)",
                          "2 of 6 fault episodes", "share of holds", "Fisher's exact test")
        text = Page(self.page("few", "many", "-o", "other.html")).text
        self.assert_shows(text, "2 of 2 runs violated a claim; the runs differ in exclusion",
                          "1. few and 2. many differ (p = 0.0022)")

    def test_several_folders_are_compared(self) -> None:
        write_run(self.folder / "a", Toy(fault="pause"))
        write_run(self.folder / "b", Toy(fault="pause", lock="fenced", fenced=True))
        write_suite(self.folder / "s1", repeat=1, rows=("none",), columns=("calm", "pause"))
        write_suite(self.folder / "s2", repeat=1, rows=("none",), columns=("calm", "clock"))
        html = self.page("a", "b", "s1", "s2", "-o", "both.html")
        self.assert_stands_alone(html)
        self.assert_shows(html, "2 runs and 2 suites compared")
        text = Page(self.page("a", "s1", "-o", "both.html")).text
        self.assert_shows(text, "1 of 1 run violated a claim; the page also shows 1 suite")
        self.assertTrue((self.folder / "both.html").exists())

    def test_the_same_input_gives_the_same_page(self) -> None:
        write_run(self.folder / "run", Toy(fault="pause"))
        self.assertTrue(self.page("run", "-o", "a.html") == self.page("run", "-o", "b.html"))

    def test_svg_writes_the_picture_of_a_run_to_a_file(self) -> None:
        write_run(self.folder / "run", Toy(fault="pause", pauses=[300, 900]))
        svg = self.page("run", "--svg", "one.svg")
        self.assert_shows(svg, "<svg ", "lease over", "client 1")
        ElementTree.fromstring(svg)
        self.assertTrue(svg == self.page("run", "--svg", "again.svg"))

    # -- refused inputs

    def test_svg_of_several_runs_is_refused(self) -> None:
        for name in ("one", "two"):
            write_run(self.folder / name, Toy())
        self.refused("one", "two", "--svg", "both.svg", says="--svg needs the folder of one run")
