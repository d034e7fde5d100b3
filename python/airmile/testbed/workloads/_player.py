"""A video player without the network: chooses rates, keeps a buffer and counts stalls."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Sequence

Clock = Callable[[], float]
"""A function that returns the seconds of a clock that never goes back."""

REMEMBERED = 5
"""The number of most recent segments whose throughput the player considers."""


def by_throughput(rates: Sequence[float], recent_mbps: Sequence[float], safety: float) -> float:
    """Return the highest rate below `safety` times the harmonic mean of recent throughputs."""
    if not recent_mbps:
        return rates[0]
    mean = len(recent_mbps) / sum(1 / mbps for mbps in recent_mbps)
    return max((rate for rate in rates if rate <= safety * mean), default=rates[0])


def by_buffer(
    rates: Sequence[float], before: float, buffered_s: float, reservoir_s: float, cushion_s: float
) -> float:
    """Return the rate that the buffer allows, by the algorithm BBA-0.

    Huang et al., "A Buffer-Based Approach to Rate Adaptation: Evidence from a Large Video Streaming
    Service", SIGCOMM 2014, algorithm 1: the lowest rate while the buffer is below the reservoir,
    the highest rate above the cushion, and a straight line between them. The rate changes only when
    the line reaches the next higher or lower rate.
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
        A function that returns the time in seconds.
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
        """Play for the time since the last call, or until the buffer is empty."""
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
        """Add a segment to the buffer; the first one starts the playback."""
        self.advance()
        if self.startup_s is None:
            self.startup_s = self._at - self._began
        self.buffered_s += seconds
        self._stalled = False


class History:
    """The segments that have been fetched, with their rates and throughputs."""

    def __init__(self) -> None:
        self.rates: list[float] = []
        self.recent_mbps: deque[float] = deque(maxlen=REMEMBERED)

    def add(self, rate: float, got_mbps: float) -> None:
        """Add a segment with its rate and its throughput, both in Mbit/s."""
        self.rates.append(rate)
        self.recent_mbps.append(got_mbps)

    def switches(self) -> int:
        """Return how often the rate changed from one segment to the next."""
        return sum(before != after for before, after in itertools.pairwise(self.rates))

    def mean(self) -> float | None:
        """Return the mean rate, weighted by playing time; None before the first segment."""
        return sum(self.rates) / len(self.rates) if self.rates else None
