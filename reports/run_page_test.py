"""Tests of the page of one run, and of a simulated execution."""

import json
import re
import tempfile
import unittest
from pathlib import Path
from typing import Any

from figures_svg import WIDTH
from folders import read_folder
from page import run_page
from parsing import BadInput
from reading import Margin, Run
from report_test import HOSTILE, Page
from run_answer import nearness
from sample import Toy, write_run

MS = 1_000_000
STYLE = Path(__file__).parent / "templates/style.css"
LEAST_PX = 9


def curve() -> dict[str, Any]:
    """Returns a curve of no return of the trace that `write_trace` writes."""
    return {"claim": "exclusion", "continuations": 200, "jump": 2,
            "sentence": "The share jumps most at step 2.",
            "points": [{"step": 0, "text": "the start", "violated": 50, "undecided": 0,
                        "share": 0.25, "clopper_pearson_95": [0.1916, 0.3160]},
                       {"step": 1, "text": f"client 1 is granted{HOSTILE}", "violated": 40,
                        "undecided": 0, "share": 0.2, "clopper_pearson_95": [0.147, 0.2622]},
                       {"step": 2, "text": "client 1 stopped", "violated": 200, "undecided": 0,
                        "share": 1.0, "clopper_pearson_95": [0.9817, 1.0]}]}


class RunPage(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.run_folder = Path(folder.name) / "run"

    def html(self) -> str:
        found = read_folder(self.run_folder)
        assert isinstance(found, Run)
        return run_page(found)

    def text(self, toy: Toy) -> str:
        write_run(self.run_folder, toy)
        return self.read()

    def read(self) -> str:
        return Page(self.html()).text

    def change(self, **values: Any) -> None:
        file = self.run_folder / "verdict.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), **values}))

    def write_trace(self, version: int = 1, curve: dict[str, Any] | None = None) -> None:
        steps = [{"at_ns": 200_000, "kind": "done", "text": f"client 1 is granted{HOSTILE}"},
                 {"at_ns": 200_000, "kind": "fault", "text": "client 1 stopped for 640ms"},
                 {"at_ns": 454 * MS, "kind": "found", "text": "exclusion is violated"}]
        (self.run_folder / "trace.json").write_text(json.dumps(
            {"version": version, "replay": "v1/lock.name=toy/1/pause/1:1", "steps": steps,
             "safe": {"replay": "v1/lock.name=toy/1/pause/", "steps": steps[:1],
                      "without": ["client 1 stopped for 640ms"]},
             **({"curve": curve} if curve else {})}))

    # -- the first lines

    def test_the_first_lines_name_the_violation_its_cause_and_its_rate(self) -> None:
        text = self.text(Toy(fault="pause", pauses=[300, 900]))
        start = text.index("What broke")
        self.assertLess(text.index("held twice"), start)
        for words in ("What broke \N{LEFT DOUBLE QUOTATION MARK}held twice",
                      "Why The cause is \N{LEFT DOUBLE QUOTATION MARK}stopped"
                      "\N{RIGHT DOUBLE QUOTATION MARK} (all described violations), for example "
                      "when client 1",
                      "2 of 2 fault episodes violated, so with 95 % confidence "
                      "16\N{EN DASH}100 % of such fault episodes are"):
            self.assertIn(words, text)

    def test_a_share_of_holds_or_orders_has_no_interval(self) -> None:
        text = self.text(Toy(fault="pause", pauses=[300, 900]))
        self.assertIn("Share of all, no rate", text)
        intervals = re.findall(r"[\d.]+\N{EN DASH}[\d.]+ %|below [\d.]+ %", text)
        self.assertLessEqual(set(intervals), {"16\N{EN DASH}100 %", "below 85 %"})

    def test_a_run_without_expectations_does_not_mention_expectations(self) -> None:
        self.assertNotIn("expected", self.text(Toy(expected=False)).lower())

    def test_a_valid_run_names_the_largest_promise_that_was_missed(self) -> None:
        claims = write_run(self.run_folder, Toy())["claims"]
        for claim in claims:
            for margin in claim["margins"]:
                margin |= {"what": "least lease left at release", "value": -315 * MS}
        self.change(claims=claims)
        self.assertIn("Least lease left at release: missed by 315 ms; no other "
                      "client held the lock meanwhile.", self.read())

    def test_unknown_operations_and_undecided_claims_are_listed_with_reasons(self) -> None:
        text = self.text(Toy(stalled=True))
        for words in ("acquires of unknown outcome 3; 2 of them could hide a violation",
                      "client 2's acquire was not answered", "12 of 1 client",
                      "stalled: client 1 0.400\N{EN DASH}0.660 s",
                      "exclusion is undecided: the machine", "too little to say more",
                      "Why The machine stalled", "it is not known how many such runs are"):
            self.assertIn(words, text)

    def test_a_verdict_without_trials_gives_no_rate(self) -> None:
        write_run(self.run_folder, Toy(fault="pause"))
        self.change(trials=None, blind_spots=None)
        self.assertIn("How often is not known", self.read())

    def test_lost_updates_have_a_share_and_refused_writes_a_number(self) -> None:
        write_run(self.run_folder, Toy(fault="pause", pauses=[300, 900]))
        lost = {"count": 11, "of": 51, "share": 0.2157, "interval_95": [0.141, 0.298]}
        for values, words in (
                ({"lost_updates": lost},
                 "Lost updates: 11 of 51 confirmed writes, 22 % (14\N{EN DASH}30 %, 95 % interval "
                 "over fault episodes)."),
                ({"lost_updates": {**lost, "share": None, "interval_95": None}},
                 "Lost updates: 11 of 51 confirmed writes."),
                ({"lost_updates": {**lost, "interval_95": [0.0, 1.0]}},
                 "Lost updates: 11 of 51 confirmed writes."),
                ({"lost_updates": {**lost, "count": 0, "share": 0.0}, "refused_writes": 11},
                 "Lost updates: 0 of 51 confirmed writes. Stale writes refused by the store: 11.")):
            self.change(**values)
            self.assertIn(words, self.read())
        for absent in (None, {"count": 1, "per_million_grants": 3215.4}):
            self.change(lost_updates=absent, refused_writes=None)
            self.assertNotIn("Lost updates", self.read())

    def test_a_negative_margin_is_shown_as_missed(self) -> None:
        name = "least lease left at release"
        texts = [nearness(margin).replace("\N{NO-BREAK SPACE}", " ") for margin in (
            Margin(name, 315 * MS, "ns", []), Margin(name, -315 * MS, "ns", []),
            Margin(name, -315 * MS, "ns", [], 3, ((0, 100), (1, 17))))]
        self.assertEqual(texts, [
            f"{name}: 315 ms", f"{name}: missed, by 315 ms",
            f"{name}: missed, by 315 ms at most in 3 of 120 cases. The nearest of the others"])

    # -- stories and pictures

    def test_repeated_stories_are_shown_once_with_a_count(self) -> None:
        text = self.text(Toy(fault="pause", pauses=[300, 900]))
        self.assertIn("1 \N{MIDDLE DOT} held twice, oversold, 2 times The first is described. "
                      "The others began at 1.1", text)
        self.assertNotIn("2 \N{MIDDLE DOT} held twice", text)

    def test_the_steps_of_a_story_are_unfolded(self) -> None:
        write_run(self.run_folder, Toy(fault="pause"))
        html = self.html()
        self.assertIn("client 1 was granted the key", html[:html.index("<details>")])

    def test_no_label_of_a_picture_is_drawn_smaller_than_9_px(self) -> None:
        write_run(self.run_folder, Toy(fault="pause"))
        narrowest = re.search(r"figure svg \{[^}]*min-width: (\d+)px", STYLE.read_text())
        assert narrowest
        sizes = [float(size) for size in re.findall(r"font: (?:\w+ )*([\d.]+)px", self.html())
                 if "." in size or float(size) < LEAST_PX]
        self.assertGreaterEqual(min(sizes) * int(narrowest[1]) / (72 * WIDTH), LEAST_PX)

    def test_each_mark_of_a_timeline_has_a_text_and_is_reached_by_keyboard(self) -> None:
        write_run(self.run_folder, Toy(fault="pause"))
        html = self.html()
        marks = re.findall(r'<g class="mark( wrong)?"([^>]*)><title>([^<]+)</title>', html)
        self.assertEqual(len(marks), html.count('<g class="mark'))
        for _, attributes, text in marks:
            self.assertEqual(attributes, f' tabindex="0" role="img" aria-label="{text}"')
        texts = " ".join(text for _, _, text in marks)
        for words in ("client 1 held the lock, as it believed, ", "client 1: read ", "pause c1: ",
                      "client 1: lease over at "):
            self.assertIn(words, texts)
        self.assertTrue(any(wrong for wrong, _, _ in marks))

    def test_the_key_explains_tokens_and_messages_only_if_they_are_drawn(self) -> None:
        entries = ("grant, with its fencing token", "request to a server",
                   "reply or pushed message to a client")
        text = self.text(Toy(fault="pause"))
        self.assertEqual([entry for entry in entries if entry in text], [])
        self.assertIn("Add --frames to draw the messages", text)
        file = self.run_folder / "verdict.json"
        claims = json.loads(file.read_text())["claims"]
        lanes = [lane for claim in claims for found in claim["violations"]
                 for lane in found["lanes"] if lane["fault"] is None]
        lanes[0]["marks"].append({"at_ns": 0, "letter": "a", "text": "token 7"})
        self.change(claims=claims)
        at = next(found["from_ns"] for claim in claims for found in claim["violations"])
        frame = {"client": 1, "node": 1, "direction": "request", "command": "SET"}
        (self.run_folder / "frames.jsonl").write_text("".join(
            json.dumps({"time": time, **frame}, separators=(",", ":")) + "\n"
            for time in (at, at + 10 ** 15)))
        text = self.read()
        self.assertEqual([entry for entry in entries if entry in text], [*entries])
        self.assertNotIn("Add --frames", text)
        self.assertEqual(self.html().count("client 1 sends SET to node 1 at"), 2)  # title and label

    def test_only_the_first_of_many_episodes_of_a_fault_are_listed(self) -> None:
        verdict = write_run(self.run_folder, Toy(fault="pause"))
        fault = verdict["faults"][0]
        self.change(faults=[{**fault, "episodes": 1000 * fault["episodes"]}])
        self.assertIn("960 more, in verdict.json", self.read())

    # -- a simulated execution

    def test_a_simulated_execution_is_called_simulated_and_has_no_rates(self) -> None:
        write_run(self.run_folder, Toy(fault="pause"))
        self.write_trace()
        html = self.html()
        page = Page(html)
        text = page.text
        self.assertEqual(page.open, [])
        self.assertIn("<title>Simulated: ", html)
        self.assertIn("<h1>Simulated: ", html)
        for words in ("0.200 ms client 1 is granted", "0.200 ms ! client 1 stopped for 640ms",
                      "454.000 ms * exclusion is violated",
                      "a violation can happen, but not how often",
                      "nothing is violated without \N{LEFT DOUBLE QUOTATION MARK}client 1 stopped",
                      "doublehold replay 'v1/lock.name=toy/1/pause/'",
                      "doublehold replay 'v1/lock.name=toy/1/pause/1:1'"):
            self.assertIn(words, text)
        for words in ("per second", "95 % interval", "fault episodes", "no rate", "run --plan"):
            self.assertNotIn(words, text.split("Doublehold: distributed locks under")[0])
        self.assertNotIn("<script>alert", html)

    def test_the_curve_of_no_return_is_drawn_and_told(self) -> None:
        write_run(self.run_folder, Toy(fault="pause"))
        self.write_trace(curve=curve())
        html = self.html()
        page = Page(html)
        self.assertEqual(page.open, [])
        self.assertEqual(html.count('aria-label="The share jumps most at step 2."'), 1)
        self.assertIn('aria-label="Curve of no return"', html)
        for kind, label in (("mark", "step 0, 25 % (19–32 %): the start"),
                            ("mark wrong", "step 2, 100 % (98–100 %): client 1 stopped")):
            self.assertIn(f'<g class="{kind}" tabindex="0" role="img" aria-label="{label}"',
                          html.replace("\N{NO-BREAK SPACE}", " "))
        for words in ("The share jumps most at step 2.", "200 random continuations",
                      "2 0.200 ms 100 % 98–100 % ! client 1 stopped (the largest jump)"):
            self.assertIn(words, page.text)
        self.assertNotIn("<script>alert", html)

    def test_a_trace_without_a_curve_has_no_curve(self) -> None:
        write_run(self.run_folder, Toy(fault="pause"))
        self.write_trace()
        self.assertNotIn("no return", self.read())

    def test_a_curve_that_does_not_fit_its_steps_is_refused(self) -> None:
        write_run(self.run_folder, Toy(fault="pause"))
        for changed, says in (({"points": []}, "trace.json: curve: 'points' is empty"),
                              ({"points": [{**curve()["points"][1], "step": 4}]},
                               r"curve: points\[0\]: 'step' is 4, and the execution has 3 steps"),
                              ({"jump": "2"}, "curve: 'jump' is not a whole number")):
            self.write_trace(curve={**curve(), **changed})
            with self.assertRaisesRegex(BadInput, says):
                self.html()

    def test_a_simulated_execution_without_a_trace_is_called_simulated(self) -> None:
        write_run(self.run_folder, Toy(fault="pause"))
        self.change(environment={"simulated": True})
        text = self.read()
        self.assertIn("Simulated: ", text)
        self.assertIn("its folder has no trace.json", text)
        self.assertNotIn("95 % interval", text)

    def test_a_simulated_execution_without_a_violation_lists_its_steps(self) -> None:
        write_run(self.run_folder, Toy())
        self.write_trace()
        text = self.read()
        self.assertIn("0.200 ms client 1 is granted", text)
        self.assertIn("It shows one execution without a violation, not how often", text)

    def test_a_trace_of_another_version_is_refused(self) -> None:
        write_run(self.run_folder, Toy(fault="pause"))
        self.write_trace(version=2)
        with self.assertRaisesRegex(BadInput, "trace.json: version 2"):
            self.html()


if __name__ == "__main__":
    unittest.main()
