"""A receive window of at most 65,535 bytes, because no scale is in force (RFC 7323 section 2).

Proof: the receive window limits a transfer and is as large as it can be without a scale, and the
two SYNs, each sent once and captured whole, agree on none. If the phone offered one and the SYN-ACK
has none, either the server knows none or something on the way removed it: the two look the same
here. More in flight than such a window allows shows that a scale is in force.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from airmile._words import NBSP, seconds
from airmile.mechanisms._declaration import Finding, Mechanism
from airmile.mechanisms._spans import with_frames
from airmile.store._needs import source

if TYPE_CHECKING:
    from airmile.store import Tables

LEAST_S = 0.1
"""The least time for which the window must be full: one slice (methods T2)."""

LEAST_BYTES = 60_000
"""A window that was full near its greatest size; our choice. A smaller one its buffer limits."""

MOST_BYTES = 65_535
"""The largest window without a scale (RFC 9293 section 3.1): more in flight shows one in force."""


def may_be(sums: Mapping[str, Any]) -> bool:
    """Return whether a flow that the receive window limits has no scale in force."""
    return any(
        flow["time_ns"].get("receive_window")
        and 0 in (_scale(flow, "ue"), _scale(flow, "server"))
        and max(flow[f"{way}_offered_max_bytes"] or 0 for way in ("dl", "ul")) >= LEAST_BYTES
        for flow in sums["flows"]
    )


def _scale(flow: Mapping[str, Any], side: str) -> int:
    return flow[f"{side}_window_scale"] or 0


def find(dataset: Tables) -> Iterator[Finding]:
    """Yield the flows that a window without a scale limits (methods T10)."""
    slices = source(
        dataset, "slices", "uid", "start_ns", "end_ns", "cause", "direction", "window_bytes"
    )
    flows = source(
        dataset,
        "flows",
        *("uid", "ue_window_scale", "server_window_scale", "ue_mss_bytes", "server_mss_bytes"),
        *("ul_syn", "dl_syn", "ul_cut_options", "dl_cut_options"),
        *("dl_in_flight_max_bytes", "ul_in_flight_max_bytes"),
    )
    query = f"""SELECT flows.*, direction, min(start_ns) AS start_ns, max(end_ns) AS end_ns,
            sum(end_ns - start_ns) / 1e9 AS full_s
        FROM ({flows}) AS flows JOIN ({slices}) AS slices USING (run, uid)
        WHERE cause = 'receive_window' AND ue_mss_bytes IS NOT NULL
            AND server_mss_bytes IS NOT NULL AND ul_syn = 1 AND dl_syn = 1
            AND coalesce(CASE direction WHEN 'downlink' THEN dl_in_flight_max_bytes
                ELSE ul_in_flight_max_bytes END, 0) <= {MOST_BYTES}
            AND coalesce(ul_cut_options, 0) = 0 AND coalesce(dl_cut_options, 0) = 0
            AND ((direction = 'downlink' AND {_unscaled("ue", "server")})
                OR (direction = 'uplink' AND {_unscaled("server", "ue")}))
        GROUP BY ALL HAVING full_s >= {LEAST_S} AND max(window_bytes) >= {LEAST_BYTES}"""
    for row in with_frames(dataset, query):
        yield Finding.of(
            row,
            row["direction"],
            "sure",
            f"{_why(row)}, so that no window can exceed 65{NBSP}535{NBSP}B; it was full for "
            f"{seconds(row['full_s'])}",
            _advice(row),
        )


def _unscaled(receiver: str, sender: str) -> str:
    """Return SQL for a receiver's window without a scale: it offered 0, or either side none."""
    return f"(coalesce({receiver}_window_scale, 0) = 0 OR {sender}_window_scale IS NULL)"


def _why(row: dict[str, Any]) -> str:
    ue, server = row["ue_window_scale"], row["server_window_scale"]
    if ue is not None and server is None:
        return (
            "the phone offered a window scale and the SYN-ACK has none (the server knows none, or "
            "something on the way removed it)"
        )
    if ue is None:
        return "the phone's SYN offered no window scale where it passed here"
    side = "phone" if row["direction"] == "downlink" else "server"
    return f"the {side} offered a window scale of 0"


def _advice(row: dict[str, Any]) -> str:
    # A server may offer a scale only if the SYN did (RFC 7323 section 2.2).
    of_phone = row["direction"] == "downlink" or row["ue_window_scale"] is None
    side = "phone" if of_phone else "server"
    if row["ue_window_scale"] is not None and row["server_window_scale"] is None:
        return (
            "capture at the server too: if its SYN-ACK has a scale, a middlebox removes the "
            "option; a larger buffer cannot help until then"
        )
    if row["ue_window_scale"] is not None:
        return (
            f"give the {side} a receive buffer above 65{NBSP}535{NBSP}B before the connection "
            "opens: its system chooses the scale by it then"
        )
    return (
        f"switch window scaling on at the {side} (net.ipv4.tcp_window_scaling = 1, a receive "
        f"buffer above 65{NBSP}535{NBSP}B when the connection opens); a larger buffer alone cannot "
        "help"
    )


DECLARATION = Mechanism("window without a scale", "receive_window", may_be, find)
"""The declaration of the mechanism."""
