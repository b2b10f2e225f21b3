"""Tests of the list of `doublehold serve`: which entries a filter finds."""

import json
import tempfile
import unittest
from pathlib import Path

from inventory import Inventory
from report_test import Page
from run_list import list_page
from sample import write_suite


class RunListTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.runs = Path(folder.name)
        self.inventory = Inventory(self.runs)

    def links(self, query: str) -> list[str]:
        found = Page(list_page(self.inventory, query)).followed
        return [link for link in found if link.startswith("/report/")]

    def test_a_filter_matches_only_cells_of_which_a_run_has_ended(self) -> None:
        write_suite(self.runs / "suite", repeat=1, rows=("none", "fenced"),
                    columns=("calm", "pause"))
        file = self.runs / "suite/suite.json"
        suite = json.loads(file.read_text())
        suite["rows"].append("redlock")
        suite["columns"].append("clock")
        del suite["cells"][3]  # fenced under pause
        file.write_text(json.dumps(suite))
        for query, found in (("lock=none&verdict=violated", True), ("lock=none&fault=pause", True),
                             ("lock=none&verdict=violated&fault=calm", False),
                             ("lock=fenced&verdict=violated", False),
                             ("lock=fenced&verdict=valid", True),
                             ("lock=fenced&fault=pause", False),
                             ("lock=fenced&claim=exclusion", False), ("lock=redlock", False),
                             ("fault=clock", False), ("verdict=valid", False)):
            with self.subTest(query):
                self.assertEqual(self.links(query), ["/report/suite"] if found else [])
        self.assertNotIn("redlock", Page(list_page(self.inventory, "")).text)


if __name__ == "__main__":
    unittest.main()
