import json
import unittest
from pathlib import Path

from figures_load import load_curves
from load import count_runs, read_load
from parsing import BadInput
from sample import write_suite
from testing_report import ReportFixture

NBSP = "\N{NO-BREAK SPACE}"


def times(p50_ns, count=2000, p999_ns=900_000):
    return {"count": count, "p50_ns": p50_ns, "p95_ns": p50_ns, "p99_ns": 2 * p50_ns,
            "p999_ns": p999_ns, "p9999_ns": None, "max_ns": 1_000_000}


def point(row="none", column="8 clients", sessions=8, rate=None, holds=900.0, **measures):
    values = {"holds a second": (holds, "/s"), "Jain's index": (0.714, ""),
              "commands a hold": (2.0, "")} | measures
    return {"row": row, "column": column, "sessions": sessions, "customers_a_second": rate,
            "runs": 3, "measures": {name: {"unit": unit, "median": value, "least": value,
                                           "most": value}
                                    for name, (value, unit) in values.items()},
            "latency": {"wait": times(80_000), "response": times(300_000 if rate else 0,
                                                                 2000 if rate else 0),
                        "handover": times(120_000)}}


HOLD = point(column="hold", sessions=1, **{"renewals a second": (5.5, "/s")})
CURVE = [point(column="1 client", sessions=1), point(), HOLD,
         point(column="100 a second", sessions=32, rate=100.0)]


class LoadTest(ReportFixture):
    def read(self, points):
        Path(self.folder, "suite.json").write_text(json.dumps({"load": points}))
        return read_load(self.folder)

    def test_words_repeat_the_load(self):
        self.assertEqual([one.word for one in self.read(CURVE)], ["1", "8", "hold", "100/s"])

    def test_customers_by_a_schedule_wait_from_their_arrival(self):
        closed, by_schedule = self.read([CURVE[1], CURVE[3]])
        self.assertEqual(closed.wait[0].p50_ns, 80_000)
        self.assertEqual(by_schedule.wait[0].p50_ns, 300_000)
        self.assertEqual((closed.wait[1].p999_ns, closed.wait[1].p9999_ns), (900_000, None))

    def test_measures_have_their_unit(self):
        [found] = self.read([point()])
        self.assertEqual([found.text(name) for name in
                          ("holds a second", "Jain's index", "commands a hold", "bytes a hold")],
                         ["900/s", "0.71", "2.0", "\N{EN DASH}"])
        self.assertEqual(found.median("handover"), f"120{NBSP}µs")

    def test_a_curve_needs_two_points_of_one_row(self):
        self.assertIsNone(load_curves(self.read([point(), HOLD, CURVE[3]])))
        self.assertIsNotNone(load_curves(self.read(CURVE)))

    def test_refuses_a_damaged_point(self):
        with self.assertRaises(BadInput):
            self.read([{**point(), "latency": {"wait": {"count": 1}}}])

    def test_points_of_an_early_end_have_different_numbers_of_runs(self):
        unmeasured = point(column="hold", sessions=1) | {"runs": 0, "measures": {}, "latency": {}}
        found = self.read([point(), unmeasured])
        self.assertEqual(count_runs(found), "0 to 3 runs")
        self.assertEqual(count_runs(found[:1]), "3 runs")
        self.assertEqual(found[1].word, "hold", "the command repeats it although it has no run")
        self.assertIsNotNone(load_curves(self.read([*CURVE, unmeasured])))

    def write_comparison(self, columns, load):
        write_suite(self.folder / "suite", repeat=1, rows=("none",), columns=columns)
        file = self.folder / "suite" / "suite.json"
        stored = json.loads(file.read_text())
        stored["suite"] = "comparison"
        stored["comparison"] = {"baseline": "none", "confidence": 0.99, "rates": [],
                                "measures": [], "budget_seconds": 60,
                                "rows": [{"row": "none", "rank": 1, "runs": 5, "not_judged": [],
                                          "broken": []}]}
        stored["load"] = load
        file.write_text(json.dumps(stored))

    def test_the_command_names_no_faults_if_there_were_none(self):
        self.write_comparison(("cost", "calm", "8 clients"), [point()])
        self.assertIn("--faults &#39;&#39; --load=8 --baseline none", self.page("suite"))

    def test_a_page_shows_loads_without_a_violation_apart_from_the_matrix(self):
        self.write_comparison(("cost", "calm", "pause", "8 clients"),
                              [point(column="calm", sessions=1), point()])
        page = self.page("suite")
        self.assertIn("What each lock does under load", page)
        self.assertIn("none: 900 a second", page)
        self.assertIn("--faults pause --load=1,8 --baseline none", page)
        matrix = page[page.index('id="matrix"'):page.index('id="compared"')]
        self.assertNotIn("calm", matrix)
        self.assertIn("8 clients", matrix, "a violation is shown wherever it was seen")


if __name__ == "__main__":
    unittest.main()
