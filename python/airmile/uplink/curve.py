"""Cumulative curves: the bytes that have passed a point, over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Instants = NDArray[np.int64]
Bytes = NDArray[np.int64]


@dataclass(frozen=True)
class Curve:
    """The total number of bytes after each step, in order of time.

    Examples
    --------
    >>> curve = Curve.of([30, 10], [5, 2])
    >>> curve.at(np.array([9, 10, 99])).tolist()
    [0, 2, 7]
    >>> curve.passes(np.array([2, 3, 8])).tolist()
    [10, 30, -1]
    """

    times_ns: Instants
    totals: Bytes

    @classmethod
    def of(cls, times_ns: Any, sizes: Any) -> Curve:
        """Return the curve of `sizes` (bytes) that passed at `times_ns`, in any order."""
        times, steps = np.asarray(times_ns, np.int64), np.asarray(sizes, np.int64)
        order = np.argsort(times, kind="stable")
        return cls(times[order], np.cumsum(steps[order]))

    @property
    def sizes(self) -> Bytes:
        """The bytes that each step adds."""
        return np.diff(self.totals, prepend=0)

    def at(self, instants: Instants) -> Bytes:
        """Return the totals at instants; a step at the instant itself is included."""
        index = np.searchsorted(self.times_ns, instants, side="right")
        return np.asarray(np.append(0, self.totals)[index], np.int64)

    def passes(self, totals: Bytes) -> Instants:
        """Return when each total was first reached, in ns; -1 if the curve ends below it."""
        index = np.searchsorted(self.totals, totals, side="left")
        return np.asarray(np.append(self.times_ns, -1)[index], np.int64)
