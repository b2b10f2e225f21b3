"""The drawing of a violation in verdict.json: lanes with spans and marks."""

from dataclasses import dataclass

from parsing import Node

Span = tuple[int, int]  # from_ns, to_ns


@dataclass(frozen=True, slots=True)
class Mark:
    at_ns: int
    letter: str  # as in Doublehold's drawings on the terminal
    text: str = ""  # describes the event: "wrote 4"


@dataclass(frozen=True, slots=True)
class Lane:
    name: str
    client: int  # client of the session, or target of the fault; below 1: no client
    fault: str | None  # the name of the fault; None: a session's lane
    spans: list[tuple[str, Span]]  # a state and its time
    marks: list[Mark]

    def spans_in(self, *states: str) -> list[Span]:
        return [span for state, span in self.spans if state in states]


def read_lanes(violation: Node) -> tuple[Lane, ...]:
    """Returns no lanes if the violation names no hold, or if version 0.1.0 judged the run."""
    if "lanes" not in violation.data:
        return ()
    return tuple(
        Lane(node.text("name"), node.count("client"), node.maybe_text("fault"),
             [(span.text("state"), (span.count("from_ns"), span.count("to_ns")))
              for span in node.nodes("spans")],
             [Mark(mark.count("at_ns"), mark.text("letter"), mark.text("text"))
              for mark in node.nodes("marks")])
        for node in violation.nodes("lanes"))
