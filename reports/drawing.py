"""The drawing of a violation, as verdict.json has it: lanes with spans and marks."""

from dataclasses import dataclass

from parsing import Node

Span = tuple[int, int]  # from_ns, to_ns


@dataclass(frozen=True, slots=True)
class Mark:
    at_ns: int
    letter: str  # as in the pictures of a terminal
    text: str = ""  # "wrote 4"


@dataclass(frozen=True, slots=True)
class Lane:
    name: str
    client: int  # whose session it is, or on whom the fault acts; below 1: on no client
    fault: str | None  # the name of the fault; None: a session's lane
    spans: list[tuple[str, Span]]  # a state and its time
    marks: list[Mark]

    def spans_in(self, *states: str) -> list[Span]:
        return [span for state, span in self.spans if state in states]


def read_lanes(violation: Node) -> tuple[Lane, ...]:
    """Returns no lanes for a violation that names no hold, or that version 0.1.0 judged."""
    if "lanes" not in violation.data:
        return ()
    return tuple(
        Lane(node.text("name"), node.count("client"), node.maybe_text("fault"),
             [(span.text("state"), (span.count("from_ns"), span.count("to_ns")))
              for span in node.nodes("spans")],
             [Mark(mark.count("at_ns"), mark.text("letter"), mark.text("text"))
              for mark in node.nodes("marks")])
        for node in violation.nodes("lanes"))
