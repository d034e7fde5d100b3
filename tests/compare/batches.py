"""Many comparisons at once: the steps of `airmile.compare` on the rows of arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from airmile.comparison.inference import means, serial, shift, signs, welch
from airmile.comparison.inference._arrays import Array

ROWS = 500
"""The number of samples that are computed together."""


class Judged(NamedTuple):
    """The p-values and intervals of many comparisons."""

    p_value: Array
    low: Array
    high: Array

    def covers(self, truth: float) -> NDArray[np.bool_]:
        """Return which intervals contain the truth."""
        return (self.low <= truth) & (truth <= self.high)


class Test(NamedTuple):
    """A test: a function for p-values alone, and one that adds intervals and takes longer."""

    p_values: Callable[..., Array]
    judged: Callable[..., Judged]


def portions(rows: Array) -> Iterator[Array]:
    """Yield a few rows at a time."""
    yield from (rows[at : at + ROWS] for at in range(0, len(rows), ROWS))


def mean_interval(rows: Array) -> tuple[Array, Array]:
    """Return the interval of each row's mean."""
    few = rows.shape[1] < means.FEWEST_FOR_BOOTSTRAP
    found = [(means.student if few else means.studentised)(each) for each in portions(rows)]
    low, high = zip(*found, strict=True)
    return np.concatenate(low), np.concatenate(high)


def paired_means(differences: Array) -> Judged:
    """Compare by the mean of paired differences, in blocks where they resemble neighbours."""
    n = differences.shape[1]
    found = Judged(*(np.empty(len(differences)) for _ in range(3)))
    for length, chosen in _lengths(differences, serial.FOR_MEANS):
        rows = differences[chosen]
        if length == 1:
            low, high = mean_interval(rows)
            sums = rows
        else:
            of_block = serial.blocks(np.zeros(n, np.int64), length)
            sums = _summed(rows, of_block)
            sizes = np.bincount(of_block).astype(float)
            low, high = (
                np.concatenate(each)
                for each in zip(
                    *(means.studentised_blocks(part, np.broadcast_to(sizes, part.shape))
                      for part in portions(sums)), strict=True,
                )
            )  # fmt: skip
        p_values = np.concatenate([signs.p_value(part) for part in portions(sums)])
        found.p_value[chosen], found.low[chosen], found.high[chosen] = p_values, low, high
    return found


def paired_means_alone(differences: Array) -> Array:
    """Return the p-values of `paired_means` alone."""
    n, found = differences.shape[1], np.empty(len(differences))
    for length, chosen in _lengths(differences, serial.FOR_MEANS):
        rows = differences[chosen]
        if length > 1:
            rows = _summed(rows, serial.blocks(np.zeros(n, np.int64), length))
        found[chosen] = np.concatenate([signs.p_value(part) for part in portions(rows)])
    return found


def paired_medians(differences: Array) -> Judged:
    """Compare by the Hodges-Lehmann median of paired differences."""
    n = differences.shape[1]
    found = Judged(*(np.empty(len(differences)) for _ in range(3)))
    for length, chosen in _lengths(differences, serial.FOR_RANKS):
        rows = differences[chosen]
        terms = np.array([shift.signed_ranks(row) for row in rows])
        widening = np.ones(len(rows))
        if length > 1:
            sums = _summed(terms, serial.blocks(np.zeros(n, np.int64), length))
            ratio = np.sqrt((sums**2).sum(axis=1) / (terms**2).sum(axis=1))
            widening, terms = np.maximum(1.0, ratio), sums
        bounds = [
            shift.pseudomedian(row, wide)[1] or (-np.inf, np.inf)
            for row, wide in zip(rows, widening.tolist(), strict=True)
        ]
        p_values = np.concatenate([signs.p_value(part) for part in portions(terms)])
        found.p_value[chosen] = p_values
        found.low[chosen], found.high[chosen] = np.array(bounds).T
    return found


def _lengths(differences: Array, noticeable: float) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Yield the lengths of blocks, with the rows that use each; 1 means independent values."""
    n = differences.shape[1]
    lengths = np.ones(len(differences), int)
    if n >= serial.FEWEST:
        found = serial.corrected(serial.autocorrelation(differences), n)
        for at in np.flatnonzero(found > noticeable / np.sqrt(n)):
            lengths[at] = serial.block_length(n, float(found[at]))
    for length in np.unique(lengths):
        yield int(length), np.flatnonzero(lengths == length)


def _summed(rows: Array, of_block: NDArray[np.int64]) -> Array:
    starts = np.flatnonzero(np.diff(of_block, prepend=-1))
    return np.add.reduceat(rows, starts, axis=1)


def paired_medians_alone(differences: Array) -> Array:
    """Return the p-values of `paired_medians` alone."""
    n, found = differences.shape[1], np.empty(len(differences))
    for length, chosen in _lengths(differences, serial.FOR_RANKS):
        terms = np.array([shift.signed_ranks(row) for row in differences[chosen]])
        if length > 1:
            terms = _summed(terms, serial.blocks(np.zeros(n, np.int64), length))
        found[chosen] = np.concatenate([signs.p_value(part) for part in portions(terms)])
    return found


def unpaired_means(a: Array, b: Array) -> Judged:
    """Compare means of two groups of independent samples: Welch, and the bootstrap."""
    p_value = welch.p_value(a, b)
    if min(a.shape[1], b.shape[1]) < means.FEWEST_FOR_BOOTSTRAP:
        return Judged(p_value, *welch.interval(a, b))
    found = [
        means.studentised_difference(x, y) for x, y in zip(portions(a), portions(b), strict=True)
    ]
    low, high = zip(*found, strict=True)
    return Judged(p_value, np.concatenate(low), np.concatenate(high))


def unpaired_medians(a: Array, b: Array) -> Judged:
    """Compare two groups of independent samples by rank sums."""
    p_value = unpaired_medians_alone(a, b)
    bounds = [shift.shift(x, y)[1] or (-np.inf, np.inf) for x, y in zip(a, b, strict=True)]
    low, high = np.array(bounds).T
    return Judged(p_value, low, high)


def unpaired_medians_alone(a: Array, b: Array) -> Array:
    """Return the p-values of `unpaired_medians` alone."""
    exact = "exact" if max(a.shape[1], b.shape[1]) <= shift.MOST_EXACT else "asymptotic"
    return np.asarray(stats.mannwhitneyu(b, a, axis=1, method=exact).pvalue)


PAIRED_MEANS = Test(paired_means_alone, paired_means)
PAIRED_MEDIANS = Test(paired_medians_alone, paired_medians)
WELCH = Test(welch.p_value, unpaired_means)
RANK_SUMS = Test(unpaired_medians_alone, unpaired_medians)
