"""Tests whether the rates of two locks differ, on counted trials: fault episodes or runs.

The test is Fisher's exact test, two-sided. Cells of several columns are strata: given how many
trials of a column were violated in both locks together, each split of them is as likely as it is
under equal rates, and the test sums over the columns."""

from dataclasses import dataclass
from itertools import combinations
from math import exp, lgamma

from rates import Trials

LEVEL = 0.05
TEST = ("Fisher's exact test on counted fault episodes (runs, where there are no faults), at "
        "95\N{NO-BREAK SPACE}% for all pairs together")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two locks, and how likely a split as uneven as theirs is if their rates are equal."""

    first: str
    second: str
    p: float
    differ: bool

    @property
    def text(self) -> str:
        p = "p < 0.0001" if self.p < 0.0001 else f"p = {self.p:.2g}"
        return f"{self.first} and {self.second} differ ({p})"


def pairs_of(rates: dict[str, dict[str, Trials]]) -> list[Pair]:
    """`rates`: by lock, then by column. Two locks are compared in the columns that both have, if
    both counted the same unit there. LEVEL is shared among the pairs (Bonferroni)."""
    tested: list[tuple[str, str, float]] = []
    for first, second in combinations(rates, 2):
        strata = [(a, rates[second][column]) for column, a in rates[first].items()
                  if column in rates[second]]
        strata = [(a, b) for a, b in strata if a.unit == b.unit and a.of and b.of]
        if strata:
            tested.append((first, second, p_value(strata)))
    return [Pair(first, second, p, p < LEVEL / len(tested)) for first, second, p in tested]


def p_value(strata: list[tuple[Trials, Trials]]) -> float:
    """Of Fisher's exact test. An undecided trial counts as whichever outcome makes the two rates
    more equal."""
    if _share(strata, 0) > _share(strata, 1):
        strata = [(b, a) for a, b in strata]
    low, high = 0, 0
    chances = [1.0]  # of each number of violated trials in the first lock
    offset = 0
    for a, b in strata:
        in_a, in_b = a.violated + a.undecided, b.violated
        low, high = low + in_a, high + in_b
        least, split = _splits(in_a + in_b, a.of, b.of)
        offset += least
        chances = [sum(chances[i - j] * split[j]
                       for j in range(max(0, i - len(chances) + 1), min(i, len(split) - 1) + 1))
                   for i in range(len(chances) + len(split) - 1)]
    if low * sum(b.of for _, b in strata) >= high * sum(a.of for a, _ in strata):
        return 1.0  # with the undecided trials the rates may as well be equal
    seen = chances[low - offset]
    return min(1.0, sum(chance for chance in chances if chance <= seen * (1 + 1e-9)))


def _share(strata: list[tuple[Trials, Trials]], side: int) -> float:
    return sum(pair[side].violated for pair in strata) / sum(pair[side].of for pair in strata)


def _splits(violated: int, of_a: int, of_b: int) -> tuple[int, list[float]]:
    """Returns the least possible number in the first of two groups, and the chance of it and of
    each larger one: the hypergeometric distribution."""
    least, most = max(0, violated - of_b), min(violated, of_a)
    all_ways = _log_choose(of_a + of_b, violated)
    return least, [exp(_log_choose(of_a, k) + _log_choose(of_b, violated - k) - all_ways)
                   for k in range(least, most + 1)]


def _log_choose(of: int, chosen: int) -> float:
    return lgamma(of + 1) - lgamma(chosen + 1) - lgamma(of - chosen + 1)
