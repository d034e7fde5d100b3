"""Effect sizes, which have no unit, with their intervals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from airmile._scipy import special
from airmile.comparison.inference._arrays import LEVEL, Array
from airmile.comparison.inference.means import deviation
from airmile.comparison.inference.shift import signed_ranks


class Effect(NamedTuple):
    """An effect size: its name, value and interval; None if it cannot be computed."""

    name: str
    value: float
    low: float | None
    high: float | None


def paired(differences: Array, effective_n: float) -> Effect:
    """Return Cohen's d of paired differences: mean over deviation, with Hedges' correction."""
    n = effective_n
    size = float(differences.mean() / deviation(differences))
    return _standardised("d_z", size, np.sqrt(1 / n), n - 1)


def unpaired(a: Array, b: Array) -> Effect:
    """Return Hedges' g: the difference of means over the pooled deviation."""
    n, m = a.size, b.size
    freedom = n + m - 2
    pooled = np.sqrt(((n - 1) * a.var(ddof=1) + (m - 1) * b.var(ddof=1)) / freedom)
    size = float((b.mean() - a.mean()) / pooled)
    return _standardised("Hedges' g", size, np.sqrt(1 / n + 1 / m), freedom)


def signed(differences: Array, effective_n: float) -> Effect:
    """Return the rank-biserial correlation of pairs: share of ranks above zero minus below."""
    terms = signed_ranks(differences)
    size = float(terms.sum() / np.abs(terms).sum())
    n = effective_n
    half = _z() * np.sqrt(2 * (2 * n + 1) / (3 * n * (n + 1)))
    middle = np.arctanh(np.clip(size, -1 + 1e-12, 1 - 1e-12))
    return Effect(
        "rank-biserial", size, float(np.tanh(middle - half)), float(np.tanh(middle + half))
    )


def cliff(a: Array, b: Array) -> Effect:
    """Return Cliff's delta: the share of pairs in which `b` is larger minus that of smaller."""
    above, below = _dominance(a, b), -_dominance(b, a)
    size = float(below.mean())
    error = _cliff_variance(a, b, above, below, size)
    z = _z()
    middle, width = size - size**3, z * np.sqrt(error) * np.sqrt((1 - size**2) ** 2 + z**2 * error)
    scale = 1 - size**2 + z**2 * error
    if scale <= 0:
        return Effect("Cliff's delta", size, size, size)
    low, high = (float(np.clip((middle + side * width) / scale, -1, 1)) for side in (-1, 1))
    return Effect("Cliff's delta", size, low, high)


def _dominance(of: Array, over: Array) -> Array:
    """Return, per value of `of`, the share of `over` above it minus the share below it."""
    ordered = np.sort(over)
    below = np.searchsorted(ordered, of, "left")
    not_above = np.searchsorted(ordered, of, "right")
    return np.asarray((over.size - not_above - below) / over.size)


def _cliff_variance(a: Array, b: Array, above: Array, below: Array, size: float) -> float:
    """Return Cliff's (1996) unbiased estimate of the variance of delta."""
    n, m = a.size, b.size
    squares = 1.0 - _ties(a, b) / (n * m)
    sums = m**2 * ((above - size) ** 2).sum() + n**2 * ((below - size) ** 2).sum()
    found = (sums - n * m * (squares - size**2)) / (n * m * (n - 1) * (m - 1))
    return float(max(found, (1 - size**2) / (n * m - 1)))


def _ties(a: Array, b: Array) -> int:
    ordered = np.sort(b)
    same = np.searchsorted(ordered, a, "right") - np.searchsorted(ordered, a, "left")
    return int(same.sum())


def _standardised(name: str, size: float, scale: float, freedom: float) -> Effect:
    """Return a standardised difference; its interval inverts the noncentral t distribution.

    There is no interval without a degree of freedom, or if the inversion fails far from zero.
    """
    correction = 1 - 3 / (4 * freedom - 1) if freedom > 1 else 1.0
    ratio = size / scale
    low, high = (
        float(special().nctdtrinc(freedom, share, ratio)) for share in (1 - LEVEL / 2, LEVEL / 2)
    )
    if freedom < 1 or not low <= ratio <= high:
        return Effect(name, size * correction, None, None)
    return Effect(name, size * correction, low * scale * correction, high * scale * correction)


def _z() -> float:
    return float(special().ndtri(1 - LEVEL / 2))
