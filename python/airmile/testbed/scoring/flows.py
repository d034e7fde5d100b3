"""Matches the flows of the analysis with the connections of the truth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from airmile.testbed.scoring.pairs import Case, Compared, Pair

Row: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[int, int, int]
"""The phone's port, the server's port, and which of the connections with these ports it is."""

Number: TypeAlias = float | int | None

KEY = "phone_port, server_port, connection"
"""The columns of the truth that identify a connection."""


@dataclass(frozen=True)
class Connection:
    """A connection of the truth, from the kernel's first sample of it to the last."""

    key: Key
    since_ns: int
    until_ns: int


def connections(case: Case) -> list[Connection]:
    """Return the connections over which a run's senders sent."""
    rows = case.rows("SELECT * FROM {connections}")
    return [Connection(key(row), row["since_ns"], row["until_ns"]) for row in rows]


def key(row: Mapping[str, Any]) -> Key:
    """Return the connection that a row of the truth belongs to."""
    return row["phone_port"], row["server_port"], row["connection"]


def against(case: Case, truth: Mapping[Key, Number], column: str, unit: str) -> Compared:
    """Compare a column of the flows with the truth of each connection.

    A connection that no flow or several flows overlap, because the analysis has lost or split it,
    is a case without a value. A connection whose truth is unknown is no case.
    """
    flows = case.said.arrow(
        f"SELECT ue_port, server_port, start_ns, end_ns, {column} AS value FROM flows "
        "WHERE protocol = 'tcp'"
    ).to_pylist()
    pairs = []
    for each in connections(case):
        true = truth.get(each.key)
        if true is not None:
            mine = [flow["value"] for flow in of(each, flows)]
            pairs.append(Pair(mine[0] if len(mine) == 1 else None, true))
    return Compared(tuple(pairs), unit)


def of(connection: Connection, flows: Iterable[Row]) -> list[Row]:
    """Return the flows that have a connection's ports and overlap it in time."""
    return [
        flow
        for flow in flows
        if (flow["ue_port"], flow["server_port"]) == connection.key[:2]
        and flow["start_ns"] <= connection.until_ns
        and flow["end_ns"] >= connection.since_ns
    ]


def at(every: Iterable[Connection], ports: tuple[int, int], time_ns: int) -> Key | None:
    """Return the connection that has these ports at an instant.

    Its first packets may pass before the kernel's first sample, and its last ones after the last
    sample.
    """
    mine = [each for each in every if each.key[:2] == ports]
    begun = [each for each in mine if each.since_ns - BEFORE_NS <= time_ns]
    if begun:
        return begun[-1].key
    return mine[0].key if mine else None


BEFORE_NS = 20_000_000
"""How old a connection may be at the kernel's first sample, in ns: the time of two samples."""
