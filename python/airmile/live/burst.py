"""Bursts as the engine closes them, and the moving average over the last of them (methods G4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

AVERAGED = 5
"""Bursts in the moving average (methods G4)."""


@dataclass(frozen=True)
class Burst:
    """One burst: the queue at the base station held data from its beginning to its end.

    Attributes
    ----------
    user : int
        Subscription of the phone, or RNTI where a sniffer sees all users of a cell.
    start_ns, end_ns : int
        First and last scheduled millisecond, by the modem's clock.
    throughput_time_ms, active_ms, contention_ms : float
        Its Throughput Time, and what that is made of.
    bytes : int or None
        Decoded blocks without those of the last millisecond; None where a size is unknown.
    closed : bool
        Whether its end was seen; else the log ended within it.
    """

    user: int
    start_ns: int
    end_ns: int
    throughput_time_ms: float
    active_ms: float
    contention_ms: float
    bytes: int | None
    closed: bool

    @property
    def throughput_bps(self) -> float | None:
        """Volume over Throughput Time; None for a burst of one millisecond, or without volume."""
        if self.throughput_time_ms <= 0 or self.bytes is None:
            return None
        return self.bytes * 8e3 / self.throughput_time_ms


def from_row(row: Mapping[str, Any]) -> Burst:
    """Make a burst of a row as in the table `bursts`."""
    return Burst(**{name: row[name] for name in Burst.__dataclass_fields__})


@dataclass(frozen=True)
class Estimate:
    """What the link gives: the mean of some bursts by their duration, the least and the most."""

    mean_bps: float
    low_bps: float
    high_bps: float


class MovingAverage:
    """The mean throughput of the last five bursts, weighted by duration.

    Examples
    --------
    >>> average = MovingAverage()
    >>> for bits_per_ms, ms in [(8, 100), (16, 300)]:
    ...     average.add(Burst(0, 0, 0, ms, ms, 0, bits_per_ms * ms // 8, True))
    >>> average.estimate()
    Estimate(mean_bps=14000.0, low_bps=8000.0, high_bps=16000.0)
    """

    def __init__(self, last: int = AVERAGED) -> None:
        self._bursts: deque[Burst] = deque(maxlen=last)

    def add(self, burst: Burst) -> None:
        """Take a burst; one without a throughput tells nothing."""
        if burst.throughput_bps is not None:
            self._bursts.append(burst)

    def estimate(self) -> Estimate | None:
        """Return the estimate; None before the first burst."""
        rates = [rate for burst in self._bursts if (rate := burst.throughput_bps) is not None]
        if not rates:
            return None
        volume = sum(burst.bytes or 0 for burst in self._bursts)
        duration_ms = sum(burst.throughput_time_ms for burst in self._bursts)
        return Estimate(volume * 8e3 / duration_ms, min(rates), max(rates))
