"""A few statistics; correlations are None if they are undefined."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def mean(values: Sequence[float]) -> float:
    """Return the mean of at least one value."""
    return float(np.mean(values))


def median(values: Sequence[float]) -> float:
    """Return the median of at least one value."""
    return float(np.median(values))


def rank_correlation(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Return Spearman's coefficient; None for fewer than three pairs, or if all values are equal.

    >>> rank_correlation([1, 2, 3, 4], [10, 30, 20, 40])
    0.8
    >>> rank_correlation([1, 2, 3], [5, 5, 5]) is None
    True
    """
    if len(x) < 3:
        return None
    first, second = ranks(np.asarray(x, float)), ranks(np.asarray(y, float))
    return correlation(first, second)


def correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float | None:
    """Return Pearson's coefficient; None if all values are equal."""
    dx, dy = x - x.mean(), y - y.mean()
    spread = float(np.sqrt((dx * dx).sum() * (dy * dy).sum()))
    return round(float((dx * dy).sum()) / spread, 12) if spread > 0 else None


def ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ranks of values, from 1; equal values share the mean of their ranks.

    >>> ranks(np.array([7.0, 3.0, 7.0]))
    array([2.5, 1. , 2.5])
    """
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    shared = last - (counts - 1) / 2
    return np.asarray(shared[inverse], float)
