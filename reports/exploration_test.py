"""Tests of the page of an exploration."""

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

from exploration import read_exploration
from explore_page import ExploredCell
from parsing import BadInput
from report import main
from report_test import Page

HOSTILE = "it <b>is</b> & was"


def search(depth: int, violated: list[str], complete: bool = True,
           unknown: int = 0) -> dict[str, Any]:
    claims: list[dict[str, Any]] = []
    for claim in ("exclusion", "stock"):
        claims.append({"claim": claim, "violated": int(claim in violated), "unknown": unknown})
        if claim in violated:
            claims[-1] |= {"sentence": HOSTILE, "replay": f"v1/{claim}"}
    return {"depth": depth, "executions": 1234, "complete": complete, "cut_off": 0,
            "claims": claims}


def explored(cells: list[list[dict[str, Any]]]) -> dict[str, Any]:
    return {"version": 1, "doublehold": "0", "depth": 2, "delays": 0, "cycles": 1,
            "executions": 9876, "seconds": 1.5,
            "titles": {"exclusion": "held twice", "stock": "oversold",
                       "availability": "free lock not granted"},
            "rows": [{"lock": "some-lock", "clients": 2,
                      "cells": [{"fault": f"fault-{i}", "text": "?", "depths": depths}
                                for i, depths in enumerate(cells)]},
                     {"lock": "other", "clients": 2, "cells": [], "refused": "it has no keys"}]}


class ExplorationTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, found: dict[str, Any]) -> None:
        (self.folder / "explore.json").write_text(json.dumps(found))

    def test_a_cell_has_the_gravest_outcome_of_its_searches(self) -> None:
        for depths, outcome, claims in (
                ([search(1, [])], "valid", []),
                ([search(1, ["stock"]), search(2, ["exclusion", "stock"])], "violated",
                 ["oversold", "held twice (2 faults)"]),
                ([search(1, []), search(2, [], complete=False)], "unknown", []),
                ([search(1, [], unknown=1)], "unknown", []),
                ([search(1, ["stock"], complete=False)], "violated", ["oversold"])):
            self.write(explored([depths]))
            place = read_exploration(self.folder).rows[0].places[0]
            self.assertEqual((place.outcome, place.claims), (outcome, claims))
            self.assertEqual(place.executions, 1234 * len(depths))

    def test_the_page_has_every_cell_and_story(self) -> None:
        self.write(explored([[search(1, ["stock"])], [search(1, [])]]))
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(main([str(self.folder)]), 0)
        html = (self.folder / "report.html").read_text()
        page = Page(html)
        self.assertEqual(page.open, [])
        for text in ("9,876 executions", "some-lock", "fault-0", "✕ oversold", "✓ no violation",
                     HOSTILE,
                     "1 of 1 lock broke", "Lost data: some-lock",
                     "doublehold replay 'v1/stock'", "other is not explored: it has no keys"):
            self.assertIn(text, page.text)
        self.assertNotIn("<b>is</b>", html)

    def test_the_page_of_an_interrupted_exploration_says_so(self) -> None:
        found = explored([[search(1, ["stock"])], [search(1, [])]])
        row = found["rows"][0]
        found["rows"].insert(1, row | {"clients": 3, "cells": row["cells"][:1]})
        for interrupted in (False, True):
            self.write(found | {"interrupted": interrupted})
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(main([str(self.folder)]), 0)
            text = Page((self.folder / "report.html").read_text()).text
            self.assertEqual("The exploration was interrupted" in text, interrupted)

    def test_undecided_claims_are_named_beside_violated_ones(self) -> None:
        self.write(explored([[search(1, ["exclusion"], unknown=1)]]))
        found = ExploredCell(read_exploration(self.folder).rows[0].places[0], "a")
        self.assertEqual([(line.outcome, line.word) for line in found.lines],
                         [("violated", "held twice"), ("unknown", "undecided: oversold")])
        self.assertEqual(found.weight, "")

    def test_a_story_is_listed_once_with_all_its_cells(self) -> None:
        self.write(explored([[search(1, ["stock", "exclusion"])], [search(1, ["stock"])]]))
        self.assertEqual(main([str(self.folder), "-o", str(self.folder / "p.html")]), 0)
        text = Page((self.folder / "p.html").read_text()).text
        self.assertIn("in 2 cells: fault-0 (2 clients), fault-1 (2 clients)", text)
        self.assertEqual(text.count(HOSTILE), 1)

    def test_a_file_without_titles_names_the_claims(self) -> None:
        found = explored([[search(1, ["stock"])]])
        del found["titles"]
        self.write(found)
        place = read_exploration(self.folder).rows[0].places[0]
        self.assertEqual(place.claims, ["stock violated"])

    def test_svg_of_an_exploration_is_refused(self) -> None:
        self.write(explored([[search(1, ["stock"])]]))
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertEqual(main([str(self.folder), "--svg", str(self.folder / "one.svg")]), 3)
        self.assertEqual(said.getvalue(),
                         "doublehold report: --svg needs the folder of one run, not several "
                         "folders, a suite or an exploration\n")
        self.assertFalse((self.folder / "one.svg").exists())

    def test_a_malformed_exploration_is_refused_with_a_reason(self) -> None:
        self.write(explored([]) | {"version": 2})
        with self.assertRaisesRegex(BadInput, "version 2; this program reads 1"):
            read_exploration(self.folder)
        self.write({"version": 1})
        with self.assertRaisesRegex(BadInput, "'rows' is missing"):
            read_exploration(self.folder)


if __name__ == "__main__":
    unittest.main()
