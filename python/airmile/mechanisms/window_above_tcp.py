"""A window above TCP: HTTP/2 (RFC 9113 section 5.2), SSH (RFC 4254 section 5.2), SFTP, SMB.

Proof: again and again the sender stops although ACKs free TCP's windows, and goes on as soon as a
short record of the receiver comes. Its twin: an application that sends its next piece when the
other side confirms the last one, which is a window of one message. Short requests, too, let a
server go on; what they ask for is in flight, so that few bytes are no window.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from airmile._words import counted, seconds, size
from airmile.mechanisms._declaration import Finding, Mechanism
from airmile.mechanisms._spans import with_frames
from airmile.store._needs import source

if TYPE_CHECKING:
    from airmile.store import Tables

RELEASED = "the sender stopped until a short record of the receiver came"
"""The reason of a slice in which such a record ended the silence (methods T8)."""

LEAST_SPANS = 3
"""So many separate stops are not all chance; our choice."""

LEAST_S = 1.0
"""Stops that follow each other in neighbouring slices last so long together; our choice."""


LEAST_BYTES = 16_384
"""A window above TCP is no smaller; our choice. It is the least frame size that HTTP/2 lets a
receiver announce (RFC 9113 section 6.5.2); small answers to a run of requests have less."""


def may_be(sums: Mapping[str, Any]) -> bool:
    """Return whether it is the main reason of a flow whose sender had nothing to send."""
    return any(flow["reasons"].get("sender_app") == RELEASED for flow in sums["flows"])


def find(dataset: Tables) -> Iterator[Finding]:
    """Yield the flows whose sender a window above TCP stops (methods T10)."""
    columns = ("uid", "start_ns", "end_ns", "reason", "direction", "flight_known_bytes")
    slices = source(dataset, "slices", *columns)
    stops = f"""SELECT *, lag(end_ns) OVER (PARTITION BY run, uid, direction ORDER BY start_ns)
            AS before FROM ({slices}) WHERE reason = '{RELEASED}'"""
    query = f"""SELECT run, uid, direction, min(start_ns) AS start_ns, max(end_ns) AS end_ns,
            sum(end_ns - start_ns) / 1e9 AS stopped_s, max(flight_known_bytes) AS most_bytes,
            count(*) FILTER (before IS NULL OR start_ns > before) AS spans
        FROM ({stops}) GROUP BY run, uid, direction
        HAVING (spans >= {LEAST_SPANS} OR stopped_s >= {LEAST_S})
            AND most_bytes >= {LEAST_BYTES}"""
    for row in with_frames(dataset, query):
        yield Finding.of(row, row["direction"], "likely", _evidence(row), _advice(row))


def _sides(row: dict[str, Any]) -> tuple[str, str]:
    """Return the side that stops, and the side that lets it go on."""
    return ("server", "phone") if row["direction"] == "downlink" else ("phone", "server")


def _evidence(row: dict[str, Any]) -> str:
    sender, receiver = _sides(row)
    spans = f" in {counted(row['spans'], 'span')}" if row["spans"] >= LEAST_SPANS else ""
    return (
        f"the {sender} stopped with at most {size(row['most_bytes'])} in flight although TCP's "
        f"windows had room, and went on when a short record of the {receiver} came: "
        f"{seconds(row['stopped_s'])}{spans}"
    )


def _advice(row: dict[str, Any]) -> str:
    _, receiver = _sides(row)
    return (
        f"raise the window above TCP at the {receiver} to what the link carries in a round trip: "
        "HTTP/2's stream and connection windows (65,535 bytes unless set), gRPC's, SSH's channel "
        "window, the number of SFTP requests under way"
    )


DECLARATION = Mechanism("window above TCP", "sender_app", may_be, find)
"""The declaration of the mechanism."""
