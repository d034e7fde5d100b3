"""Connections that never opened and look-ups that failed, by SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airmile.store._needs import nullable
from airmile.store._rows import rows
from airmile.store._sums_limits import CASES

if TYPE_CHECKING:
    from airmile.store import Tables

_OF_FLOWS = (
    *("uid", "initiator", "protocol", "ending", "start_ns", "end_ns"),
    *("ue", "ue_port", "server", "server_port", "server_name"),
    *(f"{way}_{name}" for way in ("ul", "dl") for name in ("packets", "syn", "recorded_twice")),
)
_OF_LOOKUPS = ("uid", "query_ns", "response_ns", "name", "queries", "answered", "rcode")

_CASE = (
    *("uid", "to_phone", "ue", "ue_port", "server", "server_port", "name"),
    *("packets", "start_ns", "end_ns"),
)

_LENGTH = "greatest(end_ns::HUGEINT - start_ns::HUGEINT, 0)"
_ORDER = f"{_LENGTH} DESC, start_ns, end_ns, uid, name NULLS FIRST, packets"
"""The order of the failures of a kind: the longest first."""


def failed(dataset: Tables) -> dict[str, dict[str, Any]]:
    """Return the failures by kind: their number, packets and time, and the longest of them."""
    query = f"""WITH every AS ({_connections(dataset)} UNION ALL {_lookups(dataset)}),
        known AS (SELECT * FROM every WHERE kind IS NOT NULL)
        SELECT kind, {", ".join(_CASE)}, count(*) OVER kinds AS every_count,
            sum(packets) OVER kinds AS every_packet, min(start_ns) OVER kinds AS first_ns,
            max(end_ns) OVER kinds AS last_ns
        FROM known WINDOW kinds AS (PARTITION BY kind)
        QUALIFY row_number() OVER (PARTITION BY kind ORDER BY {_ORDER}) <= {CASES}
        ORDER BY kind, {_ORDER}"""
    found: dict[str, dict[str, Any]] = {}
    for row in rows(dataset, query):
        kind = {
            "count": row["every_count"],
            "packets": row["every_packet"],
            "start_ns": row["first_ns"],
            "end_ns": row["last_ns"],
            "longest": [],
        }
        longest = found.setdefault(row["kind"], kind)["longest"]
        longest.append({name: row[name] for name in _CASE})
    return found


def _connections(dataset: Tables) -> str:
    """Return the SQL of connections whose first side sent SYNs only, and the other one no SYN.

    A single SYN without an answer may be the last packet of the capture.
    """
    sides = ", ".join(
        f"CASE initiator WHEN 'ue' THEN {own}_{name} ELSE {other}_{name} END AS {side}_{name}"
        for side, own, other in (("own", "ul", "dl"), ("other", "dl", "ul"))
        for name in ("packets", "syn", "recorded_twice")
    )
    return f"""SELECT
            CASE WHEN other_packets = 0 AND own_syn - coalesce(own_recorded_twice, 0) >= 2
                THEN 'unanswered'
                WHEN other_packets > 0 AND ending = 'rst' THEN 'refused' END AS kind,
            uid, initiator = 'server' AS to_phone, ue, ue_port, server, server_port,
            server_name AS name, own_syn - coalesce(own_recorded_twice, 0) AS packets,
            start_ns, end_ns
        FROM (SELECT *, {sides} FROM {nullable(dataset, "flows", *_OF_FLOWS)}
              WHERE protocol = 'tcp' AND initiator IN ('ue', 'server'))
        WHERE own_syn > 0 AND own_packets = own_syn AND other_syn = 0"""


def _lookups(dataset: Tables) -> str:
    """Return the SQL of look-ups that failed, or that were answered only after a repetition."""
    return f"""SELECT
            CASE WHEN NOT answered THEN 'lookup_unanswered'
                WHEN rcode = 3 THEN 'no_such_name'
                WHEN coalesce(rcode, 0) > 0 THEN 'lookup_failed'
                WHEN queries > 1 THEN 'lookup_repeated' END AS kind,
            uid, false AS to_phone, NULL AS ue, NULL AS ue_port, NULL AS server,
            NULL AS server_port, name, queries AS packets, query_ns AS start_ns,
            coalesce(response_ns, query_ns) AS end_ns
        FROM {nullable(dataset, "dns", *_OF_LOOKUPS)}"""
