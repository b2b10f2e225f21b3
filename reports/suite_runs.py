"""The cells and runs that a suite.json lists."""

from parsing import Node


def ended_runs(cell: Node) -> list[Node]:
    """Returns the runs that were not cut short. Earlier versions listed the others too."""
    return [run for run in cell.nodes("runs") if run.data.get("interrupted") is not True]


def _planned(top: Node) -> list[Node]:
    """Returns the cells of this part of a suite (`suite --shard 1/4`)."""
    planned, shard = top.nodes("planned"), top.maybe_text("shard") or "1/1"
    part, _, of = shard.partition("/")
    if not (part.isdecimal() and of.isdecimal() and 0 < int(part) <= int(of)):
        return planned
    return planned[int(part) - 1::int(of)]


def count_planned(top: Node) -> int:
    return len(_planned(top))


def rows_judged_in_part(top: Node) -> set[str]:
    """Returns the rows of which a planned cell has no run that has ended."""
    ended = {cell.text("name") for cell in top.nodes("cells") if ended_runs(cell)}
    return {cell.text("row") for cell in _planned(top) if "row" in cell.data
            and cell.text("name") not in ended}
