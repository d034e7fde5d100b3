"""Kernel densities of positive quantities, from which EFF14 draws rates and round trips."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airmile._errors import UsageError
from airmile.model import _arguments as check

Array = NDArray[np.float64]

BANDWIDTHS: dict[str, Callable[[Array], float]] = {
    "eff14": lambda x: float(x.std(ddof=1) / np.sqrt(x.size)),
    "scott": lambda x: float(x.std(ddof=1) * x.size**-0.2),
    "silverman": lambda x: float(
        0.9 * min(x.std(ddof=1), np.subtract(*np.percentile(x, [75, 25])) / 1.34 or np.inf)
        * x.size**-0.2
    ),
    "none": lambda _: 0.0,
}  # fmt: skip
"""The widths of the Gaussian kernel, by name.

`eff14` is s / sqrt(n) (EFF14 section IV). `scott` (Scott 1992) and `silverman` (Silverman 1986,
formula 3.31) are wider. `none` draws the samples themselves.
"""

LEAST_SAMPLES = 2
"""The least number of samples that have a standard deviation."""

MOST_TRIES = 64
"""How often a draw outside the measured range is repeated; at most half of the draws are."""


@dataclass(frozen=True)
class Density:
    """The probability density of measured values, estimated with a Gaussian kernel.

    A draw is always within the range of the samples. Without this limit, kernels at the lower end
    would give rates near 0, whose completion times have no mean.

    Attributes
    ----------
    samples : ndarray
        The measured values.
    bandwidth : float
        Standard deviation of the kernel, in the unit of the samples.
    """

    samples: Array
    bandwidth: float

    @classmethod
    def of(cls, samples: ArrayLike, bandwidth: str = "eff14", *, name: str = "samples") -> Density:
        """Return the density of the samples.

        Parameters
        ----------
        samples : array_like
            At least two positive numbers that are not all the same.
        bandwidth : str
            One of `BANDWIDTHS`.
        name : str
            The name of the samples in errors.

        Raises
        ------
        UsageError
            There are fewer than two samples, one is not a positive number, or all are equal.

        Examples
        --------
        >>> Density.of([40.0, 50.0, 60.0]).bandwidth.__round__(3)
        5.774
        >>> Density.of([40.0])
        Traceback (most recent call last):
        airmile._errors.UsageError: samples: 1 sample; a density takes 2 or more
        hint: give more of them, or one number to completion_time
        """
        check.one_of("bandwidth", bandwidth, tuple(BANDWIDTHS))
        values = check.positive(name, samples, "").ravel()
        if values.size < LEAST_SAMPLES:
            plural = "sample" if values.size == 1 else "samples"
            raise UsageError(
                f"{name}: {values.size} {plural}; a density takes {LEAST_SAMPLES} or more",
                "give more of them, or one number to completion_time",
            )
        if values.min() == values.max():
            raise UsageError(
                f"{name}: all {values.size} samples are {values[0]:g}: they have no density",
                "give the number to completion_time",
            )
        return cls(values, BANDWIDTHS[bandwidth](values))

    def at(self, x: ArrayLike) -> Array:
        """Return the density at the points `x`, as the figures of EFF14 show it."""
        points = np.asarray(x, float)
        if self.bandwidth == 0:
            raise UsageError(
                "bandwidth='none' gives single samples, which have no density", "choose another"
            )
        scale = self.bandwidth * np.sqrt(2 * np.pi)
        # One point at a time, because all pairs of samples and points may not fit into memory.
        values = [
            np.mean(np.exp(-0.5 * ((point - self.samples) / self.bandwidth) ** 2)) / scale
            for point in points.flat
        ]
        return np.reshape(values, points.shape)

    def draw(self, rng: np.random.Generator, count: int) -> Array:
        """Return `count` values drawn from the density."""
        return self.around(rng, rng.integers(self.samples.size, size=count))

    def around(self, rng: np.random.Generator, which: NDArray[np.int64]) -> Array:
        """Return one draw from the kernel of each of the samples at the indices `which`."""
        centres = self.samples[which]
        draws = centres + self.bandwidth * rng.standard_normal(centres.size)
        low, high = self.samples.min(), self.samples.max()
        for _ in range(MOST_TRIES):
            again = np.flatnonzero((draws < low) | (draws > high))
            if again.size == 0:
                break
            draws[again] = centres[again] + self.bandwidth * rng.standard_normal(again.size)
        return np.clip(draws, low, high)
