"""Reads frames.jsonl: the messages between clients and servers. A run has this file with
`run --frames`, a simulated execution with `replay --into`."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from drawing import Span
from parsing import BadInput, Node

STORE = 0
DIRECTIONS = ("request", "reply")
PUSHED = "MESSAGE"  # the command of a pushed message
TIME = re.compile(r'\{"time":(\d+),')


@dataclass(frozen=True, slots=True)
class Message:
    at_ns: int
    client: int
    node: int  # 0: the store
    is_reply: bool
    command: str  # for a reply: the command that it answers, or PUSHED; empty: unknown

    @property
    def text(self) -> str:
        client = f"client {self.client}"
        server = server_name(self.node) if self.node != STORE else "the store"
        if not self.is_reply:
            return f"{client} sends {self.command or 'an unknown command'} to {server}"
        if self.command == PUSHED:
            return f"{server} pushes a message to {client}"
        if not self.command:
            return f"{server} answers an unknown command of {client}"
        return f"{server} answers {client}'s {self.command}"


def server_name(node: int) -> str:
    return f"node {node}" if node != STORE else "store"


def read_messages(folder: Path, windows: list[Span]) -> list[Message]:
    """Returns the messages within the windows, in file order; an empty list if the folder has no
    frames.jsonl."""
    file = folder / "frames.jsonl"
    found: list[Message] = []
    # Most lines are outside of all windows, and need no further check.
    begin, end = min((w[0] for w in windows), default=0), max((w[1] for w in windows), default=0)
    try:
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                time = TIME.match(line)
                if time and not begin <= int(time[1]) <= end:
                    continue
                message = _message(line, f"{file}:{number}")
                if any(first <= message.at_ns <= last for first, last in windows):
                    found.append(message)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise BadInput(f"{file}: cannot be read ({error.strerror})") from None
    return found


def _message(line: str, where: str) -> Message:
    try:
        data = json.loads(line)
    except ValueError as error:
        raise BadInput(f"{where}: not JSON ({' '.join(str(error).split())})") from None
    if not isinstance(data, dict):
        raise BadInput(f"{where}: not a JSON object")
    node = Node(data, where)
    return Message(node.count("time"), node.count("client"), node.count("node"),
                   node.word("direction", DIRECTIONS) == "reply", node.text("command"))
