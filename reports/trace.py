"""Reads trace.json, which only the folder of a simulated execution has."""

from dataclasses import dataclass
from pathlib import Path

from parsing import BadInput, read_json

VERSION = 1
KINDS = ("done", "fault", "found")


@dataclass(frozen=True, slots=True)
class TraceStep:
    at_ns: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Trace:
    replay: str  # the replay string
    steps: list[TraceStep]


def read_trace(folder: Path) -> Trace | None:
    """Returns None for the folder of a real run."""
    file = folder / "trace.json"
    if not file.exists():
        return None
    top = read_json(file)
    if top.count("version") != VERSION:
        raise BadInput(f"{file}: version {top.count('version')}, and these reports read {VERSION}")
    return Trace(top.text("replay"), [
        TraceStep(step.count("at_ns"), step.word("kind", KINDS), step.text("text"))
        for step in top.nodes("steps")])
