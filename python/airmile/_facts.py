"""What is known of a flow: its row of `flows`, its judged transfers summed up, and when it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airmile import _spans
from airmile._access import is_cellular
from airmile._rows import existing, judged, judged_slices, rows

if TYPE_CHECKING:
    from airmile.dataset import Dataset

Facts = Mapping[str, Any]

_PER_DIRECTION = (
    "payload_bytes",
    "packets",
    "rate_bps",
    "first_payload_ns",
    "last_payload_ns",
    "retransmissions",
    "spurious_retransmissions",
    "tail_probes",
    "upstream_losses",
    "zero_windows",
    "rtt_min_ms",
    "rtt_p50_ms",
    "rtt_p95_ms",
    "in_flight_max_bytes",
)
_COLUMNS = (
    "uid",
    "ue",
    "ue_port",
    "server",
    "server_name",
    "server_port",
    "start_ns",
    "duration_s",
    "ending",
    "quality",
    "vantage",
    "handshake_rtt_ms",
    "tls_handshake_ms",
    "upstream_rtt_ms",
    "promotion_delay_ms",
    "promotion_doubtful",
    "initial_window_bytes",
    "ue_initial_window_bytes",
    "window_full_s",
    "ul_window_full_s",
    "zero_window_s",
    "ul_zero_window_s",
    "window_full_first_ratio",
    "bandwidth_bps",
    "ul_bandwidth_bps",
    "utilisation_ratio",
    "undesired_slow_starts",
    "timeouts_seen",
    "self_inflicted_delay_ms",
    *(f"{way}_{name}" for way in ("dl", "ul") for name in _PER_DIRECTION),
)
_OF_TRANSFERS = (
    *("uid", "direction", "bytes", "round_trips", "loop_ms", "path_rtt_ms", "server_wait_ms"),
    *("first_byte_ns", "end_ns"),
)

_OF_RECOVERY = ("uid", "cause", "start_ns", "end_ns", "recovery_ratio", "rto_wait_ms")
_OF_SLICES = ("uid", "direction", "end_ns", "in_flight_bytes", "window_bytes")


def facts(dataset: Dataset, uids: list[int]) -> dict[int, Facts]:
    """Return what is known of the flows that have a judged transfer."""
    if not uids:
        return {}
    chosen = ", ".join(str(uid) for uid in uids)
    vantage, cellular = dataset.manifest["vantage"]["value"], is_cellular(dataset)
    reasons, spans = _reasons(dataset, chosen), _all_spans(dataset, chosen)
    return {
        row["uid"]: {
            **row,
            "vantage": row["vantage"] or vantage,
            "cellular": cellular,
            "reasons": reasons.get(row["uid"], {}),
            "spans": spans.get(row["uid"], {}),
        }
        for row in rows(dataset, _query(dataset, chosen))
    }


def _query(dataset: Dataset, chosen: str) -> str:
    return f"""WITH judged_transfers AS (
            SELECT {existing(dataset, "transfers", _OF_TRANSFERS)} FROM transfers
            WHERE {judged(dataset)} AND uid IN ({chosen})),
        directions AS (
            SELECT uid, direction, sum(bytes) AS bytes,
                sum(end_ns - first_byte_ns) / 1e9 AS moving_s
            FROM judged_transfers GROUP BY uid, direction),
        larger AS (
            -- What went the other way is not moved in this direction.
            SELECT uid, arg_max(direction, bytes) AS direction, max(bytes) AS bytes,
                arg_max(moving_s, bytes) AS moving_s
            FROM directions GROUP BY uid),
        moved AS (
            SELECT uid, count(*) AS transfers, any_value(larger.bytes) AS bytes,
                any_value(larger.direction) AS direction, any_value(larger.moving_s) AS moving_s,
                median(each.bytes) AS median_bytes,
                median(loop_ms) AS loop_ms, median(path_rtt_ms) AS path_rtt_ms,
                median(server_wait_ms) AS server_wait_ms,
                sum(round_trips)::BIGINT AS round_trips
            FROM judged_transfers AS each JOIN larger USING (uid) GROUP BY uid),
        lasted AS (
            SELECT uid, sum(weight) / 1e9 AS judged_s FROM ({judged_slices(dataset)})
            WHERE uid IN ({chosen}) GROUP BY uid),
        carried AS (
            -- What stands in a queue or is repaired after a transfer's last new byte.
            SELECT uid, sum(end_ns - start_ns) / 1e9 AS carried_s FROM slices
            WHERE transfer_id IS NULL AND cause <> 'idle' AND uid IN ({chosen}) GROUP BY uid),
        recovering AS (
            SELECT uid, sum((coalesce(recovery_ratio, 0) * (end_ns - start_ns)
                + coalesce(rto_wait_ms, 0) * 1e6)) / sum(end_ns - start_ns) AS recovering_ratio
            FROM (SELECT {existing(dataset, "slices", _OF_RECOVERY)} FROM slices)
            WHERE uid IN ({chosen}) AND end_ns > start_ns AND cause <> 'idle' GROUP BY uid),
        left_over AS (
            -- What a reset leaves in flight never arrives.
            SELECT uid, direction, arg_max(in_flight_bytes, end_ns) AS undelivered_bytes
            FROM (SELECT {existing(dataset, "slices", _OF_SLICES)} FROM slices)
            JOIN (SELECT uid FROM flows WHERE ending LIKE 'rst%') USING (uid)
            WHERE in_flight_bytes IS NOT NULL AND uid IN ({chosen}) GROUP BY uid, direction),
        offered AS (
            SELECT uid, max(window_bytes) FILTER (direction = 'downlink') AS dl_offered_max_bytes,
                max(window_bytes) FILTER (direction = 'uplink') AS ul_offered_max_bytes
            FROM (SELECT {existing(dataset, "slices", _OF_SLICES)} FROM slices)
            WHERE uid IN ({chosen}) GROUP BY uid)
        SELECT * FROM (SELECT {existing(dataset, "flows", _COLUMNS)} FROM flows)
        JOIN moved USING (uid) JOIN lasted USING (uid) LEFT JOIN carried USING (uid)
        LEFT JOIN left_over USING (uid, direction) LEFT JOIN offered USING (uid)
        LEFT JOIN recovering USING (uid)"""


def _reasons(dataset: Dataset, uids: str) -> dict[int, dict[str, str]]:
    """Return for each flow and cause the reason that covers most of its time."""
    found = rows(
        dataset,
        f"""SELECT uid, cause, arg_max(reason, ns) AS reason
        FROM (SELECT uid, cause, reason, sum(weight) AS ns FROM ({judged_slices(dataset)})
              WHERE uid IN ({uids}) AND reason <> '' GROUP BY uid, cause, reason ORDER BY reason)
        GROUP BY uid, cause ORDER BY uid, cause""",
    )
    reasons: dict[int, dict[str, str]] = {}
    for row in found:
        reasons.setdefault(row["uid"], {})[row["cause"]] = row["reason"]
    return reasons


def _all_spans(dataset: Dataset, uids: str) -> dict[int, dict[str, _spans.Span]]:
    """Return the spans of each flow by what they show: a cause, an extreme, the flow."""
    by_flow: dict[int, dict[str, _spans.Span]] = {}
    for find in (_spans.of_causes, _spans.of_extremes, _spans.of_flows):
        for (uid, what), span in find(dataset, uids).items():
            by_flow.setdefault(uid, {})[what] = span
    return by_flow
