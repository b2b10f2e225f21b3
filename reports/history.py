"""Reads events from history.jsonl, or from history.bin if that alone was kept. Refuses a truncated
or malformed file, and names file and line."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from event_lines import open_lines
from parsing import BadInput, Node

SUPERVISOR, REFEREE = -1, 0
PROCESSES = {"supervisor": SUPERVISOR, "referee": REFEREE}
SERVER = re.compile(r"node (\d{1,3})")  # only their stalls are drawn
TYPES = frozenset({"invoke", "ok", "fail", "info"})

# Limit of events: more would take minutes and gigabytes to draw. The page says where it was
# reached.
EVENTS_DRAWN = 2_000_000

# The values of operations that are drawn, by their names in the file.
FIRST_VALUE = {"acquire": "valid_until_ns", "extend": "valid_until_ns", "read": "stock",
               "write": "stock_read", "order": "stock_read", "final": "stock", "stall": "length_ns"}
SECOND_VALUE = {"write": "stock_written", "order": "stock_written", "final": "orders"}


class Event(NamedTuple):
    at_ns: int
    client: int  # number from 1, or REFEREE, SUPERVISOR
    type: str
    op: str
    key: str
    hold: int  # 0: none
    first: int | None  # see FIRST_VALUE
    second: int | None
    session: bool  # False: written by the client's watchdog or stall meter


@dataclass(frozen=True, slots=True)
class History:
    lock: str
    seed: int
    initial_stock: int
    keys: list[str]
    events: list[Event]  # in time order
    cut_at_ns: int | None  # where reading stopped at EVENTS_DRAWN

    @property
    def end_ns(self) -> int:
        return self.events[-1].at_ns if self.events else 0


def read_history(file: Path) -> History:
    events: list[Event] = []
    cut_at_ns = None
    number = 0
    try:
        with open_lines(file) as lines:
            start = _parse(lines.readline(), file, 1)
            if start.get("f") != "start" or not isinstance(start.get("value"), dict):
                raise BadInput(f"{file}:1: the first line does not tell what the run was")
            number, last_ns = 1, 0
            for number, raw in enumerate(lines, 2):
                line = _parse(raw, file, number)
                event = event_of(line, file, number)
                if line.get("index") != number - 1 or event.at_ns < last_ns:
                    raise BadInput(f"{file}:{number}: out of order; lines are missing or mixed up")
                last_ns = event.at_ns
                events.append(event)
                if len(events) >= EVENTS_DRAWN:
                    cut_at_ns = last_ns
                    break
    except FileNotFoundError:
        raise BadInput(f"{file}: no such file") from None
    except OSError as error:
        raise BadInput(f"{file}: cannot be read ({error.strerror})") from None
    facts = Node(start["value"], f"{file}:1")
    if cut_at_ns is None and facts.data.get("events", len(events)) != len(events):
        raise BadInput(f"{file}:{number}: cut off: {len(events)} events of {facts.data['events']}")
    return History(facts.text("lock"), facts.count("seed"), facts.count("initial_stock"),
                   facts.texts("keys"), events, cut_at_ns)


def _parse(raw: bytes, file: Path, number: int) -> dict[str, Any]:
    if not raw.endswith(b"\n"):
        raise BadInput(f"{file}:{number}: cut off" if raw else f"{file}:{number}: nothing there")
    try:
        line = json.loads(raw)
    except ValueError as error:
        raise BadInput(f"{file}:{number}: not JSON ({' '.join(str(error).split())})") from None
    if not isinstance(line, dict):
        raise BadInput(f"{file}:{number}: not an event")
    return line


def event_of(line: dict[str, Any], file: Path, number: int) -> Event:
    try:
        op, type_, at_ns, process = line["f"], line["type"], line["time"], line["process"]
        value = line.get("value") or {}
        server = SERVER.fullmatch(process) if op == "stall" and isinstance(process, str) else None
        client = process if isinstance(process, int) else SUPERVISOR - 1 - int(server[1]) if server \
            else PROCESSES[process]
        first = value.get(FIRST_VALUE.get(op, ""))
        second = value.get(SECOND_VALUE.get(op, ""))
        event = Event(at_ns, client, type_, op, line.get("key") or "", value.get("hold", 0),
                      first, second, "task" not in line)
        whole = isinstance(at_ns, int) and isinstance(event.hold, int) and all(
            number is None or isinstance(number, int) for number in (first, second))
        if type_ not in TYPES or not whole or not isinstance(op, str) \
                or not isinstance(event.key, str):
            raise ValueError
        return event
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadInput(f"{file}:{number}: not an event of a history") from None
