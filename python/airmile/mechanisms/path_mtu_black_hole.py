"""A path that drops packets above a size without a word (RFC 2923 section 2.1).

Proof: a segment of more than 1,200 bytes was sent three times or more, with growing gaps, and was
not acknowledged; none of its size ever was in this direction; a shorter one sent after it was
(SACK). It is sure where a smaller segment in its place was then acknowledged. Where nothing that
followed was acknowledged, a link that went away looks the same. Another twin is a policer of bytes,
which lets segments of this size pass before. Without SACK a duplicate ACK does not show the size of
what arrived.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from airmile._words import NBSP, count, counted
from airmile.mechanisms._declaration import Finding, Mechanism
from airmile.mechanisms._spans import with_frames
from airmile.store._needs import source

if TYPE_CHECKING:
    from airmile.store import Tables

LEAST_BYTES = 1_200
"""Every link carries packets of 1,280 bytes (RFC 8200 section 5); headers take up to 80."""

LEAST_REPEATS = 2
"""How often the segment was sent again at least: by a timer that has backed off once."""

LEAST_REPEATS_ALONE = 4
"""How often, where nothing that followed it was acknowledged; our choice."""

LEAST_NS = 500_000_000
"""The least time of a timer that fires twice: 0.2 s and its double (RFC 6298, Linux's least)."""


def may_be(sums: Mapping[str, Any]) -> bool:
    """Return whether losses were repaired for as long as a timer that fires twice takes."""
    return bool(sums["time_ns"].get("loss_recovery", 0) >= LEAST_NS)


def find(dataset: Tables) -> Iterator[Finding]:
    """Yield the flows in which no large segment arrived (methods T10)."""
    columns = ("uid", "direction", "start_ns", "end_ns", "repeated_bytes", "repeats", "size_acked")
    more = ("smaller_bytes", "sacked_bytes", "duplicate_acks", "closed")
    episodes = source(dataset, "loss_episodes", *columns, *more)
    query = f"""SELECT *, sacked_bytes > 0 AS shorter FROM ({episodes})
        WHERE repeats >= {LEAST_REPEATS} AND repeated_bytes > {LEAST_BYTES}
        AND NOT coalesce(size_acked, true)
        AND (sacked_bytes < repeated_bytes OR sacked_bytes <= smaller_bytes * duplicate_acks)
        AND (smaller_bytes IS NOT NULL OR NOT closed AND (shorter
            OR repeats >= {LEAST_REPEATS_ALONE} AND duplicate_acks = 0))"""
    for row in with_frames(dataset, query):
        yield Finding.of(
            row,
            row["direction"],
            _certainty(row),
            _evidence(row),
            _advice(row),
        )


def _certainty(row: dict[str, Any]) -> str:
    # Of several segments that were SACKed, one may have had its size.
    if row["smaller_bytes"] and row["sacked_bytes"] < row["repeated_bytes"]:
        return "sure"
    return "likely" if row["shorter"] or row["smaller_bytes"] else "open"


def _evidence(row: dict[str, Any]) -> str:
    sent = f"a segment of {count(row['repeated_bytes'])}{NBSP}B was sent again"
    what = f"{sent} {counted(row['repeats'], 'time')}, and none of this size was ever acknowledged"
    if row["smaller_bytes"]:
        return f"{what}; one of {count(row['smaller_bytes'])}{NBSP}B in its place was"
    if row["shorter"]:
        return f"{what}; a shorter one sent after it was"
    return f"{what}; nothing that followed it was: a link that went away would look the same"


def _advice(row: dict[str, Any]) -> str:
    sender = "server" if row["direction"] == "downlink" else "phone"
    return (
        f"let ICMP 'fragmentation needed' (ICMPv6 'packet too big') reach the {sender}, or lower "
        "the MSS on the way (clamp it to the path's MTU), or switch net.ipv4.tcp_mtu_probing on "
        f"at the {sender}"
    )


DECLARATION = Mechanism("path MTU black hole", "loss_recovery", may_be, find)
"""The declaration of the mechanism."""
