"""Derives holds and stock curves from the events of a history, for timelines of a whole run.

The checkers decide about violations and draw them; verdict.json has the result.
"""

from dataclasses import dataclass, field

from drawing import Span
from history import REFEREE, History


@dataclass(slots=True)
class Hold:
    """A hold: from the return of the acquire to the invocation of the release."""

    client: int
    key: str
    hold: int
    asked_ns: int  # when the granted acquire was invoked
    from_ns: int
    valid_until_ns: int  # the end of the last lease
    to_ns: int = 0
    released: bool = False
    stale: list[Span] = field(default_factory=list)  # the spans after the end of a lease

    @property
    def live(self) -> list[Span]:
        parts, start = [], self.from_ns
        for begin, end in self.stale:
            if begin > start:
                parts.append((start, begin))
            start = end
        return parts + [(start, self.to_ns)] if self.to_ns > start else parts

    def extend(self, at_ns: int, valid_until_ns: int) -> None:
        self._end_live(at_ns)
        self.valid_until_ns = max(self.valid_until_ns, valid_until_ns)

    def end(self, at_ns: int, released: bool) -> None:
        self._end_live(at_ns)
        self.to_ns, self.released = at_ns, released

    def _end_live(self, at_ns: int) -> None:
        lease_over = max(self.valid_until_ns, self.from_ns)
        if at_ns > lease_over:
            self.stale.append((lease_over, at_ns))


def find_holds(history: History) -> list[Hold]:
    done: list[Hold] = []
    open_: dict[tuple[int, int], Hold] = {}  # by client and hold
    asked: dict[tuple[int, int], int] = {}  # time of the last acquire, by client and thread
    for event in history.events:
        if event.client <= REFEREE:
            continue
        who, session = (event.client, event.hold), (event.client, event.thread)
        if event.op == "acquire" and event.type == "invoke":
            asked[session] = event.at_ns
        elif event.op == "acquire" and event.type == "ok":
            until = event.first if event.first is not None else event.at_ns
            hold = Hold(event.client, event.key, event.hold,
                        asked.get(session, event.at_ns), event.at_ns, until)
            open_.setdefault(who, hold)  # a nested acquire re-enters the same hold
        elif event.op == "extend" and event.type == "ok" and who in open_:
            open_[who].extend(event.at_ns, event.first or 0)
        elif event.op == "release" and event.type == "invoke" and who in open_:
            hold = open_.pop(who)
            hold.end(event.at_ns, released=True)
            done.append(hold)
    for hold in open_.values():
        hold.end(history.end_ns, released=False)
        done.append(hold)
    return sorted(done, key=lambda hold: (hold.from_ns, hold.client))


@dataclass(frozen=True, slots=True)
class StockCurve:
    """Steps, summed over all items. `missing` is the number of pieces that were sold but never
    deducted from the stock."""

    at_ns: list[int]
    stock: list[int]  # last written value
    due: list[int]  # initial stock minus confirmed orders

    @property
    def missing(self) -> list[int]:
        # A write precedes the confirmation of its order, so `stock` may briefly be below `due`.
        return [max(0, stock - due) for stock, due in zip(self.stock, self.due)]


def stock_curve(history: History) -> StockCurve:
    last = {key: history.initial_stock for key in history.keys}
    due = stock = history.initial_stock * max(1, len(history.keys))
    curve = StockCurve([0], [stock], [due])
    for event in history.events:
        if event.type != "ok":
            continue
        if event.op == "write" and event.second is not None:
            stock += event.second - last.get(event.key, history.initial_stock)
            last[event.key] = event.second
        elif event.op == "final" and event.first is not None and event.key in last:
            stock += event.first - last[event.key]
            last[event.key] = event.first
        elif event.op == "order":
            due -= 1
        else:
            continue
        curve.at_ns.append(event.at_ns)
        curve.stock.append(stock)
        curve.due.append(due)
    return curve
