"""How the clocks of two captures differ, from the packets that both hold (methods G9).

A packet that passes point A and then point B shows the difference of the clocks plus its delay; one
that goes the other way shows the difference minus its delay. So the difference lies below every
packet of the one kind and above every packet of the other: between the lower hull of the ones and
the upper hull of the others.

Both kinds are seen by the same two clocks, so one slope holds for both: the one with which the two
envelopes fit closest (the largest room between two parallel lines), which is the least sum of
distances of Moon, Skelly and Towsley (INFOCOM 1999) for both ways at once. The middle of the room
is taken, and half of it stays unknown: nothing shows how a delay without any queue divides between
the two ways.
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
"""A clock that drifts more is broken: NTP corrects no more (RFC 5905 appendix A.1.1, MAXFREQ)."""

RESOLUTION_S = 2e-6
"""Two times of captures with microseconds differ by as much for no reason."""

KNOTS = 65
"""Instants at which the uncertainty of a clock is worked out; chords lie between them."""

PARTS = 20
"""Parts of the time, each with its least delay: how these scatter is what a slope is unsure of."""


@dataclass(frozen=True)
class Bounds:
    """Corners of the envelopes: the offset lies below the ones and above the others.

    Times and values in s, from an origin of the caller's.
    """

    high_time: Array
    high: Array
    low_time: Array
    low: Array

    @classmethod
    def of(cls, time: Array, value: Array, forward: Mask) -> Bounds:
        """Take the hulls of the packets that passed the first point first, and of the others."""
        high_time, high = hull.lower(time[forward], value[forward])
        low_time, low = hull.lower(time[~forward], -value[~forward])
        return cls(high_time, high, low_time, -low)

    def ceiling(self, slopes: Array) -> Array:
        """Return the highest lines of these slopes under the ones: their height at time 0."""
        found: Array = (self.high - np.outer(slopes, self.high_time)).min(axis=1)
        return found

    def floor(self, slopes: Array) -> Array:
        """Return the lowest lines of these slopes over the others: their height at time 0."""
        found: Array = (self.low - np.outer(slopes, self.low_time)).max(axis=1)
        return found

    @cached_property
    def slopes(self) -> Array:
        """Slopes at which the room changes its course: those of the hulls' edges."""
        edges = [
            np.diff(value) / np.diff(time)
            for time, value in ((self.high_time, self.high), (self.low_time, self.low))
        ]
        inside = np.clip(np.concatenate(edges), -STEEPEST, STEEPEST)
        return np.unique(np.concatenate([inside, [-STEEPEST, STEEPEST]]))

    @cached_property
    def rooms(self) -> Array:
        """Distance of the two lines at each of `slopes`: a concave function of the slope."""
        return self.ceiling(self.slopes) - self.floor(self.slopes)

    @property
    def room(self) -> float:
        """The largest distance; negative when no clock fits between the envelopes."""
        return float(self.rooms.max())

    def slope(self) -> float:
        """Return the slope of the largest room, the middle one where several have it."""
        best = self.slopes[self.rooms >= self.room - 1e-12]
        return float(best[0] + best[-1]) / 2

    def slopes_above(self, room: float) -> tuple[float, float]:
        """Return the least and greatest slope that leave so much room."""
        top = int(self.rooms.argmax())
        left = np.interp(room, self.rooms[: top + 1], self.slopes[: top + 1])
        right = np.interp(room, self.rooms[top:][::-1], self.slopes[top:][::-1])
        return float(left), float(right)


@dataclass(frozen=True)
class Clock:
    """The difference of two clocks over a stretch of packets: second minus first.

    Attributes
    ----------
    rows : slice
        The packets that it rests on.
    origin_ns : int
        Instant of the first clock at which the figures hold.
    base_ns : int
        To be added to `offset_s`, so that no digit is lost.
    offset_s, slope : float
        The difference at the origin, and how it grows (1e-6 is 1 ppm).
    low_s, high_s : float
        Between these the difference lies at the origin.
    slope_uncertainty : float
        The slope is right within so much.
    room_s : float
        Least round trip between the capture points.
    ceiling_s, floor_s : float
        The lines above and below, of the same slope, at the origin.
    from_ns, to_ns : int
        The stretch by the first clock.
    slopes, ceilings, floors : array
        Slopes that the clock may have, and for each the lines above and below at the origin.
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
        """Whether jitter hides the round trip: the envelopes lie over each other."""
        return self.ceiling_s - self.floor_s < -RESOLUTION_S

    @property
    def uncertainty_s(self) -> float:
        """How far the difference may lie from `offset_s`, at the origin."""
        return max(self.high_s - self.offset_s, self.offset_s - self.low_s)

    def at(self, first_ns: npt.NDArray[np.int64], line_s: float | None = None) -> Array:
        """Return the difference less `base_ns` at instants of the first clock, in s.

        `line_s` takes another line of the same slope: the ceiling, or the floor.
        """
        height = self.offset_s if line_s is None else line_s
        found: Array = height + self.slope * ((first_ns - self.origin_ns) / 1e9)
        return found

    def uncertainty_at(self, first_ns: npt.NDArray[np.int64]) -> Array:
        """Return how far the difference may lie from `at` at instants of the first clock, in s.

        It grows away from the origin with what the slope is unsure of. The distance to lines is
        convex, so chords between instants of the stretch are never too short; beyond the stretch
        the lines themselves are taken.
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
    """Lay the clocks of a stretch side by side; None when no steady clock fits.

    `forward` are the packets that passed the first point first; both kinds must be there. Jitter of
    the recorders may let the envelopes overlap by `overlap_s`, and moves their lines by `line_s`.
    """
    first, forward = first_ns[rows], forward[rows]
    difference = second_ns[rows] - first
    origin = int(first.min() + (first.max() - first.min()) // 2)
    base = int(difference[0])
    # Whole nanoseconds first: as floats, times since 1970 would lose them.
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
    """Return how far the least delays of parts of the time lie from the line under them.

    The way whose least delays are the steadier decides: it alone would hold the slope.
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
