import json
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from progress import Progress, read_progress


def progress(**changes) -> Progress:
    run = {"seconds": 4.0, "interrupted": False, "error": None}
    suite = {"repeat": 10, "jobs": 2, "seconds": 8.0, "until": None, "comparison": None,
             "planned": [{"name": "a/x"}, {"name": "b/x"}], "shard": None,
             "cells": [{"name": "a/x", "until": None, "runs": [run, run]}]} | changes
    with TemporaryDirectory() as folder:
        (Path(folder) / "suite.json").write_text(json.dumps(suite))
        return read_progress(Path(folder))


class ProgressTest(unittest.TestCase):
    def test_the_time_left_is_that_of_the_runs_that_are_missing(self):
        self.assertEqual(progress().seconds_left, 18 * 4.0 / 2)
        self.assertEqual(progress().text, "0 of 2 cells done, 2 of 20 runs")

    def test_a_comparison_ends_with_its_budget(self):
        compared = {"comparison": {"budget_seconds": 30.0}}
        self.assertEqual(progress(**compared).seconds_left, 22.0)
        self.assertEqual(progress(**compared, seconds=31.0).seconds_left, 0)

    def test_a_part_of_a_suite_has_only_its_cells(self):
        self.assertEqual(progress(shard="1/2").runs_of, 10)


if __name__ == "__main__":
    unittest.main()
