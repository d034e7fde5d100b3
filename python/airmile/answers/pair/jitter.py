"""What recorders add to the times of packets, and pairs that no clock explains (methods G9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from airmile.answers.pair.clocks import RESOLUTION_S, STEEPEST, Array, Mask

Times = npt.NDArray[np.int64]

PARTS = 200
"""Parts of the packets, each with its own room between the envelopes: a step or a wrong pair is in
few of them."""

FEWEST = 4
"""Packets of a part at least: a way has an extreme only among some."""

SPREADS = 12
"""Multiple of the distance of the median room from its lowest quarter: normal jitter of a
million packets stays within."""

MOST_JITTER_S = 0.02
"""Jitter above this is none: the coarsest clock of a recorder ticks every 15.6 ms."""

AROUND = 20
"""Packets of the other way before and after one, between which a wrong pair stands out."""

WRONG = 2
"""The number of these that may be wrong pairs themselves."""

CHUNK = 1 << 15
"""Packets whose neighbours are looked at together: bounds the memory."""


@dataclass(frozen=True)
class Jitter:
    """How far envelopes of one steady clock may overlap, and how unsure their lines are then."""

    overlap_s: float = RESOLUTION_S
    line_s: float = 0.0


def estimate(first_ns: Times, second_ns: Times, forward: Mask) -> Jitter:
    """Return the jitter of the recorders, by how the rooms of parts of the packets scatter.

    Between two places every part has room, and jitter does not matter. Recorders at
    one place see each way now early, now late, and the envelopes of all packets overlap by more
    than those of a part.
    """
    rooms = _rooms(first_ns, second_ns, forward)
    if rooms.size < 3:
        return Jitter()
    typical, lowest = np.quantile(rooms, [0.5, 0.25])
    spread = SPREADS * float(typical - lowest)
    overlap = spread - float(typical)
    return Jitter(overlap, spread) if RESOLUTION_S < overlap <= MOST_JITTER_S else Jitter()


def _rooms(first_ns: Times, second_ns: Times, forward: Mask) -> Array:
    """Return the room between the envelopes of each part that has both."""
    count = max(min(PARTS, first_ns.size // FEWEST), 1)
    edges = np.linspace(0, first_ns.size, count + 1).astype(np.int64)
    time = (first_ns - first_ns[0]) / 1e9
    value = (second_ns - first_ns - (second_ns[0] - first_ns[0])) / 1e9
    high, low = _extremes(value, forward, edges[:-1])
    both = np.flatnonzero(np.isfinite(high) & np.isfinite(low))
    if both.size < 2:
        return high[both] - low[both]
    # Relative to the part's own time, or drift would look like an overlap.
    middle = time[(edges[:-1] + edges[1:])[both] // 2]
    slopes = np.diff((high[both] + low[both]) / 2) / np.maximum(np.diff(middle), 1e-9)
    slope = float(np.clip(np.median(slopes), -STEEPEST, STEEPEST))
    high, low = _extremes(value - slope * time, forward, edges[:-1])
    rooms: Array = (high - low)[both]
    return rooms


def _extremes(value: Array, forward: Mask, edges: Times) -> tuple[Array, Array]:
    """Return the least of the one way and the greatest of the other in each block."""
    high = np.minimum.reduceat(np.where(forward, value, np.inf), edges)
    low = np.maximum.reduceat(np.where(forward, -np.inf, value), edges)
    return high, low


def wrong_pairs(first_ns: Times, second_ns: Times, forward: Mask, jitter: Jitter) -> Mask:
    """Mark packets whose times contradict those both before and after them.

    A packet of one way lies above each of the other. One that does not, neither before nor after
    and not because of a few, is paired wrongly; a clock that was set parts from one side only.
    """
    value = (second_ns - first_ns - (second_ns[0] - first_ns[0])) / 1e9
    time = (first_ns - first_ns[0]) / 1e9
    found = np.zeros(forward.size, dtype=bool)
    for way, sign in ((forward, 1.0), (~forward, -1.0)):
        rows, others = np.flatnonzero(way), np.flatnonzero(~way)
        if others.size <= WRONG:
            continue
        places = np.searchsorted(others, rows)
        for begin in range(0, rows.size, CHUNK):
            part = slice(begin, begin + CHUNK)
            found[rows[part]] = _below(
                rows[part], places[part], others, time, sign * value, jitter.overlap_s
            )
    return found


def _below(
    rows: Times, places: Times, others: Times, time: Array, value: Array, overlap_s: float
) -> Mask:
    """Return which rows lie below most of their neighbours of the other way on both sides."""
    below = np.ones(rows.size, dtype=bool)
    for steps in (np.arange(-AROUND, 0), np.arange(AROUND)):
        places_there = places[:, None] + steps
        there = (places_there >= 0) & (places_there < others.size)
        near = others[np.clip(places_there, 0, others.size - 1)]
        # Meanwhile the clocks may have drifted.
        drift = STEEPEST * np.abs(time[near] - time[rows][:, None])
        heights = np.where(there, value[near] - drift, -np.inf)
        top = np.partition(heights, AROUND - 1 - WRONG, axis=1)[:, AROUND - 1 - WRONG]
        below &= value[rows] < top - overlap_s
    return cast(Mask, below)
