"""The sign-flip test: without a difference, each paired difference could have either sign."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from airmile.comparison.inference._arrays import SEED, Array, draws, portions

MOST_EXACT = 13
"""The most differences for which all combinations of signs are tried instead of random ones."""

_ROUNDING = 1e-12
"""Sums that differ by less than this share of the largest sum count as equal."""


def p_value(terms: Array) -> Array:
    """Return the two-sided p-value of a sum: the share of sign combinations with one as large.

    The terms are differences if means are compared, signed ranks if Hodges-Lehmann medians are, or
    the sums of blocks of either.

    >>> float(p_value(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])))
    0.03125
    """
    n = terms.shape[-1]
    observed = np.abs(terms.sum(axis=-1))
    reached = observed - _ROUNDING * np.abs(terms).sum(axis=-1)
    hits = np.zeros(observed.shape)
    for signs in _signs(n):
        hits += (np.abs(terms @ signs.T) >= reached[..., None]).sum(axis=-1)
    if n <= MOST_EXACT:
        return np.asarray(hits / 2**n)
    return np.asarray((hits + 1) / (draws(n) + 1))


def least_p_value(n: int) -> float:
    """Return the least p-value that a test of n differences can give.

    >>> least_p_value(5), least_p_value(6)
    (0.0625, 0.03125)
    """
    return 2.0 ** (1 - n) if n <= MOST_EXACT else 1 / (draws(n) + 1)


def fewest(level: float) -> int:
    """Return the fewest differences whose test can reach a level.

    >>> fewest(0.05), fewest(0.05 / 3)
    (6, 7)
    """
    return next(n for n in range(1, 64) if 2.0 ** (1 - n) <= level)


def _signs(n: int) -> Iterator[Array]:
    if n <= MOST_EXACT:
        numbers = np.arange(2**n)[:, None] >> np.arange(n)
        yield np.where(numbers & 1, -1.0, 1.0)
        return
    generator = np.random.default_rng(SEED)
    for rows in portions(n):
        yield np.where(generator.integers(0, 2, (rows, n)), -1.0, 1.0)
