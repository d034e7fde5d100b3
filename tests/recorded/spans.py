"""Sets of time, as sorted spans that do not overlap."""

from __future__ import annotations

from collections.abc import Iterable

Span = tuple[int, int]


def union(spans: Iterable[Span]) -> list[Span]:
    """Join spans that touch."""
    joined: list[Span] = []
    for start, end in sorted(span for span in spans if span[1] > span[0]):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def minus(spans: Iterable[Span], others: Iterable[Span]) -> list[Span]:
    """Remove other spans."""
    left = union(spans)
    for start, end in union(others):
        left = [
            part
            for span in left
            for part in ((span[0], min(span[1], start)), (max(span[0], end), span[1]))
            if part[1] > part[0]
        ]
    return left


def length(spans: Iterable[Span]) -> int:
    """Add up the lengths of spans."""
    return sum(end - start for start, end in spans)


def within(spans: Iterable[Span], span: Span) -> list[Span]:
    """Keep the parts that lie within one span."""
    cut = ((max(start, span[0]), min(end, span[1])) for start, end in spans)
    return [each for each in cut if each[1] > each[0]]
