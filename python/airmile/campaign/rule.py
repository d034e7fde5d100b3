"""Decides whether a published statement is reproduced, by one rule for all (methods H7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from airmile.comparison.inference import several

Outcome = Literal[
    "reproduced", "direction only", "not", "undecided", "too few", "no value", "not run", "set"
]
"""What became of a statement; the last four are no results of a test."""

MARGIN = 0.25
"""The half-width of the margin around a published value, as a share of the value."""

LEAST = 6
"""The fewest samples that decide: a sign-flip test of 5 pairs cannot reach 5 % (2 / 2^5 > 5 %).

Some tests need more (:mod:`airmile.campaign.needs`).
"""

LEVEL = 0.05


@dataclass(frozen=True)
class Published:
    """A published value or direction, and the value that means no effect.

    Attributes
    ----------
    value : float or None
        The value; None if only a direction is published.
    side : int
        1 if the paper states that the value is above `no_effect`, -1 if below, 0 for no direction.
    no_effect : float or None
        The value that means no effect.
    bound : int
        1 if the published value is a least one, -1 if a most one: the margin is then open above, or
        below.
    """

    value: float | None
    side: int = 0
    no_effect: float | None = None
    bound: int = 0

    def __post_init__(self) -> None:
        if self.side and self.no_effect is None:
            raise ValueError("a direction needs the value that means no effect")
        if self.value is None and not self.side:
            raise ValueError("neither a value nor a direction is published")

    def bounds(self, margin: float) -> tuple[float, float]:
        """Return the ends of the margin around the value; without a value it is empty."""
        if self.value is None:
            return math.inf, -math.inf
        half = abs(self.value) * margin
        least = -math.inf if self.bound < 0 else self.value - half
        return least, math.inf if self.bound > 0 else self.value + half

    def reference(self, value: float, margin: float) -> float:
        """Return the value against which the p-value of `value` is computed.

        It is no effect if a direction is published, and else the nearer end of the margin.
        """
        if self.side and self.no_effect is not None:
            return self.no_effect
        low, high = self.bounds(margin)
        nearer_low = math.isfinite(low) and (not math.isfinite(high) or value < (low + high) / 2)
        return low if nearer_low else high


def outcome(
    published: Published,
    interval: tuple[float, float],
    n: int,
    *,
    least: int = LEAST,
    p_value: float = 0.0,
    margin: float = MARGIN,
) -> Outcome:
    """Return the outcome of a statement.

    Parameters
    ----------
    published : Published
        What the paper states.
    interval : tuple of float
        Our 95 % interval; an end of it may be infinite.
    n : int
        The number of independent samples or pairs.
    least : int
        The fewest that decide this statement.
    p_value : float
        The p-value against `published.reference`, adjusted for the family of statements.
    margin : float
        The half-width of the margin, as a share of the published value.

    Examples
    --------
    A third of the delay is published; ours is 0.28 to 0.40, then 0.45 to 0.8, then 0.9 to 1.3.

    >>> third = Published(1 / 3, side=-1, no_effect=1)
    >>> [outcome(third, each, 20) for each in ((0.28, 0.40), (0.45, 0.8), (0.9, 1.3))]
    ['reproduced', 'direction only', 'undecided']
    """
    low, high = interval
    if n < least:
        return "too few"
    if not low <= high:
        return "undecided"
    excluded = p_value < LEVEL
    if excluded and _beyond(published, low, high, -published.side):
        return "not"
    bottom, top = published.bounds(margin)
    if bottom <= low and high <= top:
        return "reproduced"
    if excluded and _beyond(published, low, high, published.side):
        return "direction only"
    if excluded and not published.side and (high < bottom or low > top):
        return "not"
    return "undecided"


def _beyond(published: Published, low: float, high: float, side: int) -> bool:
    """Return whether an interval lies entirely on one side of no effect."""
    if not side or published.no_effect is None:
        return False
    return low > published.no_effect if side > 0 else high < published.no_effect


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for multiple tests (Holm 1979).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    return [float(p) for p in several.holm(np.array(p_values, float))]
