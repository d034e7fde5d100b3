"""Compares what is said with the truth, moment by moment."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

from tests.recorded.spans import Span
from tests.recorded.tally import UNKNOWN
from tests.taps.said import SILENT, Claim

TOLERANCE_NS = 100_000_000
"""How far from a change of state the label on its other side counts too: a bin of the labels."""

Value = TypeVar("Value")

Labelled = Sequence[tuple[Span, str]]


class Moment(NamedTuple):
    """What was so, what was so within the tolerance, and what is said."""

    label: str
    near: tuple[str, ...]
    claim: Claim

    @property
    def steady(self) -> bool:
        """Whether no change of state is near."""
        return len(self.near) == 1


Moments = Counter[Moment]
"""Nanoseconds by moment."""


def compared(
    truth: Labelled, said: Iterable[tuple[Span, Claim]], within: Span | None = None
) -> Moments:
    """Count the time of a connection by what was so and what is said; the unknown is left out.

    Examples
    --------
    >>> truth = [((0, 300_000_000), "link")]
    >>> compared(truth, [((0, 200_000_000), Claim("lte_downlink"))]).total()
    300000000
    """
    spans = sorted((span, label) for span, label in truth if span[1] > span[0])
    claims = list(_one_by_one(said))
    labels, slices = _Places(spans), _Places(claims)
    found: Moments = Counter()
    for (start, end), label in spans:
        if label == UNKNOWN:
            continue
        low, high = (
            max(start, within[0] if within else start),
            min(end, within[1] if within else end),
        )
        for since, until in pairwise(_edges(low, high, labels, slices)):
            middle = (since + until) // 2
            near = labels.over(middle - TOLERANCE_NS, middle + TOLERANCE_NS)
            claim = next(iter(slices.over(middle, middle + 1)), SILENT)
            found[Moment(label, tuple(sorted({*near})), claim)] += until - since
    return found


class _Places(Generic[Value]):
    """Spans in order, to be looked up by time."""

    def __init__(self, spans: Sequence[tuple[Span, Value]]) -> None:
        self._spans = spans
        self._starts = [span[0] for span, _ in spans]
        self._ends = [span[1] for span, _ in spans]
        self.edges = sorted({*self._starts, *self._ends})

    def over(self, start: int, end: int) -> list[Value]:
        """Give the values of the spans that touch a time."""
        first = bisect_right(self._ends, start)
        return [
            value
            for span, value in self._spans[first : bisect_right(self._starts, end - 1)]
            if span[1] > start and span[0] < end
        ]


def _edges(start: int, end: int, labels: _Places[str], slices: _Places[Claim]) -> list[int]:
    """Give the times within a span at which anything changes, with its own ends."""
    if end <= start:
        return []
    times = {start, end}
    for places, shifts in ((labels, (-TOLERANCE_NS, 0, TOLERANCE_NS)), (slices, (0,))):
        for shift in shifts:
            first = bisect_right(places.edges, start - shift)
            last = bisect_right(places.edges, end - shift)
            times |= {edge + shift for edge in places.edges[first:last]}
    return sorted(time for time in times if start <= time <= end)


def _one_by_one(said: Iterable[tuple[Span, Claim]]) -> Iterator[tuple[Span, Claim]]:
    """Give slices without overlaps: the earlier one keeps the time that two of them share."""
    left: int | None = None
    for (start, end), claim in sorted(said, key=lambda each: each[0]):
        since = start if left is None else max(start, left)
        if end > since:
            yield (since, end), claim
            left = end
