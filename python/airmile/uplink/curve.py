"""Bytes that have passed a place, by time: a curve that rises in steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Instants = NDArray[np.int64]
Bytes = NDArray[np.int64]


@dataclass(frozen=True)
class Curve:
    """Total after each step; steps are in the order of time.

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
        """Add up what passed; `times_ns` and `sizes` are as long as each other."""
        times, steps = np.asarray(times_ns, np.int64), np.asarray(sizes, np.int64)
        order = np.argsort(times, kind="stable")
        return cls(times[order], np.cumsum(steps[order]))

    @property
    def sizes(self) -> Bytes:
        """Bytes of each step."""
        return np.diff(self.totals, prepend=0)

    def at(self, instants: Instants) -> Bytes:
        """Return what had passed at instants, their own steps included."""
        index = np.searchsorted(self.times_ns, instants, side="right")
        return np.asarray(np.append(0, self.totals)[index], np.int64)

    def passes(self, totals: Bytes) -> Instants:
        """Return when so much had passed first; -1 where the curve ends below."""
        index = np.searchsorted(self.totals, totals, side="left")
        return np.asarray(np.append(self.times_ns, -1)[index], np.int64)
