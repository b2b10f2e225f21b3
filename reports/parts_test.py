"""Unit tests: holds from events, windows of time, incidents, intervals, words."""

import unittest
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import words
from answer import explain_causes
from cells import shortest, summary
from differences import p_value, compare_pairs
from drawing import Lane, Mark, list_shown_holds
from figures_svg import sheet, to_svg
from figures_zoom import Closeup, choose_closeup, merged_lanes, zoom
from history import Event, History, parse_event
from holds import find_holds, stock_curve
from incidents import Incident, group_incidents, list_descriptions
from lanes import Act, FaultRow, Recording, merged, place_texts
from messages import Message
from palette import ROLES, recolour
from parsing import BadInput
from rates import Answer, Trials
from reading import Cell, Fault, HoldRef, SuiteRun, Violation
from timescale import TimeScale, nice_step, windows_around

MS = 1_000_000


def event(at: int, client: int, type_: str, op: str, hold: int = 0, first: int | None = None,
          second: int | None = None, thread: int = 0) -> Event:
    return Event(at, client, type_, op, "k", hold, first, second, thread)


def history(*events: Event, stock: int = 10) -> History:
    return History("lock", 1, stock, ["k"], list(events), events[-1].at_ns, None)


class Holds(unittest.TestCase):
    def test_a_hold_lasts_from_grant_to_release_and_is_stale_after_its_lease(self) -> None:
        hold, = find_holds(history(
            event(0, 1, "invoke", "acquire"), event(2, 1, "ok", "acquire", 7, first=50),
            event(80, 1, "invoke", "release", 7), event(90, 1, "ok", "release", 7)))
        self.assertEqual((hold.asked_ns, hold.from_ns, hold.to_ns), (0, 2, 80))
        self.assertEqual((hold.live, hold.stale), ([(2, 50)], [(50, 80)]))

    def test_each_thread_of_a_client_waits_by_itself(self) -> None:
        first, second = find_holds(history(
            event(0, 1, "invoke", "acquire", thread=0), event(5, 1, "invoke", "acquire", thread=1),
            event(10, 1, "ok", "acquire", 7, first=50, thread=0),
            event(12, 1, "invoke", "release", 7, thread=0),
            event(13, 1, "invoke", "acquire", thread=0),
            event(14, 1, "ok", "acquire", 8, first=50, thread=1),
            event(20, 1, "invoke", "release", 8, thread=1)))
        self.assertEqual((first.asked_ns, second.asked_ns), (0, 5))

    def test_a_line_has_the_thread_of_its_client(self) -> None:
        line = {"f": "acquire", "type": "invoke", "time": 7, "process": 1}
        self.assertEqual(parse_event(line, Path("h"), 1).thread, 0)
        self.assertEqual(parse_event({**line, "thread": 3}, Path("h"), 1).thread, 3)

    def test_an_extend_in_time_keeps_a_hold_live_and_a_late_extend_revives_it(self) -> None:
        hold, = find_holds(history(
            event(0, 1, "ok", "acquire", 7, first=50), event(40, 1, "ok", "extend", 7, first=90),
            event(100, 1, "ok", "extend", 7, first=140), event(120, 1, "invoke", "release", 7)))
        self.assertEqual(hold.live, [(0, 90), (100, 120)])
        self.assertEqual(hold.stale, [(90, 100)])

    def test_an_unreleased_hold_ends_with_the_history(self) -> None:
        hold, = find_holds(history(event(0, 1, "ok", "acquire", 7, first=50),
                                 event(70, 2, "invoke", "acquire")))
        self.assertEqual((hold.to_ns, hold.released), (70, False))

    def test_an_acquire_of_unknown_outcome_is_no_hold(self) -> None:
        self.assertEqual(find_holds(history(event(0, 1, "info", "acquire", 7))), [])

    def test_a_server_may_only_report_stalls(self) -> None:
        line = {"f": "stall", "type": "info", "time": 7, "process": "node 1",
                "value": {"length_ns": 5}}
        self.assertEqual(parse_event(line, Path("h"), 1).first, 5)
        for wrong in ({"f": "acquire"}, {"process": "node x"}, {"process": "nodes"}):
            with self.assertRaises(BadInput):
                parse_event({**line, **wrong}, Path("h"), 1)

    def test_the_stock_curve_counts_sold_pieces_that_were_never_deducted(self) -> None:
        curve = stock_curve(history(
            event(1, 1, "ok", "write", 7, 10, 9), event(2, 1, "ok", "order", 7, 10, 9),
            event(3, 2, "ok", "write", 8, 10, 9), event(4, 2, "ok", "order", 8, 10, 9)))
        self.assertEqual(curve.stock, [10, 9, 9, 9, 9])
        self.assertEqual(curve.due, [10, 10, 9, 9, 8])
        self.assertEqual(curve.missing, [0, 0, 0, 0, 1])


class Time(unittest.TestCase):
    def test_close_instants_share_a_window_and_distant_instants_do_not(self) -> None:
        windows = windows_around([100, 110, 5000], 10, 10_000)
        self.assertEqual(windows, [(90, 120), (4990, 5010)])

    def test_there_are_at_most_four_windows(self) -> None:
        self.assertLessEqual(len(windows_around(list(range(0, 10**9, 10**7)), 1000, 10**9)), 4)

    def test_places_on_the_axis_are_in_time_order(self) -> None:
        scale = TimeScale([(0, 10 * MS), (500 * MS, 510 * MS)])
        places = [scale.x(at * MS) for at in (-5, 0, 5, 10, 300, 500, 510, 900)]
        self.assertEqual(places, sorted(places))
        self.assertEqual((places[0], places[-1]), (0.0, 1.0))
        self.assertFalse(scale.shows(100 * MS, 200 * MS))
        self.assertTrue(scale.shows(100 * MS, 505 * MS))

    def test_ticks_are_round_and_in_their_window(self) -> None:
        ticks = TimeScale([(1_918_300_000, 1_930_700_000)]).ticks()
        self.assertIn("1.920", [label for _, label in ticks])
        self.assertTrue(all(0 < x < 1 for x, _ in ticks))
        self.assertEqual([nice_step(n) for n in (1, 3, 50, 51)], [1, 5, 50, 100])


class Drawing(unittest.TestCase):
    def test_bars_closer_than_the_limit_are_merged(self) -> None:
        self.assertEqual(merged([(0.0, 0.1), (0.1005, 0.2), (0.5, 0.5)], 0.001),
                         [(0.0, 0.2), (0.5, 0.501)])

    def test_texts_never_overlap_and_stay_on_the_sheet(self) -> None:
        placed = place_texts([(0.5, "held twice"), (0.51, "held twice"), (0.99, "oversold")], 700)
        self.assertEqual([text for _, text in placed], ["held twice", "oversold"])
        self.assertLess(placed[1][0], 0.95)

    def test_a_picture_uses_the_colours_of_the_page_and_its_own_ids(self) -> None:
        figure = sheet(1.0, 2.0)
        figure.text(0.5, 0.5, "a < $b$ & 2.123456 s")
        svg = to_svg(figure, "one", 'a "quoted" <picture>')
        self.assertIn("a &lt; $b$ &amp; 2.123456 s", svg)
        self.assertIn("var(--ink)", svg)
        self.assertIn("a &quot;quoted&quot; &lt;picture>", svg)

    def test_every_colour_has_one_meaning(self) -> None:
        lights = [light for light, _ in ROLES.values()]
        self.assertEqual(len(set(lights)), len(lights))
        self.assertEqual(recolour("fill: #ffffff; stroke: #123456"),
                         "fill: var(--surface); stroke: #123456")

    def test_each_fault_family_has_its_colour_role(self) -> None:
        families = ("process pauses", "clock faults", "network faults", "volcanoes")
        self.assertEqual([words.fault_role(fault(family)) for family in families],
                         ["pause", "clock", "network", "outage"])


def fault(family: str) -> Fault:
    return Fault(name="f", kind="f", family=family, what="f", planned=1, started=1, episodes=[])


def violation(claim: str, at: int, first: int, second: int) -> Violation:
    refs = [HoldRef(h, h, at - 5, at + 5, at + 1) for h in (first, second)]
    return Violation(claim, "k", at, at + 2, True, 1, None, False, refs[0], refs[1],
                     f"{claim} {at}")


def lane(name: str, fault: str | None = None, **spans: tuple[int, int]) -> Lane:
    begin = next(iter(spans.values()))[0]
    text = "client 1 was stopped" if fault else "read 5"
    return Lane(name, 1, fault, [*spans.items()], [Mark(begin, "[" if fault else "g", text)])


class Pictures(unittest.TestCase):
    def closeup(self, *lanes: Lane, lanes_max: int = 7) -> Closeup:
        drawn = replace(violation("exclusion", 10 * MS, 1, 2), lanes=lanes,
                        times_ns=(2 * MS, 900 * MS))
        recording = Recording(history(event(0, 1, "invoke", "acquire")), [])
        verdict = SimpleNamespace(faults=[fault("process pauses")], titles={})
        return choose_closeup(recording, verdict, Incident([drawn]), lanes_max)

    def test_a_violation_is_drawn_from_its_lanes(self) -> None:
        found = self.closeup(lane("client 1", held=(2 * MS, 900 * MS), calling=(3 * MS, 4 * MS)),
                             lane("client 2", held=(9 * MS, 12 * MS)),
                             lane("pause c1", "f", acting=(5 * MS, 700 * MS)))
        self.assertEqual([lane.name for lane in found.lanes], ["client 1", "client 2"])
        self.assertEqual(found.faults, [FaultRow("pause c1", "pause", [
            Act(5 * MS, 700 * MS, 1, "client 1 was stopped")])])
        for at in (2, 4, 5, 700, 900):
            self.assertTrue(found.scale.shows(at * MS, at * MS), at)
        self.assertFalse(found.scale.shows(300 * MS, 300 * MS))
        self.assertEqual(len(found.violations), 1)
        self.assertIn("<svg", to_svg(zoom(found), "one", "a violation"))

    def test_lanes_of_several_violations_are_drawn_once(self) -> None:
        first = lane("client 1", held=(0, 9))
        again = replace(first, marks=[*first.marks, Mark(7, "w", "wrote 4")])
        some = [replace(violation("exclusion", 5, 1, 2), lanes=lanes)
                for lanes in ((first, lane("client 2", held=(4, 6))), (again,))]
        found, other = merged_lanes(some)
        self.assertEqual((found, other.name), (again, "client 2"))

    def test_a_tooltip_lists_the_shown_holds_at_its_time(self) -> None:
        first = Lane("client 1", 1, None, [("held", (2, 90)), ("live", (2, 50))],
                     [Mark(1, "A", ""), Mark(2, "a", "token 7")])
        second = Lane("client 2", 2, None, [("held", (60, 70)), ("live", (60, 70))], [])
        for at, expected in (
                (50, "client 1 (token 7, lease valid)"), (55, "client 1 (token 7, lease over)"),
                (60, "client 1 (token 7, lease over), client 2 (lease valid)")):
            self.assertEqual(list_shown_holds([first, second], at),
                             f"; holds shown at that time: {expected}")
        self.assertEqual(list_shown_holds([first, second], 1), "")

    def test_a_message_says_who_sends_it_to_whom(self) -> None:
        for message, text in (
                (Message(0, 1, 2, False, ""), "client 1 sends an unknown command to node 2"),
                (Message(0, 1, 2, True, ""), "node 2 answers an unknown command of client 1"),
                (Message(0, 1, 0, True, "GET"), "the store answers client 1's GET"),
                (Message(0, 1, 2, True, "MESSAGE"), "node 2 pushes a message to client 1")):
            self.assertEqual(message.text, text)

    def test_messages_are_drawn_between_the_lanes_of_clients_and_servers(self) -> None:
        said = [Message(5 * MS, 1, 0, False, "SET"), Message(6 * MS, 1, 2, True, "EVAL"),
                Message(6 * MS, 9, 3, True, "EVAL"), Message(400 * MS, 1, 4, True, "EVAL")]
        found = self.closeup(lane("client 1", held=(2 * MS, 900 * MS))).with_messages(said)
        self.assertEqual(found.messages, said[:2])
        self.assertEqual(found.layout.names, ["client 1", "node 2", "store"])
        self.assertEqual([*map(found.lane_indices, found.messages)], [(0, 2), (0, 1)])
        svg = to_svg(zoom(found), "one", "a violation")
        for text in ("client 1 sends SET to the store at ", "node 2 answers client 1's EVAL at "):
            self.assertIn(text, svg)
        self.assertEqual(found.with_messages(300 * said[:1]).hidden_messages, 100)

    def test_lanes_beyond_the_limit_are_counted(self) -> None:
        held = {"held": (0, 20 * MS)}
        found = self.closeup(*(lane(f"client {i}", **held) for i in range(4)), lanes_max=3)
        self.assertEqual((len(found.lanes), found.hidden), (3, 1))

    def test_a_violation_without_lanes_is_not_drawn(self) -> None:
        self.assertEqual(self.closeup().violations, [])

    def test_an_incident_shows_a_violation_that_has_lanes(self) -> None:
        bare = violation("stock", 10, 1, 2)
        drawn = replace(bare, claim="liveness", second=None, lanes=(lane("client 1", held=(1, 2)),))
        self.assertIs(Incident([bare, drawn]).main, drawn)


class Stories(unittest.TestCase):
    def test_violations_of_the_same_hold_are_one_incident(self) -> None:
        found = group_incidents([violation("exclusion", 10, 1, 2), violation("exclusion", 40, 1, 3),
                              violation("stock", 60, 1, 2), violation("exclusion", 900, 8, 9)])
        self.assertEqual([len(incident.violations) for incident in found], [3, 1])

    def test_each_claim_of_an_incident_has_a_sentence(self) -> None:
        many = [violation("exclusion", 10 + i, 1, 2 + i) for i in range(40)]
        incident, = group_incidents([*many, violation("stock", 90, 1, 2)])
        self.assertEqual([description.claims for description in incident.choose_descriptions(3)],
                         [["exclusion"], ["exclusion"], ["stock"]])

    def test_a_sentence_about_two_claims_is_listed_once(self) -> None:
        strict = violation("exclusion", 10, 1, 2)
        live = replace(strict, claim="lease-exclusion")
        self.assertEqual([description.claims for description in list_descriptions([strict, live])],
                         [["exclusion", "lease-exclusion"]])
        self.assertEqual(
            words.violated(["stock", "exclusion"],
                           {"exclusion": "held twice", "stock": "oversold"}),
            "held twice, oversold")


class Numbers(unittest.TestCase):
    def test_counted_trials_name_their_unit_and_the_unknown_trials(self) -> None:
        texts = [words.counted(Trials(*count)) for count in (
            ("fault episode", 22, 3, 0), ("run", 1, 0, 1), ("run", 4020, 57, 1000))]
        self.assertEqual(texts, ["3 of 22 fault episodes", "0 of 1 run (1 unknown)",
                                "57 of 4,020 runs (1,000 unknown)"])

    def test_an_answer_names_its_trials_and_a_bound_rounded_outwards(self) -> None:
        answers = (Answer("below", Trials("fault episode", 48, 0, 0), (0.0, 0.0971)),
                   Answer("not below", Trials("run", 4, 4, 0), (0.5189, 1.0)),
                   Answer("not decided", Trials("run", 4, 1, 2), (0.0101, 0.9)))
        texts = [words.answered(answer).replace("\N{NO-BREAK SPACE}", " ") for answer in answers]
        self.assertEqual(texts, ["below: 0 of 48 fault episodes, at most 9.8 %",
                                "not below: 4 of 4 runs, at least 51 %",
                                "not decided: 1 of 4 runs (2 unknown), 1\N{EN DASH}90 %"])

    def test_durations_have_three_digits_and_a_unit(self) -> None:
        texts = [words.duration(ns).replace("\N{NO-BREAK SPACE}", " ")
                for ns in (0, 51_000, 803_400_000, 2_418_000_000, 9_000_000, 1 << 63)]
        self.assertEqual(texts, ["0 ns", "51 µs", "803 ms", "2.42 s", "9 ms", "for ever"])

    def test_rates_have_two_significant_digits(self) -> None:
        texts = [words.percent(share).replace("\N{NO-BREAK SPACE}", " ")
                for share in (0, 0.0064, 0.12345, 1, 0.00004, 0.999)]
        self.assertEqual(texts, ["0 %", "0.64 %", "12 %", "100 %", "0.004 %", "99.9 %"])

    def test_an_upper_bound_is_never_rounded_down(self) -> None:
        texts = [words.bound(share).replace("\N{NO-BREAK SPACE}", " ")
                for share in (3 / 132852, 3 / 400, 0.0121, 0.01)]
        self.assertEqual(texts, ["below 0.0023 %", "below 0.75 %", "below 1.3 %", "below 1 %"])

    def test_a_fault_until_a_step_has_no_requested_length(self) -> None:
        texts = [words.asked_and_measured(fault(family), *times) for family, *times in (
            ("process pauses", 800 * MS, 803 * MS), ("long sections", 0, 61 * MS),
            ("clock faults", -750 * MS, -750 * MS))]
        self.assertEqual([[text.replace("\N{NO-BREAK SPACE}", " ") for text in pair]
                          for pair in texts],
                         [["800 ms", "803 ms"], ["", "61 ms"], ["\u2212750 ms", "\u2212750 ms"]])


def trials(of: int, violated: int, undecided: int = 0, unit: str = "fault episode") -> Trials:
    return Trials(unit, of, violated, undecided)


class Differences(unittest.TestCase):
    def test_the_exact_test_agrees_with_published_values(self) -> None:
        for a, b, p in ((trials(6, 0), trials(6, 6), 2 / 924),
                        (trials(4, 3), trials(4, 1), 34 / 70),
                        (trials(12, 1), trials(12, 9), 0.002759)):
            self.assertAlmostEqual(p_value([(a, b)]), p, places=6)
            self.assertAlmostEqual(p_value([(b, a)]), p, places=6)

    def test_columns_are_summed_and_undecided_trials_may_hide_a_difference(self) -> None:
        column = trials(2, 0), trials(2, 2)
        self.assertAlmostEqual(p_value([column]), 1 / 3)
        self.assertAlmostEqual(p_value([column] * 3), 2 / 6 ** 3)
        self.assertGreater(p_value([(trials(6, 0, 3), trials(6, 6))]), 0.05)
        self.assertEqual(p_value([(trials(6, 0, 6), trials(6, 3))]), 1.0)

    def test_only_the_same_columns_and_units_are_compared(self) -> None:
        rates = {"a": {"pause": trials(9, 0), "calm": trials(9, 9)},
                 "b": {"pause": trials(9, 9), "clock": trials(9, 9)},
                 "c": {"pause": trials(9, 0, unit="run")}}
        pair, = compare_pairs(rates)
        self.assertEqual((pair.first, pair.second, pair.differ), ("a", "b", True))

    def test_the_level_is_divided_by_the_number_of_pairs(self) -> None:
        rates = {"a": {"x": trials(4, 0)}, "b": {"x": trials(4, 4)}}
        self.assertTrue(compare_pairs(rates)[0].differ)
        rates |= {"c": {"x": trials(4, 2)}, "d": {"x": trials(4, 2)}}
        self.assertFalse(any(pair.differ for pair in compare_pairs(rates)))

    def test_too_few_trials_cannot_show_a_difference(self) -> None:
        for of, can_show in ((3, False), (4, True)):
            pair, = compare_pairs({"a": {"x": trials(of, 1)}, "b": {"x": trials(of, 1, 1)}})
            self.assertEqual((pair.differ, pair.can_show_difference), (False, can_show))


class Cells(unittest.TestCase):
    def test_the_evidence_of_a_cause_is_of_a_cell_that_counts_it(self) -> None:
        def cell(*violations: tuple[str, str]) -> SimpleNamespace:
            some = [SimpleNamespace(cause=cause, because=why) for cause, why in violations]
            return SimpleNamespace(causes=[some[0].cause], cell=SimpleNamespace(
                judged=[SimpleNamespace(violations=some)]))
        cells = [cell(("resent", "x"), ("no-queue", "y")), cell(("no-queue", "")),
                 cell(("no-queue", "it has no queue"))]
        self.assertEqual(explain_causes([SimpleNamespace(cells=cells)]),
                         "The most frequent cause of each cell: "
                         f"{words.QUOTED.format('no-queue')} in 2 cells (evidence: it has no "
                         f"queue); {words.QUOTED.format('resent')} in 1 cell (evidence: x).")

    def test_a_cell_whose_runs_all_failed_is_undecided(self) -> None:
        run = SuiteRun(None, 1, 4, "unknown", False, "no server", None)
        cell = Cell("a/b", "a", "b", [run])
        found = summary(1, cell)
        self.assertEqual((found.outcome, cell.as_expected, shortest(cell)),
                         ("unknown", False, None))
        self.assertEqual([(line.word, line.rate) for line in found.lines],
                         [("could not run", "1 of 1 run")])


if __name__ == "__main__":
    unittest.main()
