"""Nagle's algorithm, which waits for an ACK (RFC 9293 section 3.7.4), delayed or not (3.8.6.3).

Proof: again and again a short segment leaves with the ACK of all data before it. Of an answer that
ACK came late and alone, from a phone that had nothing else to say; of a request the server may also
be a long round trip away. Once is chance: an application may write at that moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from airmile._words import counted, seconds
from airmile.mechanisms._declaration import Finding, Mechanism
from airmile.mechanisms._spans import with_frames
from airmile.store._needs import source

if TYPE_CHECKING:
    from airmile.store import Tables

LEAST_WAITS = 3
"""So many waits are not all chance; our choice."""

MOST_S = 0.5
"""The longest delay of an ACK (RFC 9293 section 3.8.6.3): what lasts longer is several waits."""

ALGORITHM = "Nagle's algorithm"
"""What the reason of a slice in such a wait holds."""


def may_be(sums: Mapping[str, Any]) -> bool:
    """Return whether a slice has the reason."""
    return any(ALGORITHM in reason for reason in sums["reasons_ns"])


def find(dataset: Tables) -> Iterator[Finding]:
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
        FROM ({waits}) GROUP BY run, uid
        HAVING waits >= {LEAST_WAITS} OR waited_s > {LEAST_WAITS * MOST_S}"""
    for row in with_frames(dataset, query):
        yield Finding.of(
            row,
            "uplink" if _sides(row)[0] == "phone" else "downlink",
            "likely",
            _evidence(row),
            _advice(row),
        )


def _sides(row: dict[str, Any]) -> tuple[str, str]:
    """Return the side that holds its data back, and the side that delays the ACK."""
    return ("phone", "server") if row["of_phone"] or row["uplink"] else ("server", "phone")


def _evidence(row: dict[str, Any]) -> str:
    sender, receiver = _sides(row)
    held = f"the {sender} held a short segment until the {receiver}'s ACK of the one before came"
    if row["waited_s"] > row["waits"] * MOST_S:
        return f"again and again {held}, {seconds(row['waited_s'])} in all"
    mean = seconds(row["waited_s"] / row["waits"])
    each = f"{mean} each on average, {seconds(row['waited_s'])} in all"
    return f"{counted(row['waits'], 'time')} {held}, {each}"


def _advice(row: dict[str, Any]) -> str:
    sender, receiver = _sides(row)
    return (
        f"write what belongs together at once, or set TCP_NODELAY at the {sender}; if the "
        f"{receiver} delays its ACKs, TCP_QUICKACK there shortens the wait"
    )


DECLARATION = Mechanism("Nagle's algorithm, which waits for ACKs", "undetermined", may_be, find)
"""The declaration of the mechanism."""
