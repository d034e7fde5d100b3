"""Random draws that are the same in each run, in portions that fit the memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]

SEED = 20180326
"""Seed of all draws: the same data give the same answer."""

LEVEL = 0.05
"""One minus the confidence of every interval, and the level of every test."""

DRAWS = 9999
FEWEST_DRAWS = 999
PORTION = 4_000_000
"""Cells of the largest matrix of draws that is held at once."""

MOST_CELLS = 20_000_000
"""Draws times samples; beyond it there are fewer draws."""


def draws(n: int) -> int:
    """Return how often samples of a size are drawn.

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
