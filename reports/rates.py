"""Reads the rates in suite.json: how often each claim was violated over all repetitions of a cell,
and the answer about the requested rate. The checkers count; this module only reads."""

from dataclasses import dataclass

from parsing import BadInput, Node

ANSWERS = ("below", "not below", "not decided")


@dataclass(frozen=True, slots=True)
class Trials:
    """Opportunities for a violation, each counted once: fault episodes, or runs."""

    unit: str
    of: int
    violated: int
    undecided: int


@dataclass(frozen=True, slots=True)
class ClaimRate:
    claim: str | None  # None: any claim
    trials: Trials
    exact_95: tuple[float, float]  # the Clopper-Pearson interval


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether the rate is below the requested rate. The bounds are valid however often the data
    was examined."""

    answer: str
    trials: Trials
    bounds: tuple[float, float]


def read_rates(cell: Node) -> list[ClaimRate]:
    """Returns an empty list for a suite of a version that did not count rates."""
    if "rates" not in cell.data:
        return []
    return [ClaimRate(node.maybe_text("claim"), _trials(node),
                      read_pair(node, "clopper_pearson_95"))
            for node in cell.nodes("rates")]


def read_trials(verdict: Node, claim: str | None = None) -> ClaimRate | None:
    """Reads the `trials` of a verdict or of one of its claims."""
    node = verdict.maybe_node("trials")
    if node is None:
        return None
    return ClaimRate(claim, _trials(node), read_pair(node, "clopper_pearson_95"))


def read_answer(cell: Node) -> Answer | None:
    node = cell.maybe_node("until")
    if node is None:
        return None
    return Answer(node.word("answer", ANSWERS), _trials(node),
                  (node.number("lower_bound"), node.number("upper_bound")))


def read_until(suite: Node) -> str | None:
    node = suite.maybe_node("until")
    return None if node is None else node.text("text")


def find_rate(rates: list[ClaimRate], claim: str | None) -> ClaimRate | None:
    """Returns the first rate of the claim: by fault episodes if there is such a rate, else by
    runs."""
    return next((rate for rate in rates if rate.claim == claim), None)


def _trials(node: Node) -> Trials:
    return Trials(node.text("unit"), node.count("of"), node.count("violated"),
                  node.count("undecided"))


def read_pair(node: Node, key: str) -> tuple[float, float]:
    match node.numbers(key):
        case [low, high]:
            return low, high
    raise BadInput(f"{node.where}: '{key}' is not two numbers")
