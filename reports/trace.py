"""Reads trace.json, which only the folder of a simulated execution has."""

from dataclasses import dataclass
from pathlib import Path

from parsing import BadInput, Node, read_json
from rates import read_pair

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
class CurvePoint:
    """The random continuations from one step of the execution."""

    step: int  # its number; 0: the start
    at_ns: int
    text: str  # what happened at the step
    is_fault: bool
    violated: int
    share: float
    exact_95: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Curve:
    """The curve of no return: the share of continuations that violate the claim, by step."""

    claim: str
    continuations: int  # from each step
    points: list[CurvePoint]
    jump: int | None  # the step with the largest rise of the share
    sentence: str


@dataclass(frozen=True, slots=True)
class Trace:
    replay: str  # the replay string
    steps: list[TraceStep]
    safe: SafeExecution | None  # the nearest execution in which nothing is violated
    curve: Curve | None


def read_trace(folder: Path) -> Trace | None:
    """Returns None for the folder of a real run."""
    file = folder / "trace.json"
    if not file.exists():
        return None
    top = read_json(file)
    if top.count("version") != VERSION:
        raise BadInput(f"{file}: version {top.count('version')}, and these reports read {VERSION}")
    safe, curve, steps = top.maybe_node("safe"), top.maybe_node("curve"), _steps(top)
    return Trace(top.text("replay"), steps, SafeExecution(
        safe.text("replay"), safe.texts("without"), _steps(safe)) if safe else None,
        _curve(curve, steps) if curve else None)


def _curve(curve: Node, steps: list[TraceStep]) -> Curve:
    points = [_point(node, steps) for node in curve.nodes("points")]
    if not points:
        raise BadInput(f"{curve.where}: 'points' is empty")
    return Curve(curve.text("claim"), curve.count("continuations"), points,
                 curve.maybe_count("jump"), curve.text("sentence"))


def _point(node: Node, steps: list[TraceStep]) -> CurvePoint:
    number = node.count("step")
    if not 0 <= number <= len(steps):
        raise BadInput(f"{node.where}: 'step' is {number}, and the execution has "
                       f"{len(steps)} steps")
    step = steps[number - 1] if number else TraceStep(0, "done", "")
    return CurvePoint(number, step.at_ns, node.text("text"), step.kind == "fault",
                      node.count("violated"), node.number("share"),
                      read_pair(node, "clopper_pearson_95"))


def _steps(node: Node) -> list[TraceStep]:
    return [TraceStep(step.count("at_ns"), step.word("kind", KINDS), step.text("text"))
            for step in node.nodes("steps")]
