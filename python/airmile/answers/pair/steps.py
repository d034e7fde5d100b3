"""Steps of the clocks of two captures, and the periods between them.

A period is as long as one clock without steps explains all its packets. A step is a change of the
difference that no delay and no drift explains. So steps below the least round trip between the
captures may not be found.
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
"""The most steps; a clock with more of them is broken."""

FEW = 5
"""The most steps that are tried as an explanation before jitter is considered."""

MOST_WRONG = 0.05
"""The largest share of wrong pairs; with more, the times themselves contradict each other."""

AHEAD = 40
"""How many packets after one that does not fit must fit, so that it is no step but a wrong pair."""

Times = npt.NDArray[np.int64]


def between(first_ns: Times, second_ns: Times, up: Mask) -> float | None:
    """Return the typical round trip between the captures in s, negative if the second is nearer.

    Two consecutive packets of opposite directions have the same clocks. They differ by the sum of
    their delays, which is positive if the first capture is nearer to the phone. So steps of a clock
    do not matter. Return None if there are packets of one direction only.
    """
    turns = np.flatnonzero(up[1:] != up[:-1])
    if turns.size == 0:
        return None
    difference = second_ns - first_ns
    change = difference[turns + 1] - difference[turns]
    return float(np.median(np.where(up[turns], -change, change))) / 1e9


class Clocks(NamedTuple):
    """The clock of each period, the packets left out, and those in periods with one direction."""

    found: list[Clock]
    left_out: Mask
    one_way: Mask

    @property
    def contradicted(self) -> tuple[int, int]:
        """The numbers of periods and of packets without a clock; (1, 0) means one clock for all."""
        return max(len(self.found), 1), int(self.left_out.sum() + self.one_way.sum())


def clocks(first_ns: Times, second_ns: Times, forward: Mask) -> Clocks:
    """Return the clock of each period, and which packets were left out as wrongly paired.

    Raises
    ------
    InputError
        There are too many periods, or too many packets that no clock explains.
    """
    jitter = estimate(first_ns, second_ns, forward)
    if jitter.line_s == 0:
        return _Search(first_ns, second_ns, forward, jitter, MOST).clocks()
    # Queues may look like jitter. If few steps explain all packets exactly, there is no jitter.
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
        "check that both captures are of the same network path and in order of time; if phones are "
        "not recognised, name their networks with --ue-net",
    )


class _Search:
    """The search for steps; `kept` marks the packets that are not left out."""

    def __init__(
        self, first_ns: Times, second_ns: Times, forward: Mask, jitter: Jitter, most: int
    ) -> None:
        self.first_ns, self.second_ns, self.forward = first_ns, second_ns, forward
        self.jitter, self.most = jitter, most
        self.kept = np.ones(first_ns.size, dtype=bool)
        self.one_way = np.zeros(first_ns.size, dtype=bool)

    def clocks(self) -> Clocks:
        """Split the packets into periods and fit a clock to each."""
        fits = [self.fit(*stretch) for stretch in self.stretches()]
        return Clocks([clock for clock in fits if clock is not None], ~self.kept, self.one_way)

    def fit(self, begin: int, end: int) -> Clock | None:
        """Fit a clock to the packets that are kept; `rows` of the result counts all packets."""
        chosen = np.flatnonzero(self.kept[begin:end]) + begin
        clock = fit(
            self.first_ns[chosen], self.second_ns[chosen], self.forward[chosen], slice(None),
            self.jitter.overlap_s, self.jitter.line_s,
        )  # fmt: skip
        return None if clock is None else replace(clock, rows=slice(begin, end))

    def fits(self, begin: int, end: int) -> bool:
        """Return whether one clock explains these packets, as it does those of one direction."""
        ways = self.forward[begin:end][self.kept[begin:end]]
        if ways.size == 0 or ways.all() or not ways.any():
            return True
        return self.fit(begin, end) is not None

    def stretches(self) -> list[tuple[int, int]]:
        """Return the periods between steps, as begin and end of their packets."""
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
        """Remove steps that wrong pairs caused: one clock explains both sides of such a step."""
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
        """Leave out a short period if one clock explains the packets before and after it."""
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
        """Return the end of the longest period from `begin` that one clock explains.

        The packets up to `good` are known to be explained.
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
        """Return whether the clock before a misfit packet also explains the packets after it."""
        self.kept[end] = False
        fine = self.fits(begin, min(end + AHEAD, self.first_ns.size))
        self.kept[end] = True
        return fine

    def _settled(self, edges: list[int]) -> list[tuple[int, int]]:
        """Return the periods without the packets that could be on either side of a step."""
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
        """Return the first packet before a step that also fits the period after it."""
        good, bad = cut, floor
        while good - bad > 1:
            middle = (good + bad) // 2
            good, bad = (middle, bad) if self.fits(middle, end) else (good, middle)
        return good

    def _both_ways(self, begin: int, end: int) -> bool:
        ways = self.forward[begin:end][self.kept[begin:end]]
        return bool(ways.size and ways.any() and not ways.all())
