"""The difference of the clocks of two captures, from the packets in both (methods G9).

A packet that passes point A and then point B shows the difference of the clocks plus the delay of
the packet. A packet in the opposite direction shows the difference minus its delay. So the
difference lies below every packet of the first kind and above every packet of the second: between
the lower convex hull of the first kind and the upper hull of the second.

Both kinds involve the same two clocks, so one slope holds for both. It is the slope with the most
room between two parallel lines that separate the hulls: the least sum of distances of Moon, Skelly
and Towsley (INFOCOM 1999), for both directions at once. The estimate is the middle of this room.
Its uncertainty is half of the room, because it is unknown how the least round trip divides into the
two directions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from airmile.answers.pair import hull

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

STEEPEST = 500e-6
"""The largest drift of a clock that NTP corrects (RFC 5905 appendix A.1.1, MAXFREQ)."""

RESOLUTION_S = 2e-6
"""The rounding error of the difference of two times in microseconds, in seconds."""

KNOTS = 65
"""The number of instants at which the uncertainty of a clock is computed, not interpolated."""

PARTS = 20
"""The number of parts of the time whose least delays scatter: this is the error of the slope."""


@dataclass(frozen=True)
class Bounds:
    """The corners of the two hulls: the offset is below `high` and above `low`.

    Times and values are in seconds from an origin that the caller chooses.
    """

    high_time: Array
    high: Array
    low_time: Array
    low: Array

    @classmethod
    def of(cls, time: Array, value: Array, forward: Mask) -> Bounds:
        """Return the hulls of the packets that passed the first point first, and of the others."""
        high_time, high = hull.lower(time[forward], value[forward])
        low_time, low = hull.lower(time[~forward], -value[~forward])
        return cls(high_time, high, low_time, -low)

    def ceiling(self, slopes: Array) -> Array:
        """Return the heights at time 0 of the highest lines of these slopes below `high`."""
        found: Array = (self.high - np.outer(slopes, self.high_time)).min(axis=1)
        return found

    def floor(self, slopes: Array) -> Array:
        """Return the heights at time 0 of the lowest lines of these slopes above `low`."""
        found: Array = (self.low - np.outer(slopes, self.low_time)).max(axis=1)
        return found

    @cached_property
    def slopes(self) -> Array:
        """The slopes of the hulls' edges, between which the room is linear in the slope."""
        edges = [
            np.diff(value) / np.diff(time)
            for time, value in ((self.high_time, self.high), (self.low_time, self.low))
        ]
        inside = np.clip(np.concatenate(edges), -STEEPEST, STEEPEST)
        return np.unique(np.concatenate([inside, [-STEEPEST, STEEPEST]]))

    @cached_property
    def rooms(self) -> Array:
        """The distance of the two lines at each of `slopes`, a concave function of the slope."""
        return self.ceiling(self.slopes) - self.floor(self.slopes)

    @property
    def room(self) -> float:
        """The largest distance in s; negative if no clock fits between the hulls."""
        return float(self.rooms.max())

    def slope(self) -> float:
        """Return the slope of the largest room; the middle one if several have it."""
        best = self.slopes[self.rooms >= self.room - 1e-12]
        return float(best[0] + best[-1]) / 2

    def slopes_above(self, room: float) -> tuple[float, float]:
        """Return the least and greatest slope with at least this room."""
        top = int(self.rooms.argmax())
        left = np.interp(room, self.rooms[: top + 1], self.slopes[: top + 1])
        right = np.interp(room, self.rooms[top:][::-1], self.slopes[top:][::-1])
        return float(left), float(right)


@dataclass(frozen=True)
class Clock:
    """The difference of two clocks, second minus first, over a period without steps.

    Attributes
    ----------
    rows : slice
        The packets of the period.
    origin_ns : int
        Instant of the first clock at which the values hold.
    base_ns : int
        Whole nanoseconds of the difference, to be added to `offset_s` without loss of digits.
    offset_s, slope : float
        The difference at the origin, and its change per second (1e-6 is 1 ppm).
    low_s, high_s : float
        Bounds of the difference at the origin.
    slope_uncertainty : float
        Largest error of the slope.
    room_s : float
        Least round trip between the capture points.
    ceiling_s, floor_s : float
        Heights at the origin of the lines above and below, which have the same slope.
    from_ns, to_ns : int
        Begin and end of the period by the first clock.
    slopes, ceilings, floors : array
        Possible slopes, and for each the heights at the origin of the lines above and below.
    """

    rows: slice
    origin_ns: int
    base_ns: int
    offset_s: float
    slope: float
    low_s: float
    high_s: float
    slope_uncertainty: float
    room_s: float
    ceiling_s: float
    floor_s: float
    from_ns: int
    to_ns: int
    slopes: Array
    ceilings: Array
    floors: Array

    @property
    def overlaps(self) -> bool:
        """Whether the hulls overlap, because jitter exceeds the round trip."""
        return self.ceiling_s - self.floor_s < -RESOLUTION_S

    @property
    def uncertainty_s(self) -> float:
        """The largest error of `offset_s`, at the origin."""
        return max(self.high_s - self.offset_s, self.offset_s - self.low_s)

    def at(self, first_ns: npt.NDArray[np.int64], line_s: float | None = None) -> Array:
        """Return the difference minus `base_ns` at instants of the first clock, in s.

        `line_s` selects another line of the same slope: the ceiling or the floor.
        """
        height = self.offset_s if line_s is None else line_s
        found: Array = height + self.slope * ((first_ns - self.origin_ns) / 1e9)
        return found

    def uncertainty_at(self, first_ns: npt.NDArray[np.int64]) -> Array:
        """Return the largest error of `at` at instants of the first clock, in s.

        It grows away from the origin with the uncertainty of the slope. The distance to the lines
        is convex in time, so that linear interpolation between knots never underestimates it.
        """
        ends = (self.from_ns, self.to_ns, int(first_ns.min()), int(first_ns.max()))
        knots = np.linspace(min(ends) - self.origin_ns, max(ends) - self.origin_ns, KNOTS) / 1e9
        turn = np.outer(knots, self.slopes - self.slope)
        above = (turn + (self.ceilings - self.offset_s)).max(axis=1)
        below = (turn + (self.floors - self.offset_s)).min(axis=1)
        widest = np.maximum(np.maximum(above, -below), self.uncertainty_s)
        found: Array = np.interp((first_ns - self.origin_ns) / 1e9, knots, widest)
        return found


def fit(
    first_ns: npt.NDArray[np.int64], second_ns: npt.NDArray[np.int64], forward: Mask, rows: slice,
    overlap_s: float = RESOLUTION_S, line_s: float = 0.0,
) -> Clock | None:  # fmt: skip
    """Return the difference of the clocks over `rows`; None if no clock without steps fits.

    `forward` marks the packets that passed the first point first; there must be packets of both
    kinds. Jitter of the recorders may make the hulls overlap by `overlap_s`, and moves the lines by
    `line_s`.
    """
    first, forward = first_ns[rows], forward[rows]
    difference = second_ns[rows] - first
    origin = int(first.min() + (first.max() - first.min()) // 2)
    base = int(difference[0])
    # Subtract as integers first, because a float of times since 1970 has no nanoseconds.
    time, value = (first - origin) / 1e9, (difference - base) / 1e9
    bounds = Bounds.of(time, value, forward)
    if bounds.room < -overlap_s:
        return None
    slope = bounds.slope()
    ceiling, floor = _lines(bounds, slope)
    scatter = _scatter(time, value, forward, slope, ceiling, floor)
    left, right = bounds.slopes_above(max(bounds.room - scatter, min(bounds.room, -overlap_s)))
    tried = np.append(
        bounds.slopes[(bounds.slopes > left) & (bounds.slopes < right)], [left, right]
    )
    return Clock(
        rows, origin, base, (ceiling + floor) / 2, slope,
        low_s=min(ceiling, floor, float(bounds.floor(tried).min())) - line_s,
        high_s=max(ceiling, floor, float(bounds.ceiling(tried).max())) + line_s,
        slope_uncertainty=max(right - slope, slope - left),
        room_s=max(bounds.room, 0.0), ceiling_s=ceiling, floor_s=floor,
        from_ns=int(first.min()), to_ns=int(first.max()),
        slopes=tried,
        ceilings=np.maximum(bounds.ceiling(tried), bounds.floor(tried)) + line_s,
        floors=np.minimum(bounds.ceiling(tried), bounds.floor(tried)) - line_s,
    )  # fmt: skip


def _lines(bounds: Bounds, slope: float) -> tuple[float, float]:
    slopes = np.array([slope])
    return float(bounds.ceiling(slopes)[0]), float(bounds.floor(slopes)[0])


def _scatter(
    time: Array, value: Array, forward: Mask, slope: float, ceiling: float, floor: float
) -> float:
    """Return the typical distance of the least delays of parts of the time from the line.

    The direction with the smaller distance decides, because it alone determines the slope.
    """
    above = value - slope * time - ceiling
    below = floor - (value - slope * time)
    ways = (_typical(time[forward], above[forward]), _typical(time[~forward], below[~forward]))
    return 2 * min(ways) + RESOLUTION_S


def _typical(time: Array, excess: Array) -> float:
    width = max(float(np.ptp(time)), 1e-9) / PARTS
    parts = np.minimum(((time - time.min()) / width).astype(np.int64), PARTS - 1)
    least = np.full(PARTS, np.inf)
    np.minimum.at(least, parts, excess)
    return float(np.median(least[np.isfinite(least)]))
