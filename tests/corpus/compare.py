"""Compares airmile with the oracles, connection by connection and field by field."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.corpus.connection import (
    COUNTS,
    OPTIONS,
    RESENT,
    RTT,
    Connection,
    End,
    Value,
    merge,
)

TOLERANCE_MS = 0.05
"""tcptrace rounds to a tenth of a millisecond, so that values may differ by half of it."""

FIELDS = (*COUNTS, *OPTIONS, RESENT, *RTT)


@dataclass(frozen=True)
class Finding:
    """One field of one direction: airmile's value and the oracle's."""

    oracle: str
    sender: End
    receiver: End
    field: str
    ours: Value
    theirs: Value

    @property
    def equal(self) -> bool:
        """Return whether the two values agree; times may differ by tcptrace's rounding."""
        if self.field.endswith("_ms") and self.ours is not None and self.theirs is not None:
            return abs(self.ours - self.theirs) <= TOLERANCE_MS + 1e-9
        return self.ours == self.theirs

    def __str__(self) -> str:
        ends = [f"{host}:{port}" for host, port in (self.sender, self.receiver)]
        return f"{ends[0]} > {ends[1]} {self.field}: ours {self.ours}, {self.oracle} {self.theirs}"


def findings(
    oracle: str, ours: list[Connection], theirs: list[Connection], fields: Iterable[str] = FIELDS
) -> Iterator[Finding]:
    """Compare the connections of both programs.

    Where their rules split the packets between two ends into different numbers of connections, the
    sums are compared.
    """
    fields = tuple(fields)
    by_ends: dict[frozenset[End], tuple[list[Connection], list[Connection]]]
    by_ends = defaultdict(lambda: ([], []))
    for side, connections in enumerate((ours, theirs)):
        for connection in connections:
            by_ends[connection.ends][side].append(connection)
    for ends, (left, right) in by_ends.items():
        for own, other in _pairs(left, right):
            yield from _fields(oracle, ends, own, other, fields)


def _pairs(
    left: list[Connection], right: list[Connection]
) -> Iterator[tuple[Connection | None, Connection | None]]:
    if len(left) == len(right):
        start = lambda connection: connection.start  # noqa: E731
        yield from zip(sorted(left, key=start), sorted(right, key=start), strict=True)
    else:
        yield merge(left) if left else None, merge(right) if right else None


def _fields(
    oracle: str,
    ends: frozenset[End],
    own: Connection | None,
    other: Connection | None,
    fields: tuple[str, ...],
) -> Iterator[Finding]:
    for sender in sorted(ends):
        receiver = next(iter(ends - {sender}), sender)
        if own is None or other is None:
            yield Finding(
                oracle, sender, receiver, "connection", own is not None, other is not None
            )
            continue
        mine, their = own.ways[sender].values, other.ways[sender].values
        for name in fields:
            if name in mine and name in their:
                yield Finding(oracle, sender, receiver, name, mine[name], their[name])
