"""A video player without its network: which rate comes next, what is buffered, when it stalls."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Sequence

Clock = Callable[[], float]
"""Gives the seconds of a clock that only goes forward."""

REMEMBERED = 5
"""The number of last segments whose throughput counts."""


def by_throughput(rates: Sequence[float], recent_mbps: Sequence[float], safety: float) -> float:
    """Give the highest rate within a share of the harmonic mean of the last throughputs."""
    if not recent_mbps:
        return rates[0]
    mean = len(recent_mbps) / sum(1 / mbps for mbps in recent_mbps)
    return max((rate for rate in rates if rate <= safety * mean), default=rates[0])


def by_buffer(
    rates: Sequence[float], before: float, buffered_s: float, reservoir_s: float, cushion_s: float
) -> float:
    """Give the rate that the buffer allows: BBA-0.

    Huang et al., "A Buffer-Based Approach to Rate Adaptation: Evidence from a Large Video Streaming
    Service", SIGCOMM 2014, algorithm 1: the lowest rate up to the reservoir, the highest from the
    end of the cushion, a straight line between; the rate changes only when the line reaches the
    next higher or lower one.
    """
    if buffered_s <= reservoir_s:
        return rates[0]
    if buffered_s >= reservoir_s + cushion_s:
        return rates[-1]
    allowed = rates[0] + (buffered_s - reservoir_s) / cushion_s * (rates[-1] - rates[0])
    above = next((rate for rate in rates if rate > before), rates[-1])
    below = next((rate for rate in reversed(rates) if rate < before), rates[0])
    if allowed >= above:
        return max(rate for rate in rates if rate < allowed)
    if allowed <= below:
        return min(rate for rate in rates if rate > allowed)
    return before


class Playback:
    """The buffer of a player, and its stalls.

    Parameters
    ----------
    clock : callable
        Gives the time in seconds.
    """

    def __init__(self, clock: Clock) -> None:
        self.buffered_s = 0.0
        self.stalled_s = 0.0
        self.stalls = 0
        self.startup_s: float | None = None
        self._clock = clock
        self._began = self._at = clock()
        self._stalled = False

    def advance(self) -> None:
        """Play for the time since the last call, as far as the buffer allows."""
        now = self._clock()
        elapsed, self._at = now - self._at, now
        if self.startup_s is None:
            return
        lack = elapsed - self.buffered_s
        self.buffered_s = max(0.0, self.buffered_s - elapsed)
        if lack > 0:
            self.stalled_s += lack
            self.stalls += not self._stalled
            self._stalled = True

    def add(self, seconds: float) -> None:
        """Add a segment; playing begins with the first one."""
        self.advance()
        if self.startup_s is None:
            self.startup_s = self._at - self._began
        self.buffered_s += seconds
        self._stalled = False


class History:
    """The segments that were fetched."""

    def __init__(self) -> None:
        self.rates: list[float] = []
        self.recent_mbps: deque[float] = deque(maxlen=REMEMBERED)

    def add(self, rate: float, got_mbps: float) -> None:
        """Add a segment."""
        self.rates.append(rate)
        self.recent_mbps.append(got_mbps)

    def switches(self) -> int:
        """Count the changes of rate."""
        return sum(before != after for before, after in itertools.pairwise(self.rates))

    def mean(self) -> float | None:
        """Give the mean rate, weighted by playing time; None before the first segment."""
        return sum(self.rates) / len(self.rates) if self.rates else None
