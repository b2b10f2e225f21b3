"""Reads frames.jsonl: the messages between clients and servers. A run has this file with
`run --frames`, a simulated execution with `replay --into`."""

import json
from dataclasses import dataclass
from pathlib import Path

from parsing import BadInput, Node

STORE = 0
DIRECTIONS = ("request", "reply")


@dataclass(frozen=True, slots=True)
class Message:
    at_ns: int
    client: int
    node: int  # 0: the store
    is_reply: bool
    command: str  # of a reply: the command that it answers; empty: unknown

    @property
    def text(self) -> str:
        command = self.command or "an unknown command"
        server = server_name(self.node) if self.node != STORE else "the store"
        if self.is_reply:
            return f"{server} answers client {self.client}'s {command}"
        return f"client {self.client} sends {command} to {server}"


def server_name(node: int) -> str:
    return f"node {node}" if node != STORE else "store"


def read_messages(folder: Path) -> list[Message]:
    """Returns the messages in the order of time; none if the folder has no frames.jsonl."""
    file = folder / "frames.jsonl"
    found: list[Message] = []
    try:
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                found.append(_message(line, f"{file}:{number}"))
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
        raise BadInput(f"{where}: not a message")
    node = Node(data, where)
    return Message(node.count("time"), node.count("client"), node.count("node"),
                   node.word("direction", DIRECTIONS) == "reply", node.text("command"))
