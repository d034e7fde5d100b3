"""How long the rest of a campaign will take."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

AROUND_S = 15.0
"""Of a run beside its workload: hosts, probe and captures at work before it, and the analysis."""


class Clock:
    """Tells how long the rest will take: as long as what is over took, or is allowed to.

    Parameters
    ----------
    allowed_s : sequence of float
        What the workload of each run may take.
    now : callable
        Seconds on a clock that only goes forward.
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
        """Note that a run is over."""
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
