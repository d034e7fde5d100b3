"""What the kernel's clocks say about each connection in each 100 ms of a run."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airmile.testbed.hosts.sockets import Senders

if TYPE_CHECKING:
    from airmile.store import Tables

BIN_NS = 100_000_000

FEW_SAMPLES = 3
"""The fewest of the ten samples in a bin that give a label: a busy machine may miss some."""

_CWND_FULL = 0.95


@dataclass
class Clock:
    """The kernel's state of one flow during one bin of 100 ms."""

    busy_us: int
    rwnd_us: int
    acked: int
    ca_state: int
    samples: int
    starved: int
    window_full: int

    @classmethod
    def unseen(cls) -> Clock:
        """Return the state of a flow that has no samples."""
        return cls(0, 0, 0, 0, 0, 0, 0)


def of_connections(
    dataset: Tables, senders: Senders, start: int
) -> dict[tuple[int, int, int], dict[int, Clock]]:
    """Return the kernel's clocks of each connection in each bin.

    Parameters
    ----------
    dataset : Tables
        The run with its truth.
    senders : Senders
        The sockets that send the run's data over the radio.
    start : int
        The start of the first bin, in nanoseconds.

    Returns
    -------
    dict
        For each connection (the phone's port, the server's port, and its number among those with
        the same ports), the clocks by the number of the bin.
    """
    samples: defaultdict[tuple[int, int, int], list[Mapping[str, int]]] = defaultdict(list)
    # Ports break ties in time, so that every reading of the same run gives the same labels.
    query = f"SELECT * FROM ({senders.samples()}) ORDER BY time_ns, phone_port, server_port"
    for row in dataset.arrow(query).to_pylist():
        samples[row["phone_port"], row["server_port"], row["connection"]].append(row)
    return {key: _by_bin(flow, start) for key, flow in samples.items()}


def _by_bin(samples: list[Mapping[str, int]], start: int) -> dict[int, Clock]:
    times = [row["time_ns"] for row in samples]
    first, last = max((times[0] - start) // BIN_NS, 0), (times[-1] - start) // BIN_NS
    clocks = {}
    for number in range(first, last + 1):
        begin = bisect_left(times, start + number * BIN_NS)
        end = bisect_left(times, start + (number + 1) * BIN_NS)
        before = samples[begin - 1] if begin else None
        here = samples[begin:end]
        # A flow exists only for a part of its first and last bin.
        whole = first < number < last
        clocks[number] = _clock(here, before) if here else Clock.unseen()
        if clocks[number].samples and not whole:
            clocks[number].samples = max(clocks[number].samples, FEW_SAMPLES)
    return clocks


def _clock(here: list[Mapping[str, int]], before: Mapping[str, int] | None) -> Clock:
    if any(row[column] is None for row in here for column in _NEEDED):
        return Clock.unseen()

    def grew(column: str) -> int:
        return here[-1][column] - (before[column] if before else 0)

    without_data = (starved(row) for row in here)
    return Clock(
        busy_us=grew("busy_us"),
        rwnd_us=grew("rwnd_lim_us"),
        acked=grew("bytes_acked") if before else 0,
        ca_state=max(row["ca_state"] for row in here),
        samples=len(here),
        starved=sum(without_data),
        window_full=sum(row["window_full"] for row in here),
    )


_NEEDED = ("busy_us", "rwnd_lim_us", "notsent", "window_full")
"""Columns that give a label; an old kernel does not report them."""


def starved(row: Mapping[str, int]) -> bool:
    """Return whether the window has room and less than a segment waits (RFC 896 delays a part)."""
    return row["notsent"] < row["snd_mss"] and row["unacked"] < _CWND_FULL * row["cwnd"]
