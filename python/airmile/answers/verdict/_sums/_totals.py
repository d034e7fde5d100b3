"""Totals over all flows, by SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airmile.store._needs import absent, nullable
from airmile.store._rows import rows

if TYPE_CHECKING:
    from airmile.store import Tables

_COLUMNS = (
    *("subscriber", "server", "protocol", "start_ns", "end_ns", "teid", "vantage_source"),
    *("ul_packets", "dl_packets", "ul_payload_bytes", "dl_payload_bytes"),
    *("ul_retransmissions", "dl_retransmissions", "timeouts_seen"),
)
_AMOUNTS = (
    *("capture_lost_bytes", "recorded_twice", "recorded_late", "cut_options", "clock_steps"),
)
_PHONE = "NOT coalesce(server LIKE '%.255' AND coalesce(dl_packets, 0) = 0, false)"
"""The condition of a flow between two hosts (methods A2)."""
_KIND = """CASE WHEN protocol = 'other' AND quality = 'no_header' THEN 'no_header'
    WHEN protocol IN ('tcp', 'icmp') THEN protocol
    WHEN protocol <> 'udp' THEN 'other'
    WHEN coalesce(service, CASE WHEN server_port = 443 THEN 'quic' END) = 'quic' THEN 'quic'
    ELSE 'udp' END"""


def totals(dataset: Tables) -> dict[str, Any]:
    """Return the totals over `flows`."""
    return {
        **_counts(dataset),
        "faults": _faults(dataset),
        "amounts": _amounts(dataset),
        "kinds": _kinds(dataset),
    }


def _counts(dataset: Tables) -> dict[str, Any]:
    query = f"""SELECT count(*) AS flows, count(*) FILTER (protocol = 'tcp') AS tcp_flows,
            count(DISTINCT subscriber) FILTER ({_PHONE}) AS ues,
            min(start_ns) AS start_ns, max(end_ns) AS end_ns,
            coalesce(sum(coalesce(ul_packets, 0) + coalesce(dl_packets, 0)), 0) AS packets,
            coalesce(sum(ul_payload_bytes), 0) AS ul_payload_bytes,
            coalesce(sum(dl_payload_bytes), 0) AS dl_payload_bytes,
            sum(ul_payload_bytes + dl_payload_bytes) FILTER (protocol = 'tcp')
                AS tcp_payload_bytes,
            sum(ul_packets + dl_packets) FILTER (protocol = 'tcp') AS tcp_packets,
            sum(ul_retransmissions) AS ul_retransmissions,
            sum(dl_retransmissions) AS dl_retransmissions, sum(timeouts_seen) AS timeouts_seen,
            count(teid) FILTER (protocol = 'tcp') AS tunnelled_flows,
            count(*) FILTER (vantage_source = 'tunnel') AS vantage_by_tunnel
        FROM {nullable(dataset, "flows", *_COLUMNS)}"""
    return rows(dataset, query)[0]


def _faults(dataset: Tables) -> dict[str, int]:
    """Return the number of flows with each word of `quality`."""
    query = """SELECT word, count(*) AS flows
        FROM (SELECT unnest(string_split(quality, ',')) AS word FROM flows WHERE quality <> '')
        GROUP BY word"""
    return {row["word"]: row["flows"] for row in rows(dataset, query)}


def _amounts(dataset: Tables) -> dict[str, int]:
    """Return the amount of each fault that has a column: a number of packets or of bytes."""
    known = [name for name in _AMOUNTS if not absent(dataset, "flows", (f"dl_{name}",))]
    if not known:
        return {}
    sums = ", ".join(
        f"coalesce(sum(coalesce(ul_{name}, 0) + coalesce(dl_{name}, 0)), 0) AS {name}"
        for name in known
    )
    row = rows(dataset, f"SELECT count(*) AS flows, {sums} FROM flows")[0]
    return {name: row[name] for name in known if row["flows"]}


def _kinds(dataset: Tables) -> dict[str, dict[str, int]]:
    """Return the numbers of flows and the payload by kind of traffic."""
    columns = (
        "protocol",
        "quality",
        "service",
        "server_port",
        "dl_payload_bytes",
        "ul_payload_bytes",
    )
    query = f"""SELECT {_KIND} AS kind, count(*) AS flows,
            sum(coalesce(dl_payload_bytes, 0) + coalesce(ul_payload_bytes, 0)) AS bytes
        FROM {nullable(dataset, "flows", *columns)} GROUP BY kind"""
    return {
        row["kind"]: {"flows": row["flows"], "bytes": row["bytes"]} for row in rows(dataset, query)
    }
