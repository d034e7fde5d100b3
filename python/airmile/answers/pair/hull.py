"""The line that lies under (or over) a cloud of points as close as can be: its convex hull."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

FEW = 4096
"""Up to this number of points, each is visited."""

BINS = 512
"""With more points, the least of each of this number of parts of the time is taken first."""


def lower(time: Array, value: Array) -> tuple[Array, Array]:
    """Return the corners of the hull from below, in order of time.

    >>> lower(np.array([0.0, 1, 2, 3]), np.array([5.0, 1, 4, 2]))
    (array([0., 1., 3.]), array([5., 1., 2.]))
    """
    while time.size > FEW:
        corner_time, corner_value = _corners(*_least_of_bins(time, value))
        # A corner of the whole that is none of these lies below the lines between them.
        below = value < np.interp(time, corner_time, corner_value)
        if 2 * int(below.sum()) > time.size:
            break
        time = np.append(time[below], corner_time)
        value = np.append(value[below], corner_value)
        if not below.any():
            break
    return _corners(time, value)


def _least_of_bins(time: Array, value: Array) -> tuple[Array, Array]:
    """Keep the least value of each part of the time, and those of its ends."""
    width = max(float(np.ptp(time)), 1e-9) / BINS
    parts = ((time - time.min()) / width).astype(np.int64)
    least = np.full(BINS + 1, np.inf)
    np.minimum.at(least, parts, value)
    lowest = np.flatnonzero(value == least[parts])
    lowest = lowest[np.unique(parts[lowest], return_index=True)[1]]
    ends = [_lowest_at(time, value, float(end)) for end in (time.min(), time.max())]
    kept = np.append(lowest, ends)
    return time[kept], value[kept]


def _lowest_at(time: Array, value: Array, instant: float) -> int:
    there = np.flatnonzero(time == instant)
    return int(there[value[there].argmin()])


def _corners(time: Array, value: Array) -> tuple[Array, Array]:
    """Walk the points in order of time and leave out what lies over the line of its neighbours."""
    order = np.lexsort((value, time))
    hull: list[tuple[float, float]] = []
    for point in zip(time[order].tolist(), value[order].tolist(), strict=True):
        if hull and hull[-1][0] == point[0]:
            continue
        while len(hull) >= 2 and _turns_right(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    corners = np.array(hull, dtype=np.float64).reshape(-1, 2)
    return corners[:, 0], corners[:, 1]


def _turns_right(
    one: tuple[float, float], two: tuple[float, float], three: tuple[float, float]
) -> bool:
    return (two[0] - one[0]) * (three[1] - one[1]) <= (two[1] - one[1]) * (three[0] - one[0])
