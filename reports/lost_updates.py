"""Reads `lost_updates` and `refused_writes` of verdict.json: what became of the stock's writes."""

from dataclasses import dataclass

from parsing import Node
from rates import read_pair


@dataclass(frozen=True, slots=True)
class LostUpdates:
    count: int
    of: int  # confirmed writes
    share: float | None  # None: it is unknown when an update was lost
    interval_95: tuple[float, float]
    refused_writes: int | None  # None: the store refuses no stale write


def read_lost_updates(verdict: Node) -> LostUpdates | None:
    """Returns None if no stock was judged, or if the verdict does not count confirmed writes."""
    node = verdict.maybe_node("lost_updates")
    of = node.maybe_count("of") if node else None
    if node is None or of is None:
        return None
    share = node.maybe_number("share")
    ends = (0.0, 1.0) if share is None else read_pair(node, "interval_95")
    return LostUpdates(node.count("count"), of, share, ends, verdict.maybe_count("refused_writes"))
