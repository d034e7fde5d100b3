"""How long the rest of a campaign will take."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

AROUND_S = 15.0
"""The duration of a run without its workload, in seconds: hosts, probe, captures and analysis."""


class Clock:
    """Estimates how long the rest of a campaign will take, from the runs that are over.

    Parameters
    ----------
    allowed_s : sequence of float
        The longest time of each run's workload.
    now : callable
        Gives the seconds of a clock that only goes forward.
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
        """Record that a run is over."""
        self._over_s = self._now() - self._began
        self._over += 1

    def left(self) -> str:
        """Say how long the rest will take."""
        here_s = self._now() - self._began - self._over_s
        rest = self._allowed[self._over :]
        if not self._over:
            return f"up to {max(sum(rest) + AROUND_S * len(rest) - here_s, 0):.0f} s left"
        mean_s = self._over_s / self._over
        return f"about {max(mean_s * len(rest) - here_s, 0):.0f} s left"
