"""A burst that the engine closed, with the moving average after it (methods G4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Burst:
    """One burst: the queue at the base station held data from its beginning to its end.

    Attributes
    ----------
    user : int
        Subscription of the phone; RNTI if a sniffer recorded all users of a cell.
    start_ns, end_ns : int
        First and last scheduled millisecond, by the modem's clock.
    throughput_time_ms, active_ms, contention_ms : float
        Throughput Time of the burst, and its two parts.
    bytes : int or None
        Bytes of the decoded blocks, without the last millisecond; None if a size is unknown.
    throughput_bps : float or None
        Volume over Throughput Time; None for a burst of one millisecond, or without volume.
    closed : bool
        Whether the log shows the end of the burst; if not, the log ended or broke off within it.
    average_bps, average_low_bps, average_high_bps : float or None
        Mean throughput of the user's last five bursts, weighted by duration, and the throughput
        of the slowest and of the fastest of these bursts.
    """

    user: int
    start_ns: int
    end_ns: int
    throughput_time_ms: float
    active_ms: float
    contention_ms: float
    bytes: int | None
    throughput_bps: float | None
    closed: bool
    average_bps: float | None
    average_low_bps: float | None
    average_high_bps: float | None


def from_row(row: Mapping[str, Any]) -> Burst:
    """Return a burst from the engine's record."""
    return Burst(**{name: row[name] for name in Burst.__dataclass_fields__})
