"""Whether samples are as a test supposes."""

from __future__ import annotations

import numpy as np

from airmile._scipy import stats
from airmile.comparison.inference._arrays import LEVEL, Array

PER_SKEWNESS = 25
"""A mean of n values is normal enough if n exceeds this times the square of their skewness."""


def skewness(values: Array) -> float:
    """Return the skewness: the mean cube over the cube of the deviation; 0 without spread.

    >>> skewness(np.array([1.0, 2.0, 3.0])), round(skewness(np.array([0.0, 0.0, 0.0, 4.0])), 3)
    (0.0, 1.155)
    """
    around = values - values.mean()
    spread = np.sqrt((around**2).mean())
    return float((around**3).mean() / spread**3) if spread > 0 else 0.0


def needed_for(values: Array) -> int:
    """Return how many values a normal mean takes, by their skewness (Cochran's rule)."""
    return int(np.ceil(PER_SKEWNESS * skewness(values) ** 2))


def spreads_differ(a: Array, b: Array) -> bool:
    """Return whether the spreads of two groups differ (Brown and Forsythe).

    Then the rank-sum test does not compare medians.
    """
    found = float(stats().levene(a, b, center="median").pvalue)
    return bool(found < LEVEL)
