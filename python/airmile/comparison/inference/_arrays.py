"""Random draws that are the same in each run, made in portions that fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]

SEED = 20180326
"""The seed of all draws, so that the same data always give the same result."""

LEVEL = 0.05
"""The level of every test, and one minus the confidence of every interval."""

DRAWS = 9999
FEWEST_DRAWS = 999
PORTION = 4_000_000
"""The most cells of a matrix of draws that is in memory at once."""

MOST_CELLS = 20_000_000
"""The most draws times samples; with more samples there are fewer draws."""


def draws(n: int) -> int:
    """Return how many resamples are drawn from a number of samples.

    >>> draws(40), draws(10_000), draws(10**6)
    (9999, 2000, 999)
    """
    return max(FEWEST_DRAWS, min(DRAWS, MOST_CELLS // n))


def portions(n: int) -> Iterator[int]:
    """Yield the number of draws of each portion."""
    left, most = draws(n), max(1, PORTION // n)
    while left > 0:
        yield min(left, most)
        left -= most
