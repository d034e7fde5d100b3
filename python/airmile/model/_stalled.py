"""Flows that stood still for most of their time, which show no rate of the link (methods I0)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile.store._needs import has, source

if TYPE_CHECKING:
    from airmile.store import Tables

PAUSES = ("idle", "sender_app", "receiver_app", "round_trip", "promotion_delay", "handshake_dns")
"""The causes of slices in which the link could have carried more, but nothing was given to it."""

MOST = 0.5
"""The share of its time above which a flow is stalled."""


def stalled(dataset: Tables, way: str) -> str:
    """Return SQL of `run` and `uid` of the TCP flows that were stalled for most of their time.

    The time is that from the first to the last payload in the direction `way` (``dl`` or ``ul``).
    A flow is stalled while an application pauses, while a first byte is awaited, and while its
    sender waits for a retransmission timer. Without the table `slices` no flow is known to be.
    """
    first, last = f"{way}_first_payload_ns", f"{way}_last_payload_ns"
    flows = source(dataset, "flows", "uid", first, last)
    if not has(dataset, "slices"):
        return f"(SELECT run, uid FROM {flows} LIMIT 0)"
    slices = source(dataset, "slices", "uid", "start_ns", "end_ns", "cause", "rto_wait_ms")
    length = f"greatest(least(end_ns, {last}) - greatest(start_ns, {first}), 0)"
    causes = ", ".join(f"'{cause}'" for cause in PAUSES)
    return f"""(
        SELECT run, uid FROM {slices} JOIN {flows} USING (run, uid)
        GROUP BY run, uid, {first}, {last}
        HAVING sum(CASE WHEN cause IN ({causes}) THEN {length}
                ELSE least({length}, coalesce(rto_wait_ms, 0) * 1e6) END)
            > {MOST} * ({last} - {first}))"""
