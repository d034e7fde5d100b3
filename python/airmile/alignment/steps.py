"""Where the clock of one of two captures was set: stretches of packets between such steps.

A stretch grows as long as one steady clock explains all of its packets. What it takes to say that
a clock was set is a difference that no delay and no drift explains, so steps below the least round
trip between the taps may stay unseen.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from airmile._errors import InputError
from airmile.alignment.clocks import Clock, Mask, fit

MOST = 50
"""More steps than this are no steps: the clock is broken."""

AHEAD = 40
"""Packets that must go on as before for one between to be a wrong pair, not a step."""

Times = npt.NDArray[np.int64]


def between(first_ns: Times, second_ns: Times, up: Mask) -> float | None:
    """Return the typical round trip between the taps in s, negative when the second is nearer.

    A packet from the phone and one to it, one after the other, show the same clocks: what differs
    is the sum of their delays, positive when the phone is beyond the first tap. A clock that was
    set does not matter so. None: packets of one direction only.
    """
    turns = np.flatnonzero(up[1:] != up[:-1])
    if turns.size == 0:
        return None
    difference = second_ns - first_ns
    change = difference[turns + 1] - difference[turns]
    return float(np.median(np.where(up[turns], -change, change))) / 1e9


def clocks(first_ns: Times, second_ns: Times, forward: Mask) -> tuple[list[Clock], Mask]:
    """Return the clock of each stretch, and which packets were left out as wrongly paired.

    Raises
    ------
    InputError
        There are too many stretches.
    """
    search = _Search(first_ns, second_ns, forward)
    found = search.stretches()
    fits = [search.fit(*stretch) for stretch in found]
    return [clock for clock in fits if clock is not None], ~search.kept


class _Search:
    """The packets, and which of them count."""

    def __init__(self, first_ns: Times, second_ns: Times, forward: Mask) -> None:
        self.first_ns, self.second_ns, self.forward = first_ns, second_ns, forward
        self.kept = np.ones(first_ns.size, dtype=bool)

    def fit(self, begin: int, end: int) -> Clock | None:
        """Fit a clock to packets that count; rows of the result are those of all packets."""
        chosen = np.flatnonzero(self.kept[begin:end]) + begin
        clock = fit(
            self.first_ns[chosen], self.second_ns[chosen], self.forward[chosen], slice(None)
        )
        return None if clock is None else replace(clock, rows=slice(begin, end))

    def fits(self, begin: int, end: int) -> bool:
        """Tell whether one clock explains these packets; without both ways any does."""
        ways = self.forward[begin:end][self.kept[begin:end]]
        if ways.size == 0 or ways.all() or not ways.any():
            return True
        return self.fit(begin, end) is not None

    def stretches(self) -> list[tuple[int, int]]:
        """Cut the packets where the clock was set."""
        count = self.first_ns.size
        begin, cuts = 0, []
        while (end := self._longest(begin)) < count:
            if self._goes_on(begin, end):
                self.kept[end] = False
                continue
            cuts.append(end)
            begin = end
            if len(cuts) > MOST:
                raise InputError(
                    f"the difference of the clocks changes more than {MOST} times in a way that "
                    "no delay explains",
                    "are both captures of the same network path, and in order of time?",
                )
        return self._settled(cuts)

    def _longest(self, begin: int) -> int:
        """Return the end of the longest stretch from `begin` that one clock explains."""
        count = self.first_ns.size
        if self.fits(begin, count):
            return count
        good, step = begin, 64
        while good + step < count and self.fits(begin, good + step):
            good, step = good + step, step * 2
        bad = min(good + step, count)
        while bad - good > 1:
            middle = (good + bad) // 2
            good, bad = (middle, bad) if self.fits(begin, middle) else (good, middle)
        return good

    def _goes_on(self, begin: int, end: int) -> bool:
        """Tell whether what follows a packet that does not fit goes on as before it."""
        self.kept[end] = False
        fine = self.fits(begin, min(end + AHEAD, self.first_ns.size))
        self.kept[end] = True
        return fine

    def _settled(self, cuts: list[int]) -> list[tuple[int, int]]:
        """Leave out what may lie on either side of a step: it would bound the wrong clock."""
        edges = [0, *cuts, self.first_ns.size]
        stretches = []
        for index, (begin, end) in enumerate(pairwise(edges)):
            last = end if index == len(cuts) else self._earliest(end, edges[index + 2], begin)
            stretches.append((begin, last))
        return [(begin, end) for begin, end in stretches if self._both_ways(begin, end)]

    def _earliest(self, cut: int, end: int, floor: int) -> int:
        """Return from where on packets also fit what comes after a cut."""
        good, bad = cut, floor
        while good - bad > 1:
            middle = (good + bad) // 2
            good, bad = (middle, bad) if self.fits(middle, end) else (good, middle)
        return good

    def _both_ways(self, begin: int, end: int) -> bool:
        ways = self.forward[begin:end][self.kept[begin:end]]
        return bool(ways.size and ways.any() and not ways.all())
