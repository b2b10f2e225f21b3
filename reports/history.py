"""Reads events from history.jsonl, or from history.bin if history.jsonl is missing. Refuses a
truncated or malformed file, with file and line."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from event_lines import open_lines
from parsing import BadInput, Node

SUPERVISOR, REFEREE = -1, 0
PROCESSES = {"supervisor": SUPERVISOR, "referee": REFEREE}
SERVER = re.compile(r"node (\d{1,3})")  # a server only reports stalls
TYPES = frozenset({"invoke", "ok", "fail", "info"})
DECODER = json.JSONDecoder()  # json.loads takes twice as long, because it detects the encoding

# Maximum number of events that are read. A picture of more takes minutes and gigabytes. The page
# names the time at which the reader stopped.
EVENTS_DRAWN = 2_000_000

# The events in pictures. Other events are checked and dropped, so a long history fits in memory.
DRAWN = frozenset({("acquire", "invoke"), ("acquire", "ok"), ("extend", "ok"),
                   ("release", "invoke"), ("write", "ok"), ("order", "ok"), ("final", "ok")})

# By operation: the names in the file of the values in Event.first and Event.second.
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
    first: int | None  # value named in FIRST_VALUE
    second: int | None  # value named in SECOND_VALUE
    thread: int = 0  # of the client


@dataclass(frozen=True, slots=True)
class History:
    lock: str
    seed: int
    initial_stock: int
    keys: list[str]
    events: list[Event]  # those of DRAWN, in time order
    end_ns: int  # the time of the last event
    cut_at_ns: int | None  # time at which reading stopped at EVENTS_DRAWN, if it did


def read_history(file: Path) -> History:
    events: list[Event] = []
    cut_at_ns = None
    number = last_ns = 0
    try:
        with open_lines(file) as lines:
            start = _parse(lines.readline(), file, 1)
            if start.get("f") != "start" or not isinstance(start.get("value"), dict):
                raise BadInput(f"{file}:1: the first line is not a start event")
            number = 1
            for number, raw in enumerate(lines, 2):
                line = _parse(raw, file, number)
                event = parse_event(line, file, number)
                if line.get("index") != number - 1 or event.at_ns < last_ns:
                    raise BadInput(f"{file}:{number}: out of order; lines are missing or mixed up")
                last_ns = event.at_ns
                if (event.op, event.type) in DRAWN:
                    events.append(event)
                if number > EVENTS_DRAWN:
                    cut_at_ns = last_ns
                    break
    except FileNotFoundError:
        raise BadInput(f"{file}: no such file") from None
    except OSError as error:
        raise BadInput(f"{file}: cannot be read ({error.strerror})") from None
    facts = Node(start["value"], f"{file}:1")
    if cut_at_ns is None and facts.data.get("events", number - 1) != number - 1:
        raise BadInput(f"{file}:{number}: cut off: {number - 1} events of {facts.data['events']}")
    return History(facts.text("lock"), facts.count("seed"), facts.count("initial_stock"),
                   facts.texts("keys"), events, last_ns, cut_at_ns)


def _parse(raw: bytes, file: Path, number: int) -> dict[str, Any]:
    if not raw.endswith(b"\n"):
        raise BadInput(f"{file}:{number}: cut off" if raw else f"{file}:{number}: nothing there")
    try:
        text = raw.decode()
        line, end = DECODER.raw_decode(text)
        if text[end:].strip():
            raise ValueError("more than one value")
    except ValueError as error:
        raise BadInput(f"{file}:{number}: not JSON ({' '.join(str(error).split())})") from None
    if not isinstance(line, dict):
        raise BadInput(f"{file}:{number}: not an event")
    return line


def parse_event(line: dict[str, Any], file: Path, number: int) -> Event:
    try:
        op, type_, at_ns, process = line["f"], line["type"], line["time"], line["process"]
        value, key, thread = line.get("value") or {}, line.get("key") or "", line.get("thread", 0)
        hold, first, second = (value.get("hold", 0), value.get(FIRST_VALUE.get(op)),
                               value.get(SECOND_VALUE.get(op)))
        if not (type_ in TYPES and isinstance(op, str) and isinstance(key, str)
                and isinstance(at_ns, int) and isinstance(hold, int) and isinstance(thread, int)
                and (first is None or isinstance(first, int))
                and (second is None or isinstance(second, int))):
            raise ValueError
        client = process if isinstance(process, int) else _process_number(process, op)
        return Event(at_ns, client, type_, op, key, hold, first, second, thread)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadInput(f"{file}:{number}: not an event of a history") from None


def _process_number(process: str, op: str) -> int:
    server = SERVER.fullmatch(process) if op == "stall" else None
    return SUPERVISOR - 1 - int(server[1]) if server else PROCESSES[process]
