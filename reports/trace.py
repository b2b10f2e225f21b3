"""Reads trace.json, which only the folder of a simulated execution has."""

from dataclasses import dataclass
from pathlib import Path

from parsing import BadInput, Node, read_json

VERSION = 1
KINDS = ("done", "fault", "found")


@dataclass(frozen=True, slots=True)
class TraceStep:
    at_ns: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class SafeExecution:
    replay: str
    without: list[str]  # the faults left out
    steps: list[TraceStep]


@dataclass(frozen=True, slots=True)
class Trace:
    replay: str  # the replay string
    steps: list[TraceStep]
    safe: SafeExecution | None  # the nearest execution in which nothing is violated


def read_trace(folder: Path) -> Trace | None:
    """Returns None for the folder of a real run."""
    file = folder / "trace.json"
    if not file.exists():
        return None
    top = read_json(file)
    if top.count("version") != VERSION:
        raise BadInput(f"{file}: version {top.count('version')}, and these reports read {VERSION}")
    safe = top.maybe_node("safe")
    return Trace(top.text("replay"), _steps(top), SafeExecution(
        safe.text("replay"), safe.texts("without"), _steps(safe)) if safe else None)


def _steps(node: Node) -> list[TraceStep]:
    return [TraceStep(step.count("at_ns"), step.word("kind", KINDS), step.text("text"))
            for step in node.nodes("steps")]
