"""Jitter in the times of recorders, and wrong pairs; no clock explains either (methods G9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from airmile.answers.pair.clocks import RESOLUTION_S, STEEPEST, Array, Mask

Times = npt.NDArray[np.int64]

PARTS = 200
"""The number of parts of the packets, each with its own room between the hulls.

A step or a wrong pair affects only a few of the parts.
"""

FEWEST = 4
"""The fewest packets of a part, so that each direction has an extreme."""

SPREADS = 12
"""How far normal jitter of a million packets spreads.

The unit is the distance between the median and the lower quartile of the rooms.
"""

MOST_JITTER_S = 0.02
"""A larger deviation in s is not jitter: the coarsest recorder's clock ticks every 15.6 ms."""

AROUND = 20
"""The number of packets of the other direction, on each side, to compare a packet with."""

WRONG = 2
"""How many of these packets, on each side, may themselves be wrong pairs."""

CHUNK = 1 << 15
"""How many packets are compared with their neighbours at a time, to limit the memory."""


@dataclass(frozen=True)
class Jitter:
    """How far the hulls of one clock may overlap, and the error of their lines, in s."""

    overlap_s: float = RESOLUTION_S
    line_s: float = 0.0


def estimate(first_ns: Times, second_ns: Times, forward: Mask) -> Jitter:
    """Return the jitter of the recorders, from the scatter of the rooms of parts of the packets.

    Between two distant points every part has room, and jitter does not matter. If both recorders
    are at the same point, jitter makes the hulls of all packets overlap by more than those of a
    part.
    """
    rooms = _rooms(first_ns, second_ns, forward)
    if rooms.size < 3:
        return Jitter()
    typical, lowest = np.quantile(rooms, [0.5, 0.25])
    spread = SPREADS * float(typical - lowest)
    overlap = spread - float(typical)
    return Jitter(overlap, spread) if RESOLUTION_S < overlap <= MOST_JITTER_S else Jitter()


def _rooms(first_ns: Times, second_ns: Times, forward: Mask) -> Array:
    """Return the room between the hulls of each part with packets of both directions, in s."""
    count = max(min(PARTS, first_ns.size // FEWEST), 1)
    edges = np.linspace(0, first_ns.size, count + 1).astype(np.int64)
    time = (first_ns - first_ns[0]) / 1e9
    value = (second_ns - first_ns - (second_ns[0] - first_ns[0])) / 1e9
    high, low = _extremes(value, forward, edges[:-1])
    both = np.flatnonzero(np.isfinite(high) & np.isfinite(low))
    if both.size < 2:
        return high[both] - low[both]
    # Remove the drift, which would look like an overlap.
    middle = time[(edges[:-1] + edges[1:])[both] // 2]
    slopes = np.diff((high[both] + low[both]) / 2) / np.maximum(np.diff(middle), 1e-9)
    slope = float(np.clip(np.median(slopes), -STEEPEST, STEEPEST))
    high, low = _extremes(value - slope * time, forward, edges[:-1])
    rooms: Array = (high - low)[both]
    return rooms


def _extremes(value: Array, forward: Mask, edges: Times) -> tuple[Array, Array]:
    """Return the least value of one direction and the greatest of the other in each part."""
    high = np.minimum.reduceat(np.where(forward, value, np.inf), edges)
    low = np.maximum.reduceat(np.where(forward, -np.inf, value), edges)
    return high, low


def wrong_pairs(first_ns: Times, second_ns: Times, forward: Mask, jitter: Jitter) -> Mask:
    """Mark packets whose times contradict both the packets before them and those after them.

    A packet of one direction is above each packet of the other. A packet that is below most of
    those before it and most of those after it is a wrong pair. At a step of a clock, a packet is
    below those of one side only.
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
    """Return which rows are below most of their neighbours of the other direction on both sides."""
    below = np.ones(rows.size, dtype=bool)
    for steps in (np.arange(-AROUND, 0), np.arange(AROUND)):
        places_there = places[:, None] + steps
        there = (places_there >= 0) & (places_there < others.size)
        near = others[np.clip(places_there, 0, others.size - 1)]
        # The clocks may have drifted between the packets.
        drift = STEEPEST * np.abs(time[near] - time[rows][:, None])
        heights = np.where(there, value[near] - drift, -np.inf)
        top = np.partition(heights, AROUND - 1 - WRONG, axis=1)[:, AROUND - 1 - WRONG]
        below &= value[rows] < top - overlap_s
    return cast(Mask, below)
