import json
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from comparison import read_comparison
from parsing import BadInput

NBSP = "\N{NO-BREAK SPACE}"
RATE = {"row": "fenced", "column": "pause", "claim": "stock", "pairs": 15, "only_row": 0,
        "only_baseline": 14, "both": 1, "undecided": 0, "difference": "less",
        "bounds": [-1.0, -0.021]}
MEASURE = {"row": "fenced", "column": "cost", "measure": "acquire p50", "unit": "ns", "pairs": 15,
           "median": 43_000.0, "median_of_baseline": 40_000.0, "difference": "more",
           "shift": 3000.0, "bounds": [1500.0, 5200.0]}
ROWS = [{"row": "fenced", "rank": 1, "runs": 30, "not_judged": [],
         "broken": [{"claim": "exclusion", "columns": ["pause", "clock"]}]},
        {"row": "set-nx-px", "rank": 2, "runs": 30, "not_judged": [],
         "broken": [{"claim": "stock", "columns": ["pause"]}]}]


def read(**changes):
    comparison = {"baseline": "set-nx-px", "budget_seconds": 300, "confidence": 0.99, "rows": ROWS,
                  "rates": [RATE, {**RATE, "claim": "release", "difference": "not seen",
                                   "bounds": [-0.4, 0.5]}],
                  "measures": [MEASURE]} | changes
    with TemporaryDirectory() as folder:
        (Path(folder) / "suite.json").write_text(json.dumps({"comparison": comparison}))
        return read_comparison(Path(folder))


class ComparisonTest(unittest.TestCase):
    def test_names_the_lock_that_ranks_first_and_its_cost(self):
        self.assertEqual(
            read().choice,
            "fenced ranks first, by violated claims, those about data first: stock in 1 of 15 "
            "runs, set-nx-px in 15 of 15 (pause); acquire p50: more, by "
            f"1.5{NBSP}µs to 5.2{NBSP}µs (+8{NBSP}%). fenced violated exclusion (pause and clock).")

    def test_does_not_choose_between_locks_of_equal_rank(self):
        same = [{**row, "rank": 1} for row in ROWS]
        self.assertEqual(read(rows=same).winner, "fenced and set-nx-px have equal rank")
        self.assertEqual(
            read(rows=same).choice,
            "fenced and set-nx-px have equal rank, by violated claims, those about data first. "
            "fenced: exclusion (pause and clock). set-nx-px: stock (pause).")

    def test_does_not_choose_a_lock_that_was_not_judged(self):
        few = {"rank": None, "not_judged": ["pause", "cost"],
               "why": ["stock is undecided in 9 of 10 runs", "no run has ended"]}
        found = read(rows=[ROWS[1] | {"rank": 1}, {**ROWS[0], **few}])
        self.assertEqual(found.winner, "set-nx-px ranks first of the 1 lock with a rank")
        self.assertTrue(found.choice.endswith(
            "set-nx-px violated stock (pause). fenced has no rank: under pause, stock is undecided "
            "in 9 of 10 runs; 1 other column not judged either."), found.choice)
        none = read(rows=[{**row, **few} for row in ROWS])
        self.assertEqual(none.winner, "No choice yet")
        self.assertTrue(none.choice.startswith("No choice yet. fenced has no rank: under pause, "))

    def test_a_row_that_an_earlier_version_ranked_unjudged_has_no_rank(self):
        rows = [{**row, "not_judged": ["pause"]} for row in ROWS]
        self.assertEqual(
            read(rows=rows).choice, "No choice yet. fenced has no rank: not judged under pause. "
            "set-nx-px has no rank: not judged under pause.")
        with self.assertRaises(BadInput):
            read(rows=[{**ROWS[0], "not_judged": ["pause"], "why": []}])

    def test_counts_decided_runs(self):
        rate = {**RATE, "undecided": 3, "only_baseline": 11, "bounds": [-1.0, 0.0]}
        found = read(rates=[rate]).seen[0]
        self.assertEqual(found.counts, ("1 of 12", "12 of 12"))
        self.assertEqual(found.found, "less often")

    def test_rounds_bounds_outwards(self):
        found = read()
        self.assertEqual(found.seen[0].found, "less often, by 2 to 100 percentage points")
        self.assertEqual(found.seen[0].counts, ("1 of 15", "15 of 15"))
        self.assertEqual(found.unseen, [("fenced", "pause", "release", 15, 0.5)])

    def test_says_how_large_an_unseen_difference_may_be(self):
        unseen = {**MEASURE, "difference": "not seen", "bounds": [-900.0, 2100.0]}
        self.assertEqual(read(measures=[unseen]).measures[0].found,
                         f"no difference proved; at most 2.1{NBSP}µs")
        few = {**MEASURE, "difference": "not seen", "bounds": None, "pairs": 3}
        self.assertEqual(read(measures=[few]).measures[0].found, "too few pairs to test: 3")
        none = read(measures=[{**few, "pairs": 0}]).measures[0]
        self.assertEqual(none.found, "not measured: no pair of runs with enough grants")
        self.assertEqual(none.values, ("\N{EN DASH}", "\N{EN DASH}"))

    def test_refuses_a_damaged_comparison(self):
        with self.assertRaises(BadInput):
            read(rates=[{**RATE, "difference": "worse"}])
        with self.assertRaises(BadInput):
            read(measures=[{**MEASURE, "bounds": [1.0]}])

    def test_a_suite_without_a_baseline_has_none(self):
        with TemporaryDirectory() as folder:
            (Path(folder) / "suite.json").write_text('{"comparison": null}')
            self.assertIsNone(read_comparison(Path(folder)))


if __name__ == "__main__":
    unittest.main()
