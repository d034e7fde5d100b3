"""Estimates how long the rest of a campaign will take."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

AROUND_S = 15.0
"""How long a run takes besides its workload, in s: hosts, probe, captures and analysis."""


class Clock:
    """Estimates the time for the rest of a campaign from the durations of its ended runs.

    Parameters
    ----------
    allowed_s : sequence of float
        The longest time of each run's workload, in seconds.
    now : callable
        A function that returns the seconds of a clock that never goes back.
    """

    def __init__(
        self, allowed_s: Sequence[float], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._allowed = allowed_s
        self._now = now
        self._began = now()
        self._over_s = 0.0
        self._over = 0

    def over(self) -> None:
        """Record that a run has ended."""
        self._over_s = self._now() - self._began
        self._over += 1

    def left(self) -> str:
        """Return in words how long the rest of the campaign will take."""
        here_s = self._now() - self._began - self._over_s
        rest = self._allowed[self._over :]
        if not self._over:
            return f"up to {max(sum(rest) + AROUND_S * len(rest) - here_s, 0):.0f} s left"
        mean_s = self._over_s / self._over
        return f"about {max(mean_s * len(rest) - here_s, 0):.0f} s left"
