"""Medians of differences (Hodges and Lehmann), with the intervals of the rank tests."""

from __future__ import annotations

from functools import cache

import numpy as np

from airmile._errors import UsageError
from airmile._scipy import special, stats
from airmile._statistics import ranks
from airmile.comparison.inference._arrays import LEVEL, Array

MOST_PAIRS = 25_000_000
"""The most averages, or differences, of two values that are computed and sorted."""

MOST_EXACT = 49
"""The most values for which the distribution of the ranks is exact, as in R."""

Interval = tuple[float, float]


def signed_ranks(differences: Array) -> Array:
    """Return the ranks of the absolute differences, with the signs of the differences.

    >>> signed_ranks(np.array([-3.0, 1.0, 2.0]))
    array([-3.,  1.,  2.])
    """
    return np.sign(differences) * ranks(np.abs(differences))


def pseudomedian(differences: Array, widening: float = 1.0) -> tuple[float, Interval | None]:
    """Return the median of all averages of two differences, with its interval.

    Parameters
    ----------
    differences : numpy.ndarray
        Paired differences.
    widening : float
        How many times larger the deviation of the ranks is than for independent differences.

    Returns
    -------
    float
        The Hodges-Lehmann median.
    tuple of float or None
        The interval by the signed-rank test; None if there are too few differences.
    """
    n = differences.size
    _few_enough(n * (n + 1) // 2)
    upper = np.triu_indices(n)
    averages = np.sort((differences[upper[0]] + differences[upper[1]]) / 2)
    lowest = _signed_rank_place(n) if widening == 1 and n <= MOST_EXACT else None
    deviation = np.sqrt(n * (n + 1) * (2 * n + 1) / 24) * widening
    return float(np.median(averages)), _interval(averages, lowest, deviation)


def shift(a: Array, b: Array) -> tuple[float, Interval | None]:
    """Return the median of all differences between a value of `b` and one of `a`, and its interval.

    The interval is that of the rank-sum test (Mann and Whitney).
    """
    _few_enough(a.size * b.size)
    differences = np.sort(np.subtract.outer(b, a).ravel())
    exact = max(a.size, b.size) <= MOST_EXACT
    lowest = _rank_sum_place(a.size, b.size) if exact else None
    deviation = np.sqrt(a.size * b.size * (a.size + b.size + 1) / 12)
    return float(np.median(differences)), _interval(differences, lowest, deviation)


def rank_sum_p_value(a: Array, b: Array) -> float:
    """Return the two-sided p-value of the rank-sum test, exact for few values without ties."""
    together = np.concatenate([a, b])
    exact = max(a.size, b.size) <= MOST_EXACT and np.unique(together).size == together.size
    method = "exact" if exact else "asymptotic"
    return float(stats().mannwhitneyu(b, a, alternative="two-sided", method=method).pvalue)


def _few_enough(pairs: int) -> None:
    if pairs > MOST_PAIRS:
        raise UsageError(
            f"a Hodges-Lehmann median of {pairs} pairs of values: at most {MOST_PAIRS}",
            "compare means (--estimate mean), or fewer rows (--where)",
        )


def _interval(sorted_values: Array, place: int | None, deviation: float) -> Interval | None:
    """Return the values at a place from either end; without a place it is approximated."""
    size = sorted_values.size
    if place is None:
        place = int(np.floor(size / 2 - special().ndtri(1 - LEVEL / 2) * deviation))
    if place < 1:
        return None
    return float(sorted_values[place - 1]), float(sorted_values[size - place])


def _signed_rank_place(n: int) -> int:
    return _place(_signed_rank_counts(n), 2**n)


def _rank_sum_place(n: int, m: int) -> int:
    counts = _rank_sum_counts(*sorted((n, m)))
    return _place(counts, sum(counts))


def _place(counts: tuple[int, ...], total: int) -> int:
    """Return the largest place below which a tail has at most half of the level."""
    below = 0
    for place, count in enumerate(counts):
        below += count
        if below > total * LEVEL / 2:
            return place
    return len(counts)


@cache
def _signed_rank_counts(n: int) -> tuple[int, ...]:
    """Return how many sign combinations give each sum of positive ranks."""
    counts = [1]
    for rank in range(1, n + 1):
        longer = [0] * rank + counts
        counts = [a + b for a, b in zip(counts + [0] * rank, longer, strict=True)]
    return tuple(counts)


@cache
def _rank_sum_counts(n: int, m: int) -> tuple[int, ...]:
    """Return how many arrangements give each U: the coefficients of a Gaussian binomial."""
    counts = [1] + [0] * (n * m)
    for step in range(1, n + 1):
        for place in range(n * m, m + step - 1, -1):
            counts[place] -= counts[place - m - step]
        for place in range(step, n * m + 1):
            counts[place] += counts[place - step]
    return tuple(counts)
