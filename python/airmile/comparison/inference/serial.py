"""Differences that resemble their neighbours: autocorrelation, effective n, and blocks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from airmile.comparison.inference._arrays import Array

FEWEST_BLOCKS = 6
"""The fewest blocks: sign flips of fewer cannot show any difference."""

FEWEST = 2 * FEWEST_BLOCKS
"""The fewest differences for an autocorrelation, because the shortest blocks are of two."""

FOR_MEANS, FOR_RANKS = 0.95, 1.2
"""The noticeable autocorrelation, times the square root of n, for means and for ranks.

The level of rank tests of few pairs is below 5 % anyway. Both values are chosen by the rates in
methods I3.
"""

LARGEST = 0.95

BLOCK = 1.5
"""The length of a block, divided by the cube root of n."""


@dataclass(frozen=True)
class Serial:
    """What the order of differences shows about their independence.

    Attributes
    ----------
    correlation : float or None
        Lag-1 autocorrelation, corrected for its bias; None for fewer than twelve differences.
    effective_n : float
        How many independent differences would be as informative; never above n.
    blocks : numpy.ndarray or None
        The block of each difference; None if the differences count as independent.
    """

    correlation: float | None
    effective_n: float
    blocks: NDArray[np.int64] | None


def of(values: Array, series: NDArray[np.int64], noticeable: float = FOR_MEANS) -> Serial:
    """Return what the order of the values shows.

    Parameters
    ----------
    values : numpy.ndarray
        The differences in order.
    series : numpy.ndarray
        The series (drive) of each difference; only neighbours within a series are compared.
    noticeable : float
        The autocorrelation, times the square root of n, above which blocks are used.
    """
    n = values.size
    if np.unique(series).size == n:
        # If every difference has its own series, as with a seed per pair, use their order alone.
        series = np.zeros(n, np.int64)
    if n < FEWEST or (series[1:] == series[:-1]).sum() < FEWEST - 1:
        return Serial(None, float(n), None)
    found = float(corrected(autocorrelation(values, series), n))
    if found <= noticeable / np.sqrt(n):
        return Serial(found, float(n), None)
    return Serial(found, effective_n(n, found), blocks(series, block_length(n, found)))


def autocorrelation(values: Array, series: NDArray[np.int64] | None = None) -> Array:
    """Return the lag-1 autocorrelation.

    >>> float(autocorrelation(np.array([1.0, 2.0, 3.0, 4.0, 5.0])))
    0.4
    """
    n = values.shape[-1]
    same = np.ones(n - 1, bool) if series is None else series[1:] == series[:-1]
    around = values - values.mean(axis=-1, keepdims=True)
    products = (around[..., 1:] * around[..., :-1] * same).sum(axis=-1)
    squares = (around**2).sum(axis=-1)
    scale = (n - 1) / max(int(same.sum()), 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(squares > 0, products * scale / squares, 0.0)


def corrected(correlation: Array, n: int) -> Array:
    """Return an autocorrelation corrected for its bias, which is -(1 + 4 rho) / n.

    >>> float(corrected(np.array(0.19), 20))
    0.3
    """
    return np.clip((correlation * n + 1) / (n - 4), -LARGEST, LARGEST)


def effective_n(n: int, correlation: float) -> float:
    """Return how many independent values would be as informative; never more than n.

    >>> round(effective_n(40, 0.3), 1), effective_n(40, -0.3)
    (21.5, 40.0)
    """
    return n * min(1.0, (1 - correlation) / (1 + correlation))


def block_length(n: int, correlation: float) -> int:
    """Return the length of a block: it grows with the cube root of n, up to a sixth of n.

    >>> block_length(20, 0.3), block_length(100, 0.3), block_length(100, 0.8)
    (3, 7, 13)
    """
    longer = (2 * correlation / (1 - correlation**2)) ** (2 / 3) if correlation > 0 else 0.0
    return int(max(1, min(round(n ** (1 / 3) * max(BLOCK, longer)), n // FEWEST_BLOCKS)))


def blocks(series: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """Return the block of each value: runs of at least `length` values within a series.

    >>> blocks(np.zeros(7, int), 3)
    array([0, 0, 0, 0, 1, 1, 1])
    """
    found = np.zeros(series.size, np.int64)
    begun = 0
    edges = [0, *(np.flatnonzero(series[1:] != series[:-1]) + 1), series.size]
    for first, last in pairwise(edges):
        count = max((last - first) // length, 1)
        for number, part in enumerate(np.array_split(np.arange(first, last), count)):
            found[part] = begun + number
        begun += count
    return found


def totals(values: Array, of_block: NDArray[np.int64]) -> Array:
    """Return the sum of each block."""
    return np.bincount(of_block, weights=values).astype(float)
