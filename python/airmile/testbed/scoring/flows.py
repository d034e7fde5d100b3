"""Which flow of the analysis is which connection of the truth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from airmile.testbed.scoring.pairs import Case, Compared, Pair

Row: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[int, int, int]
"""Port of the phone, port of the server, and number of the connection with these ports."""

Number: TypeAlias = float | int | None

KEY = "phone_port, server_port, connection"
"""Columns of it in the truth."""


@dataclass(frozen=True)
class Connection:
    """A connection as the kernel knows it, between the first sample and the last."""

    key: Key
    since_ns: int
    until_ns: int


def connections(case: Case) -> list[Connection]:
    """Give the connections of a run's senders."""
    rows = case.rows("SELECT * FROM {connections}")
    return [Connection(key(row), row["since_ns"], row["until_ns"]) for row in rows]


def key(row: Mapping[str, Any]) -> Key:
    """Read the key of a row of the truth."""
    return row["phone_port"], row["server_port"], row["connection"]


def against(case: Case, truth: Mapping[Key, Number], column: str, unit: str) -> Compared:
    """Compare a column of the flows with the truth of each connection.

    A connection that the analysis has lost or split, so that no flow or several overlap it, is a
    case in which nothing is told. What the truth does not know is none.
    """
    flows = case.said._arrow(
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
    """Give the flows with a connection's ports that overlap it."""
    return [
        flow
        for flow in flows
        if (flow["ue_port"], flow["server_port"]) == connection.key[:2]
        and flow["start_ns"] <= connection.until_ns
        and flow["end_ns"] >= connection.since_ns
    ]


def at(every: Iterable[Connection], ports: tuple[int, int], time_ns: int) -> Key | None:
    """Give the connection with these ports that stood at an instant.

    The first packets may pass before the kernel was first asked, the last ones after the end.
    """
    mine = [each for each in every if each.key[:2] == ports]
    begun = [each for each in mine if each.since_ns - BEFORE_NS <= time_ns]
    if begun:
        return begun[-1].key
    return mine[0].key if mine else None


BEFORE_NS = 20_000_000
"""Two samples: a connection may be so old when the kernel is first asked."""
