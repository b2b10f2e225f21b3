"""The load curves in suite.json: what each row, such as a lock, does at each load."""

from dataclasses import dataclass
from pathlib import Path

from comparison import amount
from parsing import Node, read_json
from reading import Percentiles
from words import duration, plural


@dataclass(frozen=True, slots=True)
class LoadValue:
    """A measure of a point: the median, the least and the most of its runs."""

    unit: str
    median: float
    least: float
    most: float

    @property
    def text(self) -> str:
        is_share = not self.unit and self.median <= 1
        return f"{self.median:.2f}" if is_share else amount(self.median, self.unit)


@dataclass(frozen=True, slots=True)
class Tail:
    """The percentiles p99.9 and p99.99 of a latency."""

    p999_ns: int | None  # None: the values are too few
    p9999_ns: int | None


@dataclass(frozen=True, slots=True)
class LoadPoint:
    """A row at one load."""

    row: str
    column: str
    sessions: int
    customers_a_second: float | None  # None: the next customer comes when the last was served
    runs: int
    measures: dict[str, LoadValue]
    latency: dict[str, Percentiles]  # of all runs together
    tails: dict[str, Tail]

    @property
    def holds(self) -> bool:
        """Whether the point shows renewals. Its holds are long, so its throughput shows nothing."""
        return self.column == "hold" or "renewals a second" in self.measures

    @property
    def word(self) -> str:
        """The word of --load that asks for this load."""
        if self.holds:
            return "hold"
        rate = self.customers_a_second
        return str(self.sessions) if rate is None else f"{rate:.0f}/s"

    @property
    def wait(self) -> tuple[Percentiles, Tail] | None:
        """How long customers waited, from the time at which they came."""
        name = "wait" if self.customers_a_second is None else "response"
        found = self.latency.get(name)
        return (found, self.tails[name]) if found and found.count else None

    def text(self, measure: str) -> str:
        found = self.measures.get(measure)
        return found.text if found else "\N{EN DASH}"

    def median(self, latency: str) -> str:
        found = self.latency.get(latency)
        return duration(found.p50_ns) if found and found.count else "\N{EN DASH}"


def read_load(folder: Path) -> list[LoadPoint]:
    """Returns the load curves in the folder of a suite. Older suites have none."""
    node = read_json(folder / "suite.json")
    return [_point(one) for one in node.nodes("load")] if "load" in node.data else []


def count_runs(points: list[LoadPoint]) -> str:
    """Returns how many runs each point has: "3 runs", or "0 to 3 runs" after an early end."""
    least, most = min(p.runs for p in points), max(p.runs for p in points)
    return plural(most, "run") if least == most else f"{least} to {plural(most, 'run')}"


def _point(node: Node) -> LoadPoint:
    measures, latency = node.node("measures"), node.node("latency")
    rate = node.data.get("customers_a_second")
    times = {name: latency.node(name) for name in latency.data}
    return LoadPoint(
        node.text("row"), node.text("column"), node.count("sessions"),
        None if rate is None else node.number("customers_a_second"), node.count("runs"),
        {name: _value(measures.node(name)) for name in measures.data},
        {name: Percentiles(one.count("count"), one.count("p50_ns"), one.count("p95_ns"),
                           one.count("p99_ns"), one.count("max_ns"))
         for name, one in times.items()},
        {name: Tail(_maybe(one, "p999_ns"), _maybe(one, "p9999_ns"))
         for name, one in times.items()})


def _value(node: Node) -> LoadValue:
    return LoadValue(node.text("unit"), node.number("median"), node.number("least"),
                     node.number("most"))


def _maybe(node: Node, name: str) -> int | None:
    return None if node.data.get(name) is None else node.count(name)
