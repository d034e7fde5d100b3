"""A receiver that fell silent in the middle of a transfer: it was closed, moved or cut off.

Proof: from one packet on nothing of the receiver passes any more, while the sender repeats what it
sent by its timer until it gives up (RFC 9293 section 3.8.3). Next to the receiver the copies
are known to arrive. Elsewhere a link that went away looks the same. Where no segment of the
repeated size ever arrived, it is a path MTU black hole's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from airmile._words import counted, seconds
from airmile.mechanisms._declaration import Finding, Mechanism, losses_last
from airmile.mechanisms._spans import with_frames
from airmile.mechanisms.connection_forgotten import LEAST_REPEATS, LEAST_REST_S
from airmile.store._needs import source

if TYPE_CHECKING:
    from airmile.store import Tables

LEAST_S = 3
"""So long the copies went on after the receiver's last packet at least; our choice."""


def find(dataset: Tables) -> Iterator[Finding]:
    """Yield the flows whose receiver fell silent (methods T10)."""
    columns = ("uid", "direction", "start_ns", "end_ns", "timeouts_seen", "closed", "size_acked")
    episodes = source(dataset, "loss_episodes", *columns)
    flows = source(
        dataset,
        "flows",
        *("uid", "vantage", "ul_last_ns", "dl_last_ns", "ul_last_payload_ns"),
        *("dl_last_payload_ns", "ul_rst", "dl_rst"),
    )
    query = f"""WITH ended AS (
            SELECT run, uid, direction, timeouts_seen, start_ns AS lost_ns,
                {_way("dl_last_payload_ns", "ul_last_payload_ns")} AS end_ns,
                {_way("ul_last_ns", "dl_last_ns")} AS start_ns,
                {_way("dl_rst", "ul_rst")} AS resets,
                vantage = {_way("'ue'", "'server'")} AS at_receiver
            FROM ({episodes}) JOIN ({flows}) USING (run, uid)
            WHERE timeouts_seen >= {LEAST_REPEATS} AND NOT closed
                AND coalesce(size_acked, true))
        SELECT *, (end_ns - start_ns) / 1e9 AS silent_s FROM ended
        WHERE silent_s >= {LEAST_S} AND lost_ns - start_ns < {LEAST_REST_S} * 1e9"""
    for row in with_frames(dataset, query):
        certainty = "likely" if row["at_receiver"] else "open"
        yield Finding.of(row, row["direction"], certainty, _evidence(row), _advice(row))


def _way(downlink: str, uplink: str) -> str:
    """Return SQL for one value in each direction of the data."""
    return f"CASE direction WHEN 'downlink' THEN {downlink} ELSE {uplink} END"


def _sides(row: dict[str, Any]) -> tuple[str, str]:
    """Return the sender and the receiver."""
    return ("server", "phone") if row["direction"] == "downlink" else ("phone", "server")


def _evidence(row: dict[str, Any]) -> str:
    sender, receiver = _sides(row)
    gave_up = ", and reset the connection" if row["resets"] else ""
    what = (
        f"nothing more came from the {receiver}; for {seconds(row['silent_s'])} the {sender} sent "
        f"its data again, by {counted(row['timeouts_seen'], 'timeout')}{gave_up}"
    )
    if row["at_receiver"]:
        return f"{what}; the copies passed here, next to the {receiver}"
    return f"{what}: a link that went away would look the same"


def _advice(row: dict[str, Any]) -> str:
    if _sides(row)[1] == "phone":
        return (
            "look at what the phone did at that moment: an application that was closed or "
            "suspended, a change of network (which leaves its TCP connections behind; QUIC and "
            "MPTCP move them), a firewall"
        )
    return "look at the server, and at firewalls before it, at that moment"


DECLARATION = Mechanism("receiver that fell silent", "loss_recovery", losses_last, find)
"""The declaration of the mechanism."""
