"""The queue in the radio firmware, and how long a packet waits there (methods G8).

Between two reports the queue grows by the bytes that passed the capture and shrinks by the bytes
that grants served, never below 0. Each report below the top level corrects it: an exact report sets
the queue, and a level narrows it to the bounds of the level. The top level of a buffer status
report means "more than" (TS 36.321 table 6.1.3.1-1) and corrects nothing.

A packet leaves when grants have served the bytes that waited when it came, including its own. Queue
and delay are unknown before the first such report and after the last grant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airmile.uplink.curve import Bytes, Curve, Instants

UNKNOWN = -1

Milliseconds = NDArray[np.float64]


@dataclass(frozen=True)
class Reports:
    """Buffer reports of the modem, all logical channels together, ordered by time."""

    times_ns: Instants
    low: Bytes
    high: Bytes
    """Equal to `low` if the report is exact; `UNKNOWN` for the top level."""

    @property
    def anchors(self) -> Reports:
        """The reports that bound the queue on both sides."""
        kept = self.high != UNKNOWN
        return Reports(self.times_ns[kept], self.low[kept], self.high[kept])


@dataclass(frozen=True)
class Occupancy:
    """Bounds of the queue in bytes after each event; `UNKNOWN` before the first anchor."""

    times_ns: Instants
    low: Bytes
    high: Bytes
    dequeued: Curve
    contradicted: int
    """Reports that contradict the curves: clocks are misaligned, or records were lost."""

    def at(self, instants: Instants) -> tuple[Bytes, Bytes]:
        """Return the bounds at instants, after the events of the same instant."""
        index = np.searchsorted(self.times_ns, instants, side="right")
        return (
            np.asarray(np.append(UNKNOWN, self.low)[index], np.int64),
            np.asarray(np.append(UNKNOWN, self.high)[index], np.int64),
        )

    def delay_ms(self, instants: Instants) -> tuple[Milliseconds, Milliseconds, Milliseconds]:
        """Return the middle, low and high delay of packets by arrival time; NaN if unknown."""
        low, high = self.at(instants)
        middle = np.where(low == UNKNOWN, UNKNOWN, (low + high) // 2)
        return (
            self._wait(instants, middle),
            self._wait(instants, low),
            self._wait(instants, high),
        )

    def _wait(self, instants: Instants, queued: Bytes) -> Milliseconds:
        leaves = self.dequeued.passes(self.dequeued.at(instants) + queued)
        known = (queued == 0) | ((queued != UNKNOWN) & (leaves != -1))
        waited = np.where(queued == 0, 0, leaves - instants) / 1e6
        return np.where(known, waited, np.nan)


def occupancy(enqueued: Curve, dequeued: Curve, reports: Reports) -> Occupancy:
    """Return the queue from arrivals, grants and the modem's reports.

    At one instant arrivals come first, then grants, then the report, which gives the bytes left
    after the transport blocks of its subframe (TS 36.321 section 5.4.5).

    Examples
    --------
    >>> came, taken = Curve.of([5, 6], [100, 50]), Curve.of([7, 9], [60, 60])
    >>> said = Reports(np.array([0]), np.array([0]), np.array([0]))
    >>> queue = occupancy(came, taken, said)
    >>> queue.high.tolist()
    [0, 100, 150, 90, 30]
    """
    anchors = reports.anchors
    times, change = _events(enqueued, dequeued)
    low, high = np.full(times.size, UNKNOWN), np.full(times.size, UNKNOWN)
    starts = np.searchsorted(times, anchors.times_ns, side="right")
    ends = np.append(starts, times.size)[1:]
    bounds: list[tuple[int, int]] = []
    contradicted = 0
    for number, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        said = int(anchors.low[number]), int(anchors.high[number])
        before = _reached(low, high, bounds, start, starts[number - 1] if number else start)
        kept = _within(before, said)
        contradicted += before is not None and kept is None
        bounds.append(kept or said)
        low[start:end] = _path(bounds[-1][0], change[start:end])
        high[start:end] = _path(bounds[-1][1], change[start:end])
    return _merged(times, low, high, anchors.times_ns, bounds, dequeued, contradicted)


def _events(enqueued: Curve, dequeued: Curve) -> tuple[Instants, Bytes]:
    """Merge arrivals and grants by time; at the same instant arrivals come first."""
    times = np.concatenate([enqueued.times_ns, dequeued.times_ns])
    change = np.concatenate([enqueued.sizes, -dequeued.sizes])
    order = np.argsort(times, kind="stable")
    return times[order], change[order]


def _reached(
    low: Bytes, high: Bytes, bounds: list[tuple[int, int]], start: int, before: int
) -> tuple[int, int] | None:
    """Return the bounds just before an anchor; None before the first."""
    if not bounds:
        return None
    return (int(low[start - 1]), int(high[start - 1])) if start > before else bounds[-1]


def _within(before: tuple[int, int] | None, said: tuple[int, int]) -> tuple[int, int] | None:
    """Return the intersection of both bounds; None if it is empty or there is no earlier bound."""
    if before is None:
        return None
    low, high = max(before[0], said[0]), min(before[1], said[1])
    return (low, high) if low <= high else None


def _path(start: int, change: Bytes) -> Bytes:
    """Return the queue after each change; a grant beyond the queue leaves it at 0."""
    free = start + np.cumsum(change)
    return np.asarray(free - np.minimum(np.minimum.accumulate(free), 0), np.int64)


def _merged(
    times: Instants,
    low: Bytes,
    high: Bytes,
    anchors_ns: Instants,
    bounds: list[tuple[int, int]],
    dequeued: Curve,
    contradicted: int,
) -> Occupancy:
    """Insert each anchor after the events of the same instant."""
    anchored = np.asarray(bounds, np.int64).reshape(-1, 2)
    everything = np.concatenate([times, anchors_ns])
    order = np.argsort(everything, kind="stable")
    return Occupancy(
        everything[order],
        np.concatenate([low, anchored[:, 0]])[order],
        np.concatenate([high, anchored[:, 1]])[order],
        dequeued,
        contradicted,
    )
