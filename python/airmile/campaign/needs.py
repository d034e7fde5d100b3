"""Computes how many seeds a statement needs before its test can decide it either way (methods H7).

A test that can only end in one way decides nothing. So a number of seeds decides a statement if
there are samples of this number for each end: the interval within the margin, and the p-value below
the level on both sides. Holm's procedure multiplies the smallest p-value of a family by the size of
the family; a test that reaches the level there reaches it whatever the other statements give.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from airmile._scipy import special, stats
from airmile.campaign.design import Estimator
from airmile.campaign.rule import LEAST, LEVEL, Published

MOST = 1000
"""The largest number of seeds that is tried."""

TAIL = LEVEL / 2
"""The probability that a 95 % interval leaves at either side."""

QUANTILES: Mapping[Estimator, float] = {"p5": 0.05, "median": 0.5, "p95": 0.95, "change": 0.5}
"""The share at which the estimators by ranks stand: a change is the median of paired changes."""


def least(published: Published, estimator: Estimator, family: int, margin: float) -> int | None:
    """Return the fewest seeds that decide a statement either way; None if there is no such number.

    Parameters
    ----------
    published : Published
        What the paper states.
    estimator : str
        How the samples become one figure.
    family : int
        The number of statements that are tested together.
    margin : float
        The half-width of the margin, as a share of the published value.

    Examples
    --------
    A sign test needs six seeds alone, and eight among six statements: 2 / 2^8 x 6 is 4.7 %.

    >>> half = Published(0.5, side=-1, no_effect=1)
    >>> least(half, "median", 1, 0.25), least(half, "median", 6, 0.25)
    (6, 8)

    "All runs" needs so many that the exact interval begins above 75 %.

    >>> least(Published(1), "share", 1, 0.25)
    13
    """
    tries = range(LEAST, MOST + 1)
    return next((n for n in tries if decides(published, estimator, n, family, margin)), None)


def decides(published: Published, estimator: Estimator, n: int, family: int, margin: float) -> bool:
    """Return whether some n samples reproduce a statement, and whether some others refute it."""
    test = _test(estimator, n, LEVEL / max(family, 1))
    low, high = published.bounds(margin)
    fits = published.value is None or test.within(low, high)
    if published.side and published.no_effect is not None:
        low = high = published.no_effect
    return fits and test.below(low) and test.above(high)


def spread(published: Published, estimator: Estimator, n: int, margin: float) -> float | None:
    """Return the largest spread of n samples, over the published value, that can reproduce it.

    It is the standard deviation at which Student's interval is as wide as the margin; None for
    other intervals, and for a margin without two ends.
    """
    if not _of_student(estimator) or not published.value or published.bound:
        return None
    return margin / _half_width(n, LEVEL)


def effect(published: Published, estimator: Estimator, n: int, family: int) -> float | None:
    """Return the smallest effect of n samples, over their spread, that shows a direction.

    It is the distance of the figure from no effect, in standard deviations of the samples, at which
    Student's test reaches the level in its family; None for other tests, and without a direction.
    """
    if not _of_student(estimator) or not published.side:
        return None
    return _half_width(n, LEVEL / max(family, 1))


def _of_student(estimator: Estimator) -> bool:
    return estimator not in QUANTILES and estimator != "share"


def _half_width(n: int, level: float) -> float:
    """Return the half-width of Student's interval of n samples, in standard deviations."""
    return float(special().stdtrit(n - 1, 1 - level / 2)) / math.sqrt(n)


class _Test(Protocol):
    """What the samples of a number can show at best; beyond infinity nothing is to be shown."""

    def above(self, reference: float) -> bool:
        """Return whether samples can show that the figure is above a reference."""

    def below(self, reference: float) -> bool:
        """Return whether samples can show that the figure is below a reference."""

    def within(self, low: float, high: float) -> bool:
        """Return whether an interval can lie between two ends."""


def _test(estimator: Estimator, n: int, level: float) -> _Test:
    if estimator == "share":
        return _Share(n, level)
    if estimator in QUANTILES:
        return _Ranks(n, level, QUANTILES[estimator])
    return _Student()


class _Student:
    """Student's t and Fieller: samples that hardly differ reach any p-value."""

    def above(self, reference: float) -> bool:
        return True

    def below(self, reference: float) -> bool:
        return True

    def within(self, low: float, high: float) -> bool:
        return True


@dataclass(frozen=True)
class _Ranks:
    """Order statistics and the sign test: at best all samples lie on one side."""

    n: int
    level: float
    share: float

    def above(self, reference: float) -> bool:
        return math.isinf(reference) or 2 * (1 - self.share) ** self.n < self.level

    def below(self, reference: float) -> bool:
        return math.isinf(reference) or 2 * self.share**self.n < self.level

    def within(self, low: float, high: float) -> bool:
        """Return whether the interval has an end where the margin has one."""
        below = math.isinf(low) or (1 - self.share) ** self.n <= TAIL
        return below and (math.isinf(high) or self.share**self.n <= TAIL)


@dataclass(frozen=True)
class _Share:
    """Clopper and Pearson, and the exact test: at best all samples agree."""

    n: int
    level: float

    def above(self, reference: float) -> bool:
        return reference >= 1 or self._p(self.n, reference) < self.level

    def below(self, reference: float) -> bool:
        return reference <= 0 or self._p(0, reference) < self.level

    def within(self, low: float, high: float) -> bool:
        lows, highs = self._intervals()
        return bool(np.any((lows >= low) & (highs <= high)))

    def _p(self, ones: int, reference: float) -> float:
        return float(stats().binomtest(ones, self.n, reference).pvalue)

    def _intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends of the intervals of 0 to n ones of n."""
        ones = np.arange(self.n + 1)
        inverse: Callable[..., np.ndarray] = special().betaincinv
        lows = inverse(np.maximum(ones, 1), self.n - ones + 1, TAIL)
        highs = inverse(ones + 1, np.maximum(self.n - ones, 1), 1 - TAIL)
        return np.where(ones == 0, 0.0, lows), np.where(ones == self.n, 1.0, highs)
