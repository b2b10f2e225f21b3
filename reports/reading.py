"""Reads verdict.json and suite.json as dataclasses; see docs/formats.md. Refuses missing or
malformed values; ignores unknown keys."""

from dataclasses import dataclass, field
from pathlib import Path

from blind_spots import BlindSpots, read_blind_spots
from drawing import Lane, read_lanes
from lost_updates import LostUpdates, read_lost_updates
from parsing import BadInput, Node, read_json
from rates import Answer, ClaimRate, read_answer, read_rates, read_trials, read_until
from suite_runs import count_planned, ended_runs, rows_judged_in_part
from sweeps import SweptCell

OUTCOMES = ("valid", "unknown", "violated")
EXPECTATIONS = (*OUTCOMES, "any")
ENDLESS_NS = 1 << 62  # a later end of a lease means that the lease never ends


@dataclass(frozen=True, slots=True)
class HoldRef:
    client: int
    hold: int
    from_ns: int
    to_ns: int
    valid_until_ns: int


@dataclass(frozen=True, slots=True)
class Violation:
    claim: str
    key: str
    from_ns: int
    to_ns: int
    stale: bool
    count: int
    fault: str | None
    by_stall: bool
    first: HoldRef | None
    second: HoldRef | None
    sentence: str
    cause: str | None = None  # missing in verdicts of versions that determined no cause
    because: str = ""
    steps: tuple[tuple[int, str], ...] = ()  # at_ns and description
    lanes: tuple[Lane, ...] = ()
    times_ns: tuple[int, ...] = ()  # grants, the ends of holds and of their last leases

    @property
    def span(self) -> tuple[int, int]:
        """The interval in which the violation is drawn. For `stock`, only the instant of the
        write, because its call may begin much earlier."""
        return (self.to_ns if self.claim == "stock" else self.from_ns), self.to_ns


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A case that kept a claim by a small margin."""

    value: int
    at_ns: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Margin:
    what: str
    value: int  # negative: violated by this much
    unit: str  # "ns", or the unit counted
    nearest: list[NearMiss]
    below_zero: int = 0  # number of values below 0
    # The other values: the least of a class, and how many are in it.
    histogram: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    name: str
    title: str  # names the violation in a few words: "held twice"
    meaning: str  # describes the violation in a sentence
    outcome: str
    expected: str | None
    as_expected: bool
    reason: str
    count: int
    opportunities: int
    unit: str
    rate: float | None
    margins: list[Margin]
    violations: list[Violation]
    trials: ClaimRate | None = None


@dataclass(frozen=True, slots=True)
class Episode:
    """One start-to-heal interval of a fault."""

    from_ns: int
    to_ns: int
    client: int  # below 1: no client
    node: int  # below 0: no node; 0: the store
    asked_ns: int
    measured_ns: int


@dataclass(frozen=True, slots=True)
class Fault:
    name: str
    kind: str
    family: str  # "process pauses"
    what: str
    planned: int
    started: int
    episodes: list[Episode]


@dataclass(frozen=True, slots=True)
class Percentiles:
    count: int = 0
    p50_ns: int = 0
    p95_ns: int = 0
    p99_ns: int = 0
    max_ns: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    experiment: str
    lock: str
    library: str  # name and version of the library behind a driver; otherwise empty
    workload: str
    write: str
    seed: int
    lease_ns: int
    duration_ns: int
    clients: int
    nodes: int
    initial_stock: int
    overall: str
    as_expected: bool
    exit_code: int
    claims: list[Claim]
    faults: list[Fault]
    unknown_operations: dict[str, int]
    stalls: int
    longest_stall_ns: int
    untested: list[str]  # faults whose planned effect was not reached; older runs name none
    cut_short: str | None  # why the run ended early
    warnings: list[str]
    latency: dict[str, Percentiles]
    attempts: int
    grants: int
    orders: int
    seconds: float
    environment: dict[str, str]
    trials: ClaimRate | None = None  # by the gravest claim of each trial
    blind_spots: BlindSpots | None = None  # None: not examined
    lost_updates: LostUpdates | None = None  # None: not counted

    @property
    def lock_words(self) -> str:
        """The name of the judged lock: a lock of Doublehold, or a library behind a driver."""
        return self.library or self.lock

    @property
    def simulated(self) -> bool:
        """Whether the verdict is of one simulated execution, and not of a run."""
        return self.environment.get("simulated") == "True"

    @property
    def expects(self) -> bool:
        """Whether the experiment states expectations."""
        return any(claim.expected for claim in self.claims)

    @property
    def sells(self) -> bool:
        """Whether the workload sells stock."""
        return self.orders > 0 or any(claim.name == "stock" for claim in self.claims)

    @property
    def titles(self) -> dict[str, str]:
        """The titles of the claims, by name."""
        return {claim.name: claim.title for claim in self.claims}

    @property
    def violations(self) -> list[Violation]:
        found = [violation for claim in self.claims for violation in claim.violations]
        return sorted(found, key=lambda violation: (violation.span, violation.claim))


@dataclass(frozen=True, slots=True)
class SuiteRun:
    folder: Path
    seed: int
    exit_code: int
    overall: str
    as_expected: bool
    error: str | None  # the error message of a run that failed
    verdict: Verdict | None  # None if there is an error


@dataclass(frozen=True, slots=True)
class Cell:
    name: str
    row: str
    column: str
    runs: list[SuiteRun]
    rates: list[ClaimRate] = field(default_factory=list)
    answer: Answer | None = None  # if the suite asked for a rate

    @property
    def as_expected(self) -> bool:
        return all(run.as_expected for run in self.runs)

    @property
    def judged(self) -> list[Verdict]:
        return [run.verdict for run in self.runs if run.verdict]

    @property
    def expects(self) -> bool:
        """Whether the cell's runs state expectations."""
        return any(verdict.expects for verdict in self.judged)


@dataclass(frozen=True, slots=True)
class Suite:
    folder: Path
    name: str
    seed: int
    repeat: int
    seconds: float
    as_expected: bool
    rows: list[str]
    columns: list[str]
    about: dict[str, str]  # the description of each column
    until: str | None = None  # the goal for which each cell was repeated: "rate < 1e-4 @ 95%"
    interrupted: bool = False  # it was stopped or killed before its last run ended
    cells: list[Cell] = field(default_factory=list)  # of which a run has ended
    changed: str | None = None  # how --driver and --set differ from the suite's file
    planned: int = 0  # number of cells, also those of which no run has ended
    rows_in_part: set[str] = field(default_factory=set)  # with a cell of which no run has ended

    @property
    def expects(self) -> bool:
        return any(cell.expects for cell in self.cells)

    @property
    def unjudged(self) -> int:
        """The number of cells of which no run has ended."""
        return self.planned - len(self.cells)

    @property
    def mostly_empty(self) -> bool:
        """Whether most cells of a matrix would be empty: each column is a case for a few rows."""
        return 2 * len(self.cells) < len(self.rows) * len(self.columns)


@dataclass(frozen=True, slots=True)
class Sweep:
    """Each fault at each place of one lock's protocol; each cell of the suite is one run."""

    suite: Suite
    lock: str
    cells: dict[str, SweptCell]  # by the names of the suite's cells


@dataclass(frozen=True, slots=True)
class Run:
    folder: Path
    verdict: Verdict
    file: Path | None = None  # the history, if the page is of a file alone: it has no plan


def read_verdict(file: Path) -> Verdict:
    top = read_json(file)
    stalls = top.node("stalls")
    unknown = top.node("unknown_operations")
    latency = top.node("latency")
    return Verdict(
        experiment=top.text("experiment"), lock=top.text("lock"),
        library=read_library(top.maybe_node("library")), workload=top.text("workload"),
        write=top.text("write"), seed=top.count("seed"), lease_ns=top.count("lease_ns"),
        duration_ns=top.count("duration_ns"), clients=top.count("clients"),
        nodes=top.count("nodes"), initial_stock=top.count("initial_stock"),
        overall=top.word("overall", OUTCOMES), as_expected=top.flag("as_expected"),
        exit_code=top.count("exit_code"),
        claims=[_claim(node) for node in top.nodes("claims")],
        faults=[_fault(node) for node in top.nodes("faults")],
        unknown_operations={key: unknown.count(key) for key in unknown.data},
        stalls=stalls.count("count"), longest_stall_ns=stalls.count("longest_ns"),
        untested=top.texts("untested") if "untested" in top.data else [],
        cut_short=top.maybe_text("cut_short"), warnings=top.texts("warnings"),
        latency={key: _percentiles(latency.node(key)) for key in latency.data},
        attempts=top.count("attempts"), grants=top.count("grants"), orders=top.count("orders"),
        seconds=top.number("seconds"),
        environment=_environment(top.node("environment")), trials=read_trials(top),
        blind_spots=read_blind_spots(top), lost_updates=read_lost_updates(top))


def read_library(node: Node | None) -> str:
    """Returns name and version of the library behind a driver; empty without one."""
    return "" if node is None else f"{node.text('name')} {node.text('version')}"


def _environment(node: Node) -> dict[str, str]:
    facts = {key: str(value) for key, value in node.data.items() if key != "supervisor"}
    own = node.maybe_node("supervisor")
    if own is None:
        return facts
    memory, descriptors = own.node("memory_kb"), own.node("descriptors")
    first, last, peak = (memory.count(key) / 1024 for key in ("first", "last", "peak"))
    facts["supervisor's memory"] = (
        f"{first:.1f} MB at first, {last:.1f} at last, {peak:.1f} at most")
    facts["supervisor's descriptors"] = (
        f"{descriptors.count('first')} at first, {descriptors.count('last')} at last,"
        f" {descriptors.count('peak')} at most; {descriptors.count('before')} before the run,"
        f" {descriptors.count('after')} after it")
    return facts


def _claim(node: Node) -> Claim:
    name = node.text("claim")
    expected = node.maybe_text("expected")
    if expected is not None:
        node.word("expected", EXPECTATIONS)
    return Claim(
        name=name, title=node.maybe_text("title") or f"{name} violated",
        meaning=node.maybe_text("meaning") or "", outcome=node.word("outcome", OUTCOMES),
        expected=expected,
        as_expected=node.flag("as_expected"), reason=node.maybe_text("reason") or "",
        count=node.count("count"), opportunities=node.count("opportunities"),
        unit=node.text("unit"), rate=node.maybe_number("rate"),
        margins=[_margin(item) for item in node.nodes("margins")],
        violations=[_violation(name, item) for item in node.nodes("violations")],
        trials=read_trials(node, name))


def _margin(node: Node) -> Margin:
    return Margin(node.text("what"), node.count("value"), node.text("unit"),
                  [NearMiss(item.count("value"), item.count("at_ns"), item.text("sentence"))
                   for item in node.nodes("nearest")],
                  node.maybe_count("below_zero") or 0, node.maybe_pairs("histogram"))


def _violation(claim: str, node: Node) -> Violation:
    return Violation(
        claim=claim, key=node.text("key"), from_ns=node.count("from_ns"),
        to_ns=node.count("to_ns"), stale=node.flag("stale"), count=node.count("count"),
        fault=node.maybe_text("fault"), by_stall=node.flag("by_stall"),
        first=_hold(node.maybe_node("first")), second=_hold(node.maybe_node("second")),
        sentence=node.text("sentence"), cause=node.maybe_text("cause"),
        because=node.maybe_text("because") or "",
        steps=tuple((step.count("at_ns"), step.text("text")) for step in _steps(node)),
        lanes=read_lanes(node),
        times_ns=tuple(map(int, node.numbers("times_ns"))) if "times_ns" in node.data else ())


def _steps(node: Node) -> list[Node]:
    return node.nodes("steps") if "steps" in node.data else []


def _hold(node: Node | None) -> HoldRef | None:
    if node is None:
        return None
    return HoldRef(*(node.count(key)
                     for key in ("client", "hold", "from_ns", "to_ns", "valid_until_ns")))


def _fault(node: Node) -> Fault:
    keys = ("from_ns", "to_ns", "client", "node", "asked_ns", "measured_ns")
    return Fault(
        name=node.text("name"), kind=node.text("kind"),
        family=node.maybe_text("family") or "other faults", what=node.text("what"),
        planned=node.count("planned"), started=node.count("started"),
        episodes=[Episode(*(item.count(key) for key in keys)) for item in node.nodes("episodes")])


def _percentiles(node: Node) -> Percentiles:
    if not node.data:
        return Percentiles()
    keys = ("count", "p50_ns", "p95_ns", "p99_ns", "max_ns")
    return Percentiles(*(node.count(key) for key in keys))


def read_suite(folder: Path) -> Suite:
    top = read_json(folder / "suite.json")
    rows, columns = top.texts("rows"), top.texts("columns")
    cells = []
    for node in top.nodes("cells"):
        cell = Cell(node.text("name"), node.text("row"), node.text("column"),
                    [_suite_run(folder, item) for item in ended_runs(node)],
                    read_rates(node), read_answer(node))
        if cell.row not in rows or cell.column not in columns:
            raise BadInput(f"{node.where}: '{cell.row}' or '{cell.column}' is no row or column")
        if cell.runs:
            cells.append(cell)
    if not cells:
        raise BadInput(f"{folder}: no run of this suite has ended, so there is nothing to report")
    return Suite(
        folder=folder, name=top.text("suite"), seed=top.count("seed"), repeat=top.count("repeat"),
        seconds=top.number("seconds"), as_expected=top.flag("as_expected"), rows=rows,
        columns=columns, about=top.texts_by_name("about"), until=read_until(top),
        interrupted=top.flag("interrupted"), cells=cells, changed=top.maybe_text("changed"),
        planned=count_planned(top), rows_in_part=rows_judged_in_part(top))


def _suite_run(folder: Path, node: Node) -> SuiteRun:
    where = folder / node.text("dir")
    error = node.maybe_text("error")
    return SuiteRun(
        folder=where, seed=node.count("seed"), exit_code=node.count("exit_code"),
        overall=node.word("overall", OUTCOMES), as_expected=node.flag("as_expected"), error=error,
        verdict=None if error else read_verdict(where / "verdict.json"))
