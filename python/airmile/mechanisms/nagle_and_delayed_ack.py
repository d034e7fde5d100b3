"""Nagle's algorithm and a delayed ACK that wait for each other (RFC 9293 sections 3.7.4, 3.8.6.3).

Proof: again and again a short segment leaves with the ACK of all data before it, and this ACK came
late, alone, from a receiver that had nothing else to say. Once is chance: an application may write
at that moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from airmile._words import counted, seconds
from airmile.mechanisms._declaration import Finding, Mechanism
from airmile.mechanisms._spans import with_frames
from airmile.store._needs import source

if TYPE_CHECKING:
    from airmile.dataset import Dataset

LEAST_WAITS = 3
"""So many waits are not all chance; our choice."""

ALGORITHM = "Nagle's algorithm"
"""What the reason of a slice in such a wait holds."""


def may_be(sums: Mapping[str, Any]) -> bool:
    """Return whether a slice has the reason."""
    return any(ALGORITHM in reason for reason in sums["reasons_ns"])


def find(dataset: Dataset) -> Iterator[Finding]:
    """Yield the flows whose sides wait for each other (methods T10)."""
    columns = ("uid", "start_ns", "end_ns", "reason", "direction")
    slices = source(dataset, "slices", *columns)
    quoted = ALGORITHM.replace("'", "''")
    waits = f"""SELECT *, lag(end_ns) OVER (PARTITION BY run, uid ORDER BY start_ns) AS before
        FROM ({slices}) WHERE contains(reason, '{quoted}')"""
    query = f"""SELECT run, uid, bool_or(reason LIKE '%its request%') AS of_phone,
            bool_or(direction = 'uplink') AS uplink, min(start_ns) AS start_ns,
            max(end_ns) AS end_ns, sum(end_ns - start_ns) / 1e9 AS waited_s,
            count(*) FILTER (before IS NULL OR start_ns > before) AS waits
        FROM ({waits}) GROUP BY run, uid HAVING waits >= {LEAST_WAITS}"""
    for row in with_frames(dataset, query):
        yield Finding(
            row["run"],
            row["uid"],
            row["transfer_id"],
            "likely",
            row["start_ns"],
            row["end_ns"],
            row["first_frame"],
            row["last_frame"],
            _evidence(row),
            _advice(row),
        )


def _sides(row: dict[str, Any]) -> tuple[str, str]:
    """Return the side that holds its data back, and the side that delays the ACK."""
    return ("phone", "server") if row["of_phone"] or row["uplink"] else ("server", "phone")


def _evidence(row: dict[str, Any]) -> str:
    sender, receiver = _sides(row)
    mean = seconds(row["waited_s"] / row["waits"])
    return (
        f"{counted(row['waits'], 'time')} the {sender} held a short segment until the {receiver}'s "
        f"ACK of the one before came, {mean} each on average, {seconds(row['waited_s'])} in all"
    )


def _advice(row: dict[str, Any]) -> str:
    sender, receiver = _sides(row)
    return (
        f"write what belongs together at once, or set TCP_NODELAY at the {sender}; "
        f"TCP_QUICKACK at the {receiver} shortens the wait"
    )


DECLARATION = Mechanism("Nagle's algorithm against delayed ACKs", "undetermined", may_be, find)
"""The declaration of the mechanism."""
