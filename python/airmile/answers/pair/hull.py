"""The lower convex hull of points."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

FEW = 4096
"""The most points whose hull is computed directly."""

BINS = 512
"""With more points, only the least point in each of this number of parts of the time is used."""


def lower(time: Array, value: Array) -> tuple[Array, Array]:
    """Return the corners of the lower hull, in order of time.

    >>> lower(np.array([0.0, 1, 2, 3]), np.array([5.0, 1, 4, 2]))
    (array([0., 1., 3.]), array([5., 1., 2.]))
    """
    while time.size > FEW:
        corner_time, corner_value = _corners(*_least_of_bins(time, value))
        # Any other corner of the hull is below the lines between these corners.
        below = value < np.interp(time, corner_time, corner_value)
        if 2 * int(below.sum()) > time.size:
            break
        time = np.append(time[below], corner_time)
        value = np.append(value[below], corner_value)
        if not below.any():
            break
    return _corners(time, value)


def _least_of_bins(time: Array, value: Array) -> tuple[Array, Array]:
    """Return the points with the least value of each part of the time, and of its ends."""
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
    """Return the points that are not above the line between their neighbours, in order of time."""
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
