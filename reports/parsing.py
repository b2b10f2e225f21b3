"""Strict reading of JSON: a missing or mistyped value is an error that names the value."""

import json
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

LONGEST_SHOWN = 160  # characters of a path in a message


class BadInput(Exception):
    """An invalid input, with its place, in one line for the user."""


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON object with its name for messages."""

    data: dict[str, Any]
    where: str

    def text(self, key: str) -> str:
        return self._need(key, str, "a text")

    def count(self, key: str) -> int:
        value = self._need(key, int, "a whole number")
        if isinstance(value, bool):
            raise BadInput(f"{self.where}: '{key}' is not a whole number")
        return value

    def number(self, key: str) -> float:
        value = self._need(key, (int, float), "a number")
        if isinstance(value, bool) or not isfinite(value):
            raise BadInput(f"{self.where}: '{key}' is not a number")
        return float(value)

    def numbers(self, key: str) -> list[float]:
        items = self._need(key, list, "a list")
        return [Node({key: item}, self.where).number(key) for item in items]

    def flag(self, key: str) -> bool:
        return self._need(key, bool, "true or false")

    def word(self, key: str, words: tuple[str, ...]) -> str:
        value = self.text(key)
        if value not in words:
            raise BadInput(f"{self.where}: '{key}' is '{value}', not one of {', '.join(words)}")
        return value

    def maybe_text(self, key: str) -> str | None:
        return None if self.data.get(key) is None else self.text(key)

    def maybe_count(self, key: str) -> int | None:
        return None if self.data.get(key) is None else self.count(key)

    def maybe_pairs(self, key: str) -> tuple[tuple[int, int], ...]:
        """Returns pairs of whole numbers; none if the key is missing."""
        items = [] if self.data.get(key) is None else self._need(key, list, "a list")
        for item in items:
            if not isinstance(item, list) or [type(value) for value in item] != [int, int]:
                raise BadInput(f"{self.where}: '{key}' has an item that is not two whole numbers")
        return tuple((first, second) for first, second in items)

    def maybe_number(self, key: str) -> float | None:
        return None if self.data.get(key) is None else self.number(key)

    def maybe_node(self, key: str) -> "Node | None":
        return None if self.data.get(key) is None else self.node(key)

    def node(self, key: str) -> "Node":
        return Node(self._need(key, dict, "an object"), f"{self.where}: {key}")

    def nodes(self, key: str) -> list["Node"]:
        found = []
        for i, item in enumerate(self._need(key, list, "a list")):
            where = f"{self.where}: {key}[{i}]"
            if not isinstance(item, dict):
                raise BadInput(f"{where} is not an object")
            found.append(Node(item, where))
        return found

    def texts(self, key: str) -> list[str]:
        items = self._need(key, list, "a list")
        if not all(isinstance(item, str) for item in items):
            raise BadInput(f"{self.where}: '{key}' is not a list of texts")
        return items

    def texts_by_name(self, key: str) -> dict[str, str]:
        texts = self._need(key, dict, "an object")
        if not all(isinstance(text, str) for text in texts.values()):
            raise BadInput(f"{self.where}: '{key}' does not hold texts only")
        return texts

    def _need(self, key: str, kind: type | tuple[type, ...], what: str) -> Any:
        if key not in self.data:
            raise BadInput(f"{self.where}: '{key}' is missing")
        value = self.data[key]
        if not isinstance(value, kind):
            raise BadInput(f"{self.where}: '{key}' is not {what}")
        return value


def read_json(file: Path) -> Node:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"{file}: no such file") from None
    except OSError as error:
        raise BadInput(f"{file}: cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{file}: not JSON ({_one_line(error)})") from None
    if not isinstance(data, dict):
        raise BadInput(f"{file}: not a JSON object")
    return Node(data, str(file))


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def shown(path: Path) -> str:
    """Returns a path for a message: on one line, and cut if it is long."""
    text = str(path)
    line = text if text.isprintable() else ascii(text)[1:-1]
    if len(line) <= LONGEST_SHOWN:
        return line
    return f"{line[:LONGEST_SHOWN]}... ({len(text)} characters)"
