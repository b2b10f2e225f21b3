"""95 % intervals of shares, for counts over the repetitions of a cell."""

from math import sqrt

Z = 1.959964  # of the normal distribution, two-sided 95 %


def wilson(hits: int, of: int) -> tuple[float, float]:
    """Wilson's score interval: it holds for few repetitions and for shares of 0 and 1."""
    if of == 0:
        return 0.0, 1.0
    share, z2 = hits / of, Z * Z
    centre = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = Z * sqrt(share * (1 - share) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    low = 0.0 if hits == 0 else max(0.0, centre - half)
    high = 1.0 if hits == of else min(1.0, centre + half)
    return low, high


def upper_bound(of: int) -> float:
    """How large a share can be that was never seen in `of` chances (rule of three)."""
    return min(1.0, 3 / of) if of else 1.0
