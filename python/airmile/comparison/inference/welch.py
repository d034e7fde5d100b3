"""Welch's test of two groups that are not paired and whose spreads may differ."""

from __future__ import annotations

import numpy as np

from airmile._scipy import special
from airmile.comparison.inference._arrays import LEVEL, Array


def p_value(a: Array, b: Array) -> Array:
    """Return Welch's two-sided p-value of equal means.

    >>> round(float(p_value(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 7.0]))), 4)
    0.0419
    """
    error, freedom = _error(a, b)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.abs(b.mean(axis=-1) - a.mean(axis=-1)) / error
    return np.asarray(2 * special().stdtr(freedom, -ratio))


def interval(a: Array, b: Array) -> tuple[Array, Array]:
    """Return Welch's interval of the mean of `b` minus the mean of `a`."""
    error, freedom = _error(a, b)
    middle = b.mean(axis=-1) - a.mean(axis=-1)
    half = special().stdtrit(freedom, 1 - LEVEL / 2) * error
    return middle - half, middle + half


def _error(a: Array, b: Array) -> tuple[Array, Array]:
    """Return the standard error of the difference, and its degrees of freedom (Satterthwaite)."""
    parts = [np.var(each, axis=-1, ddof=1) / each.shape[-1] for each in (a, b)]
    total = parts[0] + parts[1]
    below = sum(part**2 / (each.shape[-1] - 1) for part, each in zip(parts, (a, b), strict=True))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.sqrt(total), np.asarray(total**2 / below)
