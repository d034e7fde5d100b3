"""Finds periods in the times of requests, even with jitter, missing requests and several series.

A period counts only if chance would hardly give it: for the same number of requests at random
times, a series of this length must have a probability below `CHANCE`.
"""

from __future__ import annotations

import bisect
import itertools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

LEAST_REQUESTS = 4
"""The fewest requests of a series: their three intervals can show a regularity; our choice."""

NEAR = 0.1
"""A request is on time if it is this near to a whole period, as a share of it; our choice."""

CHANCE = 1e-3
"""The highest probability that a series is due to chance; our choice."""

_LEAST_NEAR = 0.01
"""The smallest tolerance, as a share of the period; smaller distances count as this one."""
_MISSED_MOST = 2
"""A series continues over one missing request, and ends when two in a row are missing."""
_LAGS = 8
"""A candidate for a period is the interval from a request to one of this many later ones.

Requests of other series may come between two requests of one series.
"""
_CANDIDATES = 24
_SERIES_MOST = 4


@dataclass(frozen=True)
class Series:
    """Requests that follow each other one period apart.

    Attributes
    ----------
    period_s : float
        The mean time between two successive requests.
    members : tuple of int
        The requests of the series, by their position in the order of time.
    periods, missed : int
        The number of periods from the first request to the last, and of those without a request.
    jitter_s : float
        The median distance of its intervals from whole periods.
    """

    period_s: float
    members: tuple[int, ...]
    periods: int
    missed: int
    jitter_s: float

    @property
    def regularity_ratio(self) -> float:
        """The share of the periods that had a request."""
        return 1 - self.missed / self.periods


def series(times_s: Sequence[float]) -> list[Series]:
    """Return the periodic series among requests; the least likely by chance is first.

    Series of the same period are joined: parts with a pause between them, and requests that are
    sent two at a time.

    Parameters
    ----------
    times_s : sequence of float
        When the requests began, in seconds, in ascending order.

    Examples
    --------
    >>> [found] = series([0.0, 10.1, 20.0, 30.1, 50.2, 60.1])
    >>> round(found.period_s, 2), found.missed, found.periods
    (10.02, 1, 6)
    >>> series([0.0, 1.0, 9.0, 30.0])
    []
    """
    left = list(range(len(times_s)))
    found: list[Series] = []
    while len(left) >= LEAST_REQUESTS and len(found) < _SERIES_MOST:
        best = _best([times_s[at] for at in left])
        if best is None:
            break
        places, periods = best
        members = tuple(left[place] for place in places)
        found = _joined(found, times_s, members, periods)
        taken = set(members)
        left = [at for at in left if at not in taken]
    return found


def _joined(
    found: list[Series], times_s: Sequence[float], members: tuple[int, ...], periods: int
) -> list[Series]:
    """Add a series at the end, joined with an earlier series of the same period if there is one."""
    new = _of(times_s, members, periods)
    for old in found:
        if abs(old.period_s - new.period_s) <= NEAR * old.period_s:
            both = old.periods + new.periods
            joined = Series(
                (old.period_s * old.periods + new.period_s * new.periods) / both,
                tuple(sorted((*old.members, *new.members))),
                both,
                old.missed + new.missed,
                max(old.jitter_s, new.jitter_s),
            )
            return [*(each for each in found if each is not old), joined]
    return [*found, new]


def _of(times_s: Sequence[float], members: tuple[int, ...], periods: int) -> Series:
    times = [times_s[at] for at in members]
    period_s = (times[-1] - times[0]) / periods
    return Series(
        period_s, members, periods, periods - (len(members) - 1),
        statistics.median(_distances(times, period_s)),
    )  # fmt: skip


def _best(times: list[float]) -> tuple[list[int], int] | None:
    """Return the positions of the series that is least likely by chance, and its periods."""
    candidates = _candidates(times)
    tries = math.log(max(len(times) * len(candidates), 1))
    best, least = None, math.log(CHANCE) - tries
    for period_s in candidates:
        places, periods = _longest(times, period_s)
        if len(places) >= LEAST_REQUESTS:
            chance = _log_chance(times, places, periods)
            if chance < least:
                best, least = (places, periods), chance
    return best


def _candidates(times: list[float]) -> list[float]:
    """Return the intervals between requests that occur most often, as medians of their bins."""
    bins: dict[int, list[float]] = {}
    for lag in range(1, min(_LAGS, len(times) - 1) + 1):
        for early, late in zip(times, times[lag:], strict=False):
            if late > early:
                place = round(math.log(late - early) / math.log1p(NEAR))
                bins.setdefault(place, []).append(late - early)
    # A period near the edge of a bin has intervals in two bins.
    wide = {place: [*bins[place], *bins.get(place + 1, [])] for place in bins}
    frequent = sorted(wide.values(), key=len, reverse=True)[:_CANDIDATES]
    return [statistics.median(each) for each in frequent]


def _longest(times: list[float], period_s: float) -> tuple[list[int], int]:
    """Return the positions of the longest series with a period, and its number of periods."""
    after: list[tuple[int, int] | None] = [None] * len(times)
    length = [1] * len(times)
    for place in reversed(range(len(times))):
        for steps in range(1, _MISSED_MOST + 1):
            following = _nearest(times, times[place] + steps * period_s, NEAR * period_s)
            if following is not None and following > place:
                after[place] = following, steps
                length[place] = length[following] + 1
                break
    at = max(range(len(times)), key=length.__getitem__)
    places, periods = [at], 0
    while (following_steps := after[at]) is not None:
        at, steps = following_steps
        places.append(at)
        periods += steps
    return places, periods


def _log_chance(times: list[float], places: list[int], periods: int) -> float:
    """Return a bound on the logarithm of the probability of a series by chance (Chernoff).

    At random times, a request is close to a given instant with the probability `near`, which
    follows from the density of requests.
    """
    first, last = times[places[0]], times[places[-1]]
    period_s = (last - first) / periods
    own = [times[place] for place in places]
    width_s = 2 * max(*_distances(own, period_s), _LEAST_NEAR * period_s)
    density = (places[-1] - places[0]) / (last - first)
    near = -math.expm1(-density * width_s)
    hits = (len(places) - 1) / periods
    if hits <= near:
        return 0.0
    misses = (1 - hits) * math.log((1 - hits) / (1 - near)) if hits < 1 else 0.0
    return -periods * (hits * math.log(hits / near) + misses)


def _distances(times: list[float], period_s: float) -> list[float]:
    """Return how far each interval is from a whole number of periods."""
    gaps = [late - early for early, late in itertools.pairwise(times)]
    return [abs(gap - max(round(gap / period_s), 1) * period_s) for gap in gaps]


def _nearest(times: list[float], wanted: float, within: float) -> int | None:
    """Return the position of the time nearest to `wanted`; None if it is not near enough."""
    right = bisect.bisect_left(times, wanted)
    near = [at for at in (right - 1, right) if 0 <= at < len(times)]
    best = min(near, key=lambda at: abs(times[at] - wanted))
    return best if abs(times[best] - wanted) <= within else None
