"""Checks whether samples meet the assumptions of a test."""

from __future__ import annotations

import numpy as np

from airmile._scipy import stats
from airmile.comparison.inference._arrays import LEVEL, Array

PER_SKEWNESS = 25
"""The mean of n values is normal enough if n exceeds this times the squared skewness."""


def skewness(values: Array) -> float:
    """Return the skewness: mean cube over the cube of the deviation; 0 if all values are equal.

    >>> skewness(np.array([1.0, 2.0, 3.0])), round(skewness(np.array([0.0, 0.0, 0.0, 4.0])), 3)
    (0.0, 1.155)
    """
    around = values - values.mean()
    spread = np.sqrt((around**2).mean())
    return float((around**3).mean() / spread**3) if spread > 0 else 0.0


def needed_for(values: Array) -> int:
    """Return how many values with this skewness have a normal mean (Cochran's rule)."""
    return int(np.ceil(PER_SKEWNESS * skewness(values) ** 2))


def spreads_differ(a: Array, b: Array) -> bool:
    """Return whether the spreads of two groups differ (Brown and Forsythe).

    If they do, the rank-sum test does not compare medians.
    """
    found = float(stats().levene(a, b, center="median").pvalue)
    return bool(found < LEVEL)
