"""Made-up run and suite folders for tests, in the format of real ones.

A toy flash sale: clients acquire a lock in turn, read the stock, write the reduced stock and
confirm the order. The verdict is made up as well; this module judges no real run."""

import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MS = 1_000_000
TITLES = {"exclusion": "held twice", "lease-exclusion": "granted twice", "stock": "oversold",
          "liveness": "stuck"}
STOCK = 1000


@dataclass(slots=True)
class Toy:
    """The parameters. In a "pause", client 1 is stopped before its write until after its lease."""

    lock: str = "set-nx-px"
    library: dict[str, str] | None = None  # the library behind a driver
    fault: str = "calm"  # calm, pause, clock, network
    seed: int = 7
    clients: int = 4
    lease_ms: int = 200
    duration_ms: int = 1500
    fenced: bool = False  # the store refuses a stale write
    stalled: bool = False  # the machine stalled, so the verdict is unknown
    expected: bool = True  # whether the experiment states expectations
    experiment: str = "toy"
    hostile: str = ""  # added to texts that a page must escape
    pauses: list[int] = field(default_factory=lambda: [400])


class Maker:
    def __init__(self, toy: Toy) -> None:
        self.toy, self.random = toy, random.Random(toy.seed)
        self.events: list[dict[str, Any]] = []
        self.holds: list[dict[str, int]] = []
        self.episodes: list[dict[str, int]] = []
        self.uses: dict[int, list[dict[str, Any]]] = {}  # marks of the drawing, by hold
        self.stale_writes: list[tuple[int, int, int, int]] = []  # time, lost orders, two holds
        self.stock, self.orders, self.next_hold = STOCK, 0, 1

    def event(self, at: int, process: Any, type_: str, op: str, **value: Any) -> None:
        line = {"time": at, "process": process, "type": type_, "f": op, "value": value}
        if isinstance(process, int):
            line["key"] = "item-0"
        self.events.append(line)

    def step(self, low_us: int, high_us: int) -> int:
        return 1000 * self.random.randint(low_us, high_us)

    def make(self) -> None:
        toy, lease = self.toy, self.toy.lease_ms * MS
        at, client, pauses = 5 * MS, 1, sorted(toy.pauses if toy.fault != "calm" else [])
        stopped: tuple[int, int, dict[str, int]] | None = None  # time of resuming, stock read, hold
        while at < toy.duration_ms * MS:
            if stopped and at >= stopped[0]:
                at = max(at, self.finish_stale(*stopped))
                stopped = None
            waiting = [c for c in range(1, toy.clients + 1) if c != client
                       and not (stopped and c == stopped[2]["client"])]
            striking = pauses and at >= pauses[0] * MS and not stopped
            client = 1 if striking else self.random.choice(waiting)
            hold, read_at = self.acquire(at, client, lease)
            read = self.stock
            if striking:
                pauses.pop(0)
                stop_at, length = read_at + self.step(1000, 1500), lease + self.step(60000, 80000)
                self.fault(stop_at, stop_at + length, length)
                stopped = (stop_at + length, read, hold)
                at = stop_at + self.step(500, 900) if toy.fault == "clock" \
                    else hold["valid_until_ns"] + self.step(300, 900)
                continue
            at = self.finish(hold, read, read_at + self.step(2000, 6000))
        if stopped:
            at = max(at, self.finish_stale(*stopped))
        self.event(at + MS, "referee", "ok", "final", stock=self.stock, orders=self.orders)
        self.events[-1]["key"] = "item-0"
        self.events.sort(key=lambda event: event["time"])

    def acquire(self, at: int, client: int, lease: int) -> tuple[dict[str, int], int]:
        asked, got = at, at + self.step(60, 160)
        number, self.next_hold = self.next_hold, self.next_hold + 1
        self.event(max(0, asked - self.step(4000, 9000)), client, "invoke", "wait")
        self.event(asked, client, "invoke", "acquire", lease_ns=lease)
        self.event(got, client, "ok", "acquire", hold=number, valid_until_ns=asked + lease,
                   token=number)
        self.event(got + 1000, client, "ok", "wait")
        hold = {"client": client, "hold": number, "from_ns": got, "to_ns": 0,
                "valid_until_ns": asked + lease}
        self.holds.append(hold)
        read_at = got + self.step(300, 500)
        self.event(read_at - 200_000, client, "invoke", "read", hold=number)
        self.event(read_at, client, "ok", "read", hold=number, stock=self.stock)
        self.uses[number] = [{"at_ns": read_at, "letter": "g", "text": f"read {self.stock}"}]
        return hold, read_at

    def finish(self, hold: dict[str, int], read: int, at: int, refused: bool = False) -> int:
        client, number = hold["client"], hold["hold"]
        values = {"hold": number, "stock_read": read, "stock_written": read - 1}
        self.event(at, client, "invoke", "write", **values)
        if refused:
            self.event(at + 150_000, client, "fail", "write", **values)
        else:
            self.event(at + 150_000, client, "ok", "write", **values)
            self.stock, self.orders = read - 1, self.orders + 1
            self.event(at + 180_000, client, "invoke", "order", **values)
            self.event(at + 300_000, client, "ok", "order", **values)
        self.uses[number].append(
            {"at_ns": at + 150_000, "letter": "x" if refused else "w",
             "text": "write refused" if refused else f"wrote {read - 1}{self.toy.hostile}"})
        hold["to_ns"] = at + 400_000
        self.event(at + 400_000, client, "invoke", "release", hold=number)
        stale = hold["to_ns"] > hold["valid_until_ns"]
        self.event(at + 500_000, client, "fail" if stale else "ok", "release", hold=number)
        return at + 500_000 + self.step(200, 900)

    def finish_stale(self, resumes: int, read: int, hold: dict[str, int]) -> int:
        at, lost = resumes + self.step(300, 500), read - self.stock
        after = self.finish(hold, read, at, refused=self.toy.fenced)
        if not self.toy.fenced and lost:
            self.stale_writes.append((at + 150_000, lost, hold["hold"], self.next_hold - 1))
        return after

    def fault(self, begin: int, end: int, asked: int) -> None:
        measured = end - begin + 700_000
        on_client = 1 if self.toy.fault != "clock" else -1
        self.episodes.append({"from_ns": begin, "to_ns": end, "client": on_client,
                              "node": 1 if on_client == -1 else -1, "asked_ns": asked,
                              "measured_ns": measured})
        self.event(begin, "supervisor", "invoke", "fault", fault=0, asked_ns=asked,
                   client=on_client, node=-1)
        self.event(end, "supervisor", "ok", "fault", fault=0, measured_ns=measured,
                   client=on_client, node=-1)

    # -- the toy's verdict

    def overlaps(self, live: bool) -> list[dict[str, Any]]:
        ends = [min(h["to_ns"], h["valid_until_ns"]) if live else h["to_ns"] for h in self.holds]
        found = []
        for i, first in enumerate(self.holds):
            for second, second_end in zip(self.holds[i + 1:], ends[i + 1:]):
                begin = second["from_ns"]
                if begin >= ends[i] or begin >= second_end:
                    continue
                end = min(ends[i], second_end)
                over = first["valid_until_ns"] / 1e9
                found.append(self.violation(
                    begin, end, first, second,
                    f"client {first['client']}'s lease ended at {over:.3f} s while it was stopped; "
                    f"client {second['client']} was granted the key at "
                    f"{begin / 1e9:.3f} s{self.toy.hostile}"))
        return found

    def violation(self, begin: int, end: int, first: Any, second: Any, sentence: str,
                  count: int = 1) -> dict[str, Any]:
        faults = [e for e in self.episodes
                  if e["from_ns"] <= first["to_ns"] and e["to_ns"] >= first["from_ns"]]
        return {"lanes": [self.lane(first), self.lane(second), *map(self.fault_lane, faults)],
                "times_ns": [first["from_ns"], second["from_ns"], first["to_ns"]],
                "key": "item-0", "from_ns": begin, "to_ns": end, "stale": True, "count": count,
                "fault": "stall", "by_stall": False, "undescribed": 0,
                "first": first, "second": second,
                "sentence": sentence, "cause": "stopped",
                "because": f"client {first['client']} was stopped{self.toy.hostile}",
                "steps": [{"at_ns": first["from_ns"],
                           "text": f"client {first['client']} was granted the key"
                                   f"{self.toy.hostile}"}]}

    def lane(self, hold: dict[str, int]) -> dict[str, Any]:
        begin, end, over = hold["from_ns"], hold["to_ns"], hold["valid_until_ns"]
        spans = {"waiting": (over - self.toy.lease_ms * MS, begin), "held": (begin, end),
                 "live": (begin, min(over, end))}
        marks = [{"at_ns": over, "letter": "!", "text": "lease over"}] if over < end else []
        return {"name": f"client {hold['client']}", "kind": "session", "client": hold["client"],
                "fault": None, "marks": [*self.uses[hold["hold"]], *marks],
                "spans": [{"state": state, "from_ns": at, "to_ns": to}
                          for state, (at, to) in spans.items()]}

    def fault_lane(self, episode: dict[str, int]) -> dict[str, Any]:
        begin, end = episode["from_ns"], episode["to_ns"]
        text = f"client 1 was stopped{self.toy.hostile}"
        return {"name": "pause c1", "kind": "fault", "client": episode["client"], "fault": "stall",
                "spans": [{"state": "acting", "from_ns": begin, "to_ns": end}],
                "marks": [{"at_ns": begin, "letter": "[", "text": text},
                          {"at_ns": end, "letter": "]", "text": ""}]}

    def claims(self) -> list[dict[str, Any]]:
        by_number = {hold["hold"]: hold for hold in self.holds}
        lost = [self.violation(at, at, by_number[a], by_number[b],
                               f"client {by_number[a]['client']} wrote its stock at "
                               f"{at / 1e9:.3f} s over {count} newer orders", count)
                for at, count, a, b in self.stale_writes]
        return [self.claim("exclusion", self.overlaps(False), len(self.holds), "holds"),
                self.claim("lease-exclusion", self.overlaps(True), len(self.holds), "holds"),
                self.claim("stock", lost, self.orders, "orders"),
                self.claim("liveness", [], 1, "keys")]

    def claim(self, name: str, violations: list[Any], of: int, unit: str) -> dict[str, Any]:
        count = sum(v["count"] for v in violations)
        outcome = "violated" if count else "unknown" if self.toy.stalled else "valid"
        expected = outcome if self.toy.expected else None
        high = min(1.0, 3 / of) if not count else min(1.0, 2 * count / of)
        return {"claim": name, "title": TITLES[name],
                "meaning": f"{name} is broken{self.toy.hostile}", "outcome": outcome,
                "expected": expected,
                "as_expected": expected is not None or outcome == "valid",
                "reason": "the machine stalled a holder past its lease" if self.toy.stalled else "",
                "trials": self.trials(outcome), "count": count, "opportunities": of, "unit": unit,
                "rate": count / of,
                "interval_95": [0.5 * count / of, high],
                "margins": [] if count else [
                    {"what": "shortest gap between two holds", "value": 210000, "unit": "ns",
                     "nearest": [{"value": 210000, "at_ns": 1204000000,
                                  "sentence": f"client 3 came 210.0 us after{self.toy.hostile}"}],
                     "below_zero": 0, "histogram": [[196608, 1], [4194304, 14], [5242880, 5]]}],
                "violations": violations[:50]}

    def trials(self, outcome: str) -> dict[str, Any]:
        """Returns trials that all have the given outcome, with their exact interval."""
        of = max(1, len(self.episodes))
        seen, undecided = (of if outcome == each else 0 for each in ("violated", "unknown"))
        low, high = 0.025 ** (1 / of), 1 - 0.025 ** (1 / of)
        return {"unit": "fault episode" if self.episodes else "run", "of": of, "violated": seen,
                "undecided": undecided,
                "clopper_pearson_95": [low if seen else 0.0, 1.0 if seen or undecided else high]}

    def blind_spots(self) -> dict[str, Any]:
        unknown = 3 * self.toy.stalled
        calls = {name: {"unknown": 0, "could_hide": 0}
                 for name in ("extends", "releases", "writes")}
        return {**calls,
                "acquires": {"unknown": unknown, "could_hide": unknown - 1 if unknown else 0},
                "first": [{"sentence": f"client 2's acquire was not answered{self.toy.hostile}"}]
                if unknown else [],
                "without_lease": [{"client": 4, "holds": 12}] if unknown else [],
                "longest_stalls": [{"process": "client 1", "from_ns": 400 * MS, "to_ns": 660 * MS}]
                if unknown else []}

    def verdict(self) -> dict[str, Any]:
        toy, claims = self.toy, self.claims()
        outcomes = [claim["outcome"] for claim in claims]
        overall = next((o for o in ("violated", "unknown") if o in outcomes), "valid")
        as_expected = all(claim["as_expected"] for claim in claims)
        held = sorted(h["to_ns"] - h["from_ns"] for h in self.holds)
        families = {"pause": "process pauses", "clock": "clock faults", "network": "network faults"}
        faults = [{"name": "stall", "kind": toy.fault,
                   "family": families.get(toy.fault, "other faults"), "planned": len(self.episodes),
                   "what": f"client 1 at before-write, for {toy.lease_ms + 70}ms{toy.hostile}",
                   "started": len(self.episodes), "episodes": self.episodes}]
        return {
            **self.facts(), "faults": faults if self.episodes else [], "overall": overall,
            "as_expected": as_expected, "claims": claims,
            "exit_code": 2 if overall == "unknown" else 0 if as_expected else 1,
            "trials": self.trials(overall), "blind_spots": self.blind_spots(),
            "unknown_operations": {"acquires": 3 if toy.stalled else 0, "releases": 0, "writes": 0},
            "stalls": {"count": int(toy.stalled), "longest_ns": 260 * MS if toy.stalled else 0},
            "warnings": [f"one stall of the machine was near the lease{toy.hostile}"]
            if toy.stalled else [],
            "latency": {"acquire": percentiles([100_000] * 99 + [150_000]),
                        "wait": percentiles([MS * (i + 1) // 8 for i in range(100)]),
                        "hold": percentiles(held), "release": {}},
            "attempts": 7 * len(self.holds), "grants": len(self.holds), "orders": self.orders,
            "seconds": toy.duration_ms / 1000,
            "environment": {"redis": "7.0.15", "cores": 2, "kernel": "6.1", "doublehold": "0.1.0",
                            "supervisor": {
                                "memory_kb": {"first": 4096, "last": 4608, "peak": 5120},
                                "descriptors": {"before": 6, "first": 70, "last": 58, "peak": 81,
                                                "after": 6}}}}

    def facts(self) -> dict[str, Any]:
        toy = self.toy
        library = {} if toy.library is None else {"library": toy.library}
        return {"experiment": toy.experiment, "lock": toy.lock, **library, "workload": "inventory",
                "write": "fenced" if toy.fenced else "read-modify-write", "seed": toy.seed,
                "lease_ns": toy.lease_ms * MS, "duration_ns": toy.duration_ms * MS,
                "clients": toy.clients, "nodes": 1, "initial_stock": STOCK}


def percentiles(sorted_ns: list[int]) -> dict[str, int]:
    def at(share: float) -> int:
        return sorted_ns[min(len(sorted_ns) - 1, int(share * len(sorted_ns)))]

    return {"count": len(sorted_ns), "p50_ns": at(0.5), "p95_ns": at(0.95), "p99_ns": at(0.99),
            "max_ns": sorted_ns[-1]}


def write_run(folder: Path, toy: Toy) -> dict[str, Any]:
    """Writes a run folder and returns its verdict."""
    maker = Maker(toy)
    maker.make()
    verdict = maker.verdict()
    folder.mkdir(parents=True)
    facts = {**maker.facts(), "keys": ["item-0"], "grace_ns": MS, "faults": [], "claims": [],
             "expect": {}, "events": len(maker.events)}
    start = {"time": 0, "process": "supervisor", "type": "info", "f": "start", "value": facts}
    lines = [json.dumps({"index": i, **event}) for i, event in enumerate([start, *maker.events])]
    (folder / "history.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "verdict.json").write_text(json.dumps(verdict))
    (folder / "plan.json").write_text(json.dumps({"seed": toy.seed, "lock": toy.lock}))
    return verdict


def rates(runs: list[Any], column: str) -> list[dict[str, Any]]:
    """Returns rates for any claim and for exclusion, with made-up intervals."""
    unit = "run" if column == "calm" else "fault episode"
    seen = sum(run["overall"] == "violated" for run in runs)
    return [{"claim": claim, "unit": unit, "of": len(runs), "violated": seen, "undecided": 0,
             "wilson_95": [0.0, 0.9], "clopper_pearson_95": [0.1 if seen else 0.0, 0.95]}
            for claim in (None, "exclusion")]


def write_suite(folder: Path, repeat: int = 3,
                rows: tuple[str, ...] = ("none", "set-nx-px", "fenced"),
                columns: tuple[str, ...] = ("calm", "network", "pause", "clock")) -> None:
    """Writes a suite folder; the last cell has one run with an error."""
    cells = []
    for row in rows:
        for column in columns:
            runs = []
            for i in range(1, repeat + 1):
                where = f"cells/{row}-{column}/{i}"
                toy = Toy(lock=row, fault=column, seed=len(cells) * 100 + i, fenced=row == "fenced",
                          experiment=f"{row}/{column}")
                verdict = write_run(folder / where, toy)
                runs.append({"dir": where, "seed": toy.seed, "seconds": 1.6, "error": None,
                             **{k: verdict[k] for k in ("exit_code", "overall", "as_expected")}})
            cells.append({"name": f"{row}/{column}", "row": row, "column": column, "runs": runs,
                          "rates": rates(runs, column), "until": None})
    cells[-1]["runs"].append({
        "dir": "cells/broken/1", "seed": 1, "exit_code": 4, "overall": "unknown", "seconds": 0.1,
        "as_expected": False, "error": "node 1 did not start: <no memory>"})
    (folder / "suite.json").write_text(json.dumps({
        "suite": "toys", "seed": 7, "repeat": repeat, "jobs": 1, "seconds": 61.2,
        "as_expected": False, "interrupted": False, "rows": rows, "columns": columns,
        "about": {"pause": "client 1 is stopped <long>"}, "cells": cells, "shard": None,
        "planned": [{key: cell[key] for key in ("name", "row", "column")} for cell in cells]}))
