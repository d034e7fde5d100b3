"""Means with their intervals: by Student's t, and by the studentised bootstrap."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from airmile._scipy import special
from airmile.comparison.inference._arrays import LEVEL, SEED, Array, portions

FEWEST_FOR_BOOTSTRAP = 10
"""With fewer values a resample often holds too few distinct ones to estimate a deviation."""


def deviation(values: Array) -> Array:
    """Return the standard deviation of the sample, with n - 1."""
    return np.asarray(np.std(values, axis=-1, ddof=1))


def student(values: Array, effective_n: Array | float | None = None) -> tuple[Array, Array]:
    """Return the interval of the mean by Student's t.

    >>> low, high = student(np.array([9.0, 11.0, 13.0, 15.0]))
    >>> f"{low:.2f} {high:.2f}"
    '7.89 16.11'
    """
    n = values.shape[-1] if effective_n is None else effective_n
    half = special().stdtrit(n - 1, 1 - LEVEL / 2) * deviation(values) / np.sqrt(n)
    middle = values.mean(axis=-1)
    return middle - half, middle + half


def studentised(values: Array) -> tuple[Array, Array]:
    """Return the interval of the mean by the studentised (equal-tailed) bootstrap.

    If most values are equal, the resamples leave it unbounded; it is then that by Student's t.
    """
    n = values.shape[-1]
    middle = values.mean(axis=-1)
    error = deviation(values) / np.sqrt(n)
    found = _bounds(np.concatenate(list(_pivots(values, SEED)), axis=-1), middle, error)
    return _finite(found, student(values))


def studentised_difference(a: Array, b: Array) -> tuple[Array, Array]:
    """Return the interval of the mean of `b` minus that of `a`, drawn independently."""
    middle = b.mean(axis=-1) - a.mean(axis=-1)
    error = _error(np.var(a, axis=-1, ddof=1), a.shape[-1], np.var(b, axis=-1, ddof=1), b.shape[-1])
    drawn = [_moments(each, SEED + place) for place, each in enumerate((a, b))]
    (mean_a, var_a), (mean_b, var_b) = (_joined(each) for each in drawn)
    fewest = min(mean_a.shape[-1], mean_b.shape[-1])
    shift = mean_b[..., :fewest] - mean_a[..., :fewest]
    spread = _error(var_a[..., :fewest], a.shape[-1], var_b[..., :fewest], b.shape[-1])
    return _bounds(_ratio(shift, spread), middle, error)


def studentised_blocks(sums: Array, sizes: Array) -> tuple[Array, Array]:
    """Return the interval of a mean from the sums and sizes of independent blocks.

    The mean is a ratio of totals; its error comes from the residuals of the blocks.
    """
    k, n = sums.shape[-1], sizes.sum(axis=-1)
    middle = sums.sum(axis=-1) / n
    residuals = sums - middle[..., None] * sizes
    error = np.sqrt(k / (k - 1) * (residuals**2).sum(axis=-1)) / n
    if k < FEWEST_FOR_BOOTSTRAP:
        half = special().stdtrit(k - 1, 1 - LEVEL / 2) * error
        return middle - half, middle + half
    pivots = np.concatenate(list(_block_pivots(residuals, sizes)), axis=-1)
    half = special().stdtrit(k - 1, 1 - LEVEL / 2) * error
    return _finite(_bounds(pivots, middle, error), (middle - half, middle + half))


def _error(var_a: Array, n_a: int, var_b: Array, n_b: int) -> Array:
    return np.asarray(np.sqrt(var_a / n_a + var_b / n_b))


def _bounds(pivots: Array, middle: Array, error: Array) -> tuple[Array, Array]:
    with np.errstate(invalid="ignore"):
        low, high = np.quantile(pivots, (LEVEL / 2, 1 - LEVEL / 2), axis=-1)
    return middle - high * error, middle - low * error


def _finite(found: tuple[Array, Array], other: tuple[Array, Array]) -> tuple[Array, Array]:
    good = np.isfinite(found[0]) & np.isfinite(found[1])
    return np.where(good, found[0], other[0]), np.where(good, found[1], other[1])


def _pivots(values: Array, seed: int) -> Iterator[Array]:
    n = values.shape[-1]
    for shift, variance in _moments(values, seed):
        yield _ratio(shift, np.sqrt(variance / n))


def _moments(values: Array, seed: int) -> Iterator[tuple[Array, Array]]:
    """Yield the shifts of the mean, and the variances, of resamples."""
    n = values.shape[-1]
    around = values - values.mean(axis=-1, keepdims=True)
    for counts in _resamples(n, seed):
        shift = around @ counts.T / n
        square = (around**2) @ counts.T / n
        yield shift, np.maximum(square - shift**2, 0.0) * n / (n - 1)


def _joined(drawn: Iterator[tuple[Array, Array]]) -> tuple[Array, Array]:
    shifts, variances = zip(*drawn, strict=True)
    return np.concatenate(shifts, axis=-1), np.concatenate(variances, axis=-1)


def _block_pivots(residuals: Array, sizes: Array) -> Iterator[Array]:
    k = residuals.shape[-1]
    for counts in _resamples(k, SEED):
        total = sizes @ counts.T
        shift = residuals @ counts.T / total
        square = (
            (residuals**2) @ counts.T
            - 2 * shift * ((residuals * sizes) @ counts.T)
            + shift**2 * ((sizes**2) @ counts.T)
        )
        yield _ratio(shift, np.sqrt(k / (k - 1) * np.maximum(square, 0.0)) / total)


def _ratio(shift: Array, error: Array) -> Array:
    """Return shift over error; a resample of equal values has no error and an infinite ratio."""
    tiny = np.finfo(float).tiny
    with np.errstate(over="ignore", divide="ignore"):
        return np.asarray(shift / np.maximum(error, tiny))


def _resamples(n: int, seed: int) -> Iterator[Array]:
    """Yield how often each sample is in a resample, as rows of counts."""
    generator = np.random.default_rng(seed)
    for rows in portions(n):
        places = generator.integers(0, n, (rows, n)) + np.arange(rows)[:, None] * n
        counts = np.bincount(places.ravel(), minlength=rows * n)
        yield counts.reshape(rows, n).astype(float)
