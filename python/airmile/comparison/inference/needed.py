"""How many trials would show a difference that is chosen in advance, not the observed one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from airmile._scipy import special
from airmile.comparison.inference._arrays import LEVEL

POWER = 0.8
"""The wanted share of experiments that show the difference."""

RANKS = np.pi / 3
"""How many times more values a rank test needs than a t test, for normal values."""

MOST = 10_000_000


def pairs(difference: float, deviation: float, level: float = LEVEL) -> int | None:
    """Return how many pairs a t test needs to show a difference; None above ten million.

    >>> pairs(1.1, 4.0)
    106
    """
    return _least(lambda n: _power(difference * np.sqrt(n) / deviation, n - 1, level))


def each_group(
    difference: float, deviations: tuple[float, float], level: float = LEVEL
) -> int | None:
    """Return how many samples of each group Welch's test needs to show a difference.

    >>> each_group(1.1, (9.5, 7.8))
    982
    """
    first, second = (each**2 for each in deviations)
    freedom = (first + second) ** 2 / (first**2 + second**2)

    def power(n: int) -> float:
        return _power(difference * np.sqrt(n / (first + second)), (n - 1) * freedom, level)

    return _least(power)


def _power(shift: float, freedom: float, level: float) -> float:
    """Return the share of experiments in which |t| exceeds the limit of the level."""
    limit = float(special().stdtrit(freedom, 1 - level / 2))
    if freedom > 1e5:
        return float(special().ndtr(abs(shift) - limit))
    above = 1 - float(special().nctdtr(freedom, abs(shift), limit))
    return above + float(special().nctdtr(freedom, abs(shift), -limit))


def _least(power: Callable[[int], float]) -> int | None:
    """Return the least n with the wanted power, which grows with n."""
    low, high = 1, 2
    while power(high) < POWER:
        low, high = high, high * 2
        if high > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if power(middle) < POWER else (low, middle)
    return high
