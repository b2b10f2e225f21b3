"""Tests whether the rates of two locks differ, on counted trials: fault episodes or runs.

The test is Fisher's exact test, two-sided. Each column is a stratum. The number of violated trials
of both locks together is fixed in each column. The statistic is the first lock's number of violated
trials, summed over the columns."""

from dataclasses import dataclass, replace
from itertools import combinations
from math import exp, lgamma

from rates import Trials

LEVEL = 0.05
TEST = ("Fisher's exact test on counted fault episodes (runs, where there are no faults), at "
        "95\N{NO-BREAK SPACE}% for all pairs together")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two locks, and the probability `p` of results at least as uneven under equal rates.

    `can_show_difference`: whether at least one possible result of these trials would be
    significant."""

    first: str
    second: str
    p: float
    differ: bool
    can_show_difference: bool

    @property
    def text(self) -> str:
        p = "p < 0.0001" if self.p < 0.0001 else f"p = {self.p:.2g}"
        return f"{self.first} and {self.second} differ ({p})"


def compare_pairs(rates: dict[str, dict[str, Trials]]) -> list[Pair]:
    """`rates` is by lock, then by column. Compares two locks in the columns in which both have
    trials of the same unit. LEVEL is divided by the number of pairs (Bonferroni)."""
    tested: list[tuple[str, str, float, float]] = []
    for first, second in combinations(rates, 2):
        strata = [(a, rates[second][column]) for column, a in rates[first].items()
                  if column in rates[second]]
        strata = [(a, b) for a, b in strata if a.unit == b.unit and a.of and b.of]
        if strata:
            tested.append((first, second, p_value(strata), _smallest_p(strata)))
    return [Pair(first, second, p, p < LEVEL / len(tested), smallest < LEVEL / len(tested))
            for first, second, p, smallest in tested]


def p_value(strata: list[tuple[Trials, Trials]]) -> float:
    """Returns the p-value of Fisher's exact test. An undecided trial counts as the outcome that
    makes the two rates more equal."""
    if _share(strata, 0) > _share(strata, 1):
        strata = [(b, a) for a, b in strata]
    low, high = 0, 0
    # chances[i]: the chance that the first lock has `offset` + i violated trials
    chances = [1.0]
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
        return 1.0  # the undecided trials can make the rates equal
    seen = chances[low - offset]
    return min(1.0, sum(chance for chance in chances if chance <= seen * (1 + 1e-9)))


def _smallest_p(strata: list[tuple[Trials, Trials]]) -> float:
    """Returns the smallest p-value that these trials can give: no violated trial of one lock, all
    of the other."""
    return p_value([(replace(a, violated=0, undecided=0), replace(b, violated=b.of, undecided=0))
                    for a, b in strata])


def _share(strata: list[tuple[Trials, Trials]], side: int) -> float:
    return sum(pair[side].violated for pair in strata) / sum(pair[side].of for pair in strata)


def _splits(violated: int, of_a: int, of_b: int) -> tuple[int, list[float]]:
    """Returns the least possible number of violated trials in the first group, and the probability
    of this number and each larger one. The distribution is hypergeometric."""
    least, most = max(0, violated - of_b), min(violated, of_a)
    all_ways = _log_choose(of_a + of_b, violated)
    return least, [exp(_log_choose(of_a, k) + _log_choose(of_b, violated - k) - all_ways)
                   for k in range(least, most + 1)]


def _log_choose(of: int, chosen: int) -> float:
    return lgamma(of + 1) - lgamma(chosen + 1) - lgamma(of - chosen + 1)
