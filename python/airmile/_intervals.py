"""Means, quantiles, paired differences and ratios with their intervals (methods H7).

Means and paired differences have Student's t interval. The ratio of paired means has Fieller's
(1954), from the t test of the differences `a - r b`. Quantiles have intervals by ranks, which hold
for any distribution. A share has the exact binomial interval (Clopper and Pearson 1934).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from airmile._scipy import special, stats

LEVEL = 0.05

Test = Callable[[float], float]
"""A function that returns the two-sided p-value against a reference."""


@dataclass(frozen=True)
class Estimate:
    """A figure computed from several samples, with its interval.

    Attributes
    ----------
    n : int
        Number of samples or of pairs.
    value : float
        The figure itself.
    low, high : float
        The ends of its 95 % interval, which may be infinite.
    p_value : callable
        A function that returns the two-sided p-value of the figure against a reference.
    """

    n: int
    value: float
    low: float
    high: float
    p_value: Test


def mean(values: Sequence[float]) -> Estimate:
    """Return the mean with Student's t interval."""
    n, middle = len(values), math.fsum(values) / len(values)
    error = _standard_error(values)
    half = _t(n) * error if n > 1 else math.inf
    return Estimate(n, middle, middle - half, middle + half, lambda r: _p(middle - r, error, n))


def share(values: Sequence[float]) -> Estimate:
    """Return the share of ones in zeros and ones, with the exact interval of Clopper and Pearson.

    >>> found = share([1.0] * 10)
    >>> found.value, round(found.low, 3), found.high
    (1.0, 0.692, 1.0)
    """
    n, ones = len(values), round(math.fsum(values))
    interval = stats().binomtest(ones, n).proportion_ci(1 - LEVEL)

    def test(reference: float) -> float:
        return float(stats().binomtest(ones, n, min(max(reference, 0.0), 1.0)).pvalue)

    return Estimate(n, ones / n, float(interval.low), float(interval.high), test)


def difference(a: Sequence[float], b: Sequence[float]) -> Estimate:
    """Return the mean of the paired differences `a - b`."""
    return mean([x - y for x, y in zip(a, b, strict=True)])


def ratio(a: Sequence[float], b: Sequence[float]) -> Estimate:
    """Return the ratio of the paired means, with Fieller's interval.

    The ends of the interval are infinite if the mean of `b` may be 0.
    """
    n, mean_a, mean_b = len(a), math.fsum(a) / len(a), math.fsum(b) / len(b)

    def test(reference: float) -> float:
        rests = [x - reference * y for x, y in zip(a, b, strict=True)]
        return _p(math.fsum(rests) / n, _standard_error(rests), n)

    value = mean_a / mean_b if mean_b else math.nan
    low, high = _fieller(a, b) if n > 1 else (-math.inf, math.inf)
    return Estimate(n, value, low, high, test)


def quantile(values: Sequence[float], share: float) -> Estimate:
    """Return a quantile; its interval, of two order statistics, holds for any distribution."""
    ordered = sorted(values)
    n = len(ordered)
    place = share * (n - 1)
    below = math.floor(place)
    above = min(below + 1, n - 1)
    value = ordered[below] + (place - below) * (ordered[above] - ordered[below])
    low, high = _ranks(n, share)
    return Estimate(
        n,
        value,
        ordered[low] if low >= 0 else -math.inf,
        ordered[high] if high < n else math.inf,
        lambda reference: _sign_test(ordered, share, reference),
    )


def _ranks(n: int, share: float) -> tuple[int, int]:
    """Return the indices of the order statistics around a quantile; -1 or n if there is none."""
    at_most = stats().binom.cdf(range(n + 1), n, share)
    low = max((k for k in range(n) if at_most[k] <= LEVEL / 2), default=-1)
    high = min((k for k in range(n) if at_most[k] >= 1 - LEVEL / 2), default=n)
    return low, high


def _sign_test(values: Sequence[float], share: float, reference: float) -> float:
    """Return the two-sided p-value of the number of values below the reference."""
    at_most = stats().binom.cdf(range(len(values) + 1), len(values), share)
    below = sum(each < reference for each in values)
    not_above = sum(each <= reference for each in values)
    more = 1 - at_most[below - 1] if below else 1.0
    return float(min(1.0, 2 * min(at_most[not_above], more)))


def _fieller(a: Sequence[float], b: Sequence[float]) -> tuple[float, float]:
    n = len(a)
    mean_a, mean_b = math.fsum(a) / n, math.fsum(b) / n
    limit = _t(n) ** 2 / n
    aa = mean_a**2 - limit * _covariance(a, a)
    ab = mean_a * mean_b - limit * _covariance(a, b)
    bb = mean_b**2 - limit * _covariance(b, b)
    root = ab * ab - aa * bb
    if bb <= 0 or root < 0:
        return -math.inf, math.inf
    return (ab - math.sqrt(root)) / bb, (ab + math.sqrt(root)) / bb


def _covariance(a: Sequence[float], b: Sequence[float]) -> float:
    n = len(a)
    mean_a, mean_b = math.fsum(a) / n, math.fsum(b) / n
    return math.fsum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True)) / (n - 1)


def _standard_error(values: Sequence[float]) -> float:
    n = len(values)
    return math.sqrt(_covariance(values, values) / n) if n > 1 else math.inf


def _p(distance: float, error: float, n: int) -> float:
    """Return the two-sided p-value of a distance; without spread the error is 0."""
    if n < 2 or math.isinf(error):
        return 1.0
    if error == 0:
        return 1.0 if distance == 0 else 0.0
    return float(2 * special().stdtr(n - 1, -abs(distance / error)))


def _t(n: int) -> float:
    """Return how many standard errors Student's interval of n values reaches to either side."""
    return float(special().stdtrit(n - 1, 1 - LEVEL / 2))
