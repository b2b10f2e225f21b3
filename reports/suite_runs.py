"""The cells and runs that a suite.json lists."""

from parsing import Node


def ended_runs(cell: Node) -> list[Node]:
    """Returns the runs that were not cut short. Earlier versions listed the others too."""
    return [run for run in cell.nodes("runs") if run.data.get("interrupted") is not True]


def count_planned(top: Node) -> int:
    """Returns the number of cells of this part of a suite (`suite --shard 1/4`)."""
    if "planned" not in top.data:  # of version 0.1.0
        return len(top.nodes("cells"))
    planned, shard = len(top.nodes("planned")), top.maybe_text("shard") or "1/1"
    part, _, of = shard.partition("/")
    if not (part.isdecimal() and of.isdecimal() and 0 < int(part) <= int(of)):
        return planned
    return len(range(int(part) - 1, planned, int(of)))
