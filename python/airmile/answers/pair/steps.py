"""Where the clock of one of two captures was set: stretches of packets between such steps.

A stretch grows as long as one steady clock explains all of its packets. What it takes to say that
a clock was set is a difference that no delay and no drift explains, so steps below the least round
trip between the captures may stay unseen.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from airmile._errors import InputError
from airmile.answers.pair.clocks import Clock, Mask, fit
from airmile.answers.pair.jitter import Jitter, estimate, wrong_pairs

MOST = 50
"""A clock with more steps than this is broken."""

FEW = 5
"""Steps that are tried before jitter of the recorders is considered, where there may be some."""

MOST_WRONG = 0.05
"""A larger share of wrong pairs is no accident: the times themselves contradict each other."""

AHEAD = 40
"""Packets that must go on as before for one between to be a wrong pair, not a step."""

Times = npt.NDArray[np.int64]


def between(first_ns: Times, second_ns: Times, up: Mask) -> float | None:
    """Return the typical round trip between both in s, negative when the second is nearer.

    A packet from the phone and one to it, one after the other, show the same clocks: what differs
    is the sum of their delays, positive when the phone is beyond the first. A clock that was
    set does not matter so. None: packets of one direction only.
    """
    turns = np.flatnonzero(up[1:] != up[:-1])
    if turns.size == 0:
        return None
    difference = second_ns - first_ns
    change = difference[turns + 1] - difference[turns]
    return float(np.median(np.where(up[turns], -change, change))) / 1e9


class Clocks(NamedTuple):
    """The clock of each stretch, the packets left out, and those of stretches of one way only."""

    found: list[Clock]
    left_out: Mask
    one_way: Mask

    @property
    def contradicted(self) -> tuple[int, int]:
        """Stretches, and packets that have no clock: (1, 0) is one steady clock for all."""
        return max(len(self.found), 1), int(self.left_out.sum() + self.one_way.sum())


def clocks(first_ns: Times, second_ns: Times, forward: Mask) -> Clocks:
    """Return the clock of each stretch, and which packets were left out as wrongly paired.

    Raises
    ------
    InputError
        There are too many stretches, or too many packets that no clock explains.
    """
    jitter = estimate(first_ns, second_ns, forward)
    if jitter.line_s == 0:
        return _Search(first_ns, second_ns, forward, jitter, MOST).clocks()
    # Queues may look like jitter: what one clock, set at times, explains exactly is none.
    exact: Clocks | None = None
    with suppress(InputError):
        exact = _Search(first_ns, second_ns, forward, Jitter(), FEW).clocks()
        if exact.contradicted == (1, 0):
            return exact
    tolerant = _Search(first_ns, second_ns, forward, jitter, MOST).clocks()
    return tolerant if exact is None or tolerant.contradicted < exact.contradicted else exact


def _contradiction() -> InputError:
    return InputError(
        f"the difference of the clocks changes more than {MOST} times in a way that no delay "
        "explains",
        "are both captures of the same network path, and in order of time? Where phones are not "
        "recognised, name their networks with --ue-net",
    )


class _Search:
    """The packets, and which of them count."""

    def __init__(
        self, first_ns: Times, second_ns: Times, forward: Mask, jitter: Jitter, most: int
    ) -> None:
        self.first_ns, self.second_ns, self.forward = first_ns, second_ns, forward
        self.jitter, self.most = jitter, most
        self.kept = np.ones(first_ns.size, dtype=bool)
        self.one_way = np.zeros(first_ns.size, dtype=bool)

    def clocks(self) -> Clocks:
        """Cut the packets into stretches and fit a clock to each."""
        fits = [self.fit(*stretch) for stretch in self.stretches()]
        return Clocks([clock for clock in fits if clock is not None], ~self.kept, self.one_way)

    def fit(self, begin: int, end: int) -> Clock | None:
        """Fit a clock to packets that count; rows of the result are those of all packets."""
        chosen = np.flatnonzero(self.kept[begin:end]) + begin
        clock = fit(
            self.first_ns[chosen], self.second_ns[chosen], self.forward[chosen], slice(None),
            self.jitter.overlap_s, self.jitter.line_s,
        )  # fmt: skip
        return None if clock is None else replace(clock, rows=slice(begin, end))

    def fits(self, begin: int, end: int) -> bool:
        """Return whether one clock explains these packets; without both ways any does."""
        ways = self.forward[begin:end][self.kept[begin:end]]
        if ways.size == 0 or ways.all() or not ways.any():
            return True
        return self.fit(begin, end) is not None

    def stretches(self) -> list[tuple[int, int]]:
        """Cut the packets where the clock was set."""
        count = self.first_ns.size
        if self.fits(0, count):
            return self._settled([0, count])
        self.kept = ~wrong_pairs(self.first_ns, self.second_ns, self.forward, self.jitter)
        begin, cuts, alone = 0, [0], 0
        if np.count_nonzero(~self.kept) > max(MOST, MOST_WRONG * count):
            raise _contradiction()
        end = self._longest(begin, begin)
        while end < count:
            if alone < self.most and self._goes_on(begin, end):
                self.kept[end] = False
                alone += 1
            else:
                cuts.append(end)
                begin = end
            if len(cuts) > self.most + 1:
                raise _contradiction()
            end = self._longest(begin, end)
        return self._settled(self._joined([*cuts, count]))

    def _joined(self, edges: list[int]) -> list[int]:
        """Take back cuts that a few wrong pairs made: one clock holds on both sides of them."""
        index = 1
        while index < len(edges) - 1:
            if self.fits(edges[index - 1], edges[index + 1]):
                del edges[index]
            elif index + 2 < len(edges) and self._wrong_between(*edges[index - 1 : index + 3]):
                del edges[index : index + 2]
            else:
                index += 1
        return edges

    def _wrong_between(self, begin: int, left: int, right: int, end: int) -> bool:
        """Leave out a short stretch when what is before it goes on after it."""
        if right - left > AHEAD or not (
            self._both_ways(begin, left) or self._both_ways(right, end)
        ):
            return False
        was = self.kept[left:right].copy()
        self.kept[left:right] = False
        fine = self.fits(begin, end)
        if not fine:
            self.kept[left:right] = was
        return fine

    def _longest(self, begin: int, good: int) -> int:
        """Return the end of the longest stretch from `begin` that one clock explains.

        Up to `good` it is known to do.
        """
        count = self.first_ns.size
        if self.fits(begin, count):
            return count
        step = 64
        while good + step < count and self.fits(begin, good + step):
            good, step = good + step, step * 2
        bad = min(good + step, count)
        while bad - good > 1:
            middle = (good + bad) // 2
            good, bad = (middle, bad) if self.fits(begin, middle) else (good, middle)
        return good

    def _goes_on(self, begin: int, end: int) -> bool:
        """Return whether what follows a packet that does not fit goes on as before it."""
        self.kept[end] = False
        fine = self.fits(begin, min(end + AHEAD, self.first_ns.size))
        self.kept[end] = True
        return fine

    def _settled(self, edges: list[int]) -> list[tuple[int, int]]:
        """Leave out what may lie on either side of a step: it would bound the wrong clock."""
        stretches = []
        for index, (begin, end) in enumerate(pairwise(edges)):
            last = end
            if end < edges[-1]:
                last = self._earliest(end, edges[index + 2], begin)
            if self._both_ways(begin, last):
                stretches.append((begin, last))
            else:
                self.one_way[begin:end] = self.kept[begin:end]
        return stretches

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
