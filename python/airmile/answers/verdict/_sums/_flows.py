"""The sums of single flows, by SQL: columns of `flows`, sums of judged transfers, and spans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airmile.answers.verdict._sums import _seen, _spans
from airmile.answers.verdict._sums._judged import LATEST, NAMED, WHOLE
from airmile.store._needs import absent, existing, nullable
from airmile.store._rows import LENGTH_NS, judged, judged_slices, rows

if TYPE_CHECKING:
    from airmile.store import Tables

_PER_DIRECTION = (
    "payload_bytes",
    "unique_bytes",
    "packets",
    "recorded_twice",
    "super_segments",
    "rate_bps",
    "first_payload_ns",
    "last_payload_ns",
    "retransmissions",
    "spurious_retransmissions",
    "tail_probes",
    "upstream_losses",
    "reordered",
    "zero_windows",
    "rtt_min_ms",
    "rtt_p50_ms",
    "rtt_p95_ms",
    "rtt_max_ms",
    "in_flight_max_bytes",
    "syn",
    "rtt_samples",
    "window_probes",
    "empty_window_probes",
    "keep_alives",
)
COLUMNS = (
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
    "ue_window_scale",
    "server_window_scale",
    "ue_sack",
    "server_sack",
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
"""The columns of `flows` that a verdict uses, as in the engine (`verdict/cells.rs`)."""

_OF_TRANSFERS = (
    *("uid", "direction", "bytes", "round_trips", "loop_ms", "path_rtt_ms", "server_wait_ms"),
    *("first_byte_ns", "end_ns"),
)

_OF_RECOVERY = ("uid", "cause", "start_ns", "end_ns", "recovery_ratio", "rto_wait_ms")
_OF_SLICES = (
    *("uid", "transfer_id", "direction", "start_ns", "end_ns", "in_flight_bytes", "window_bytes"),
    "retransmissions",
)


def heaviest(dataset: Tables, number: int | None) -> tuple[list[dict[str, Any]], int]:
    """Return the heaviest and slowest flows (None: all), and the number of judged flows."""
    limit = "" if number is None else f"LIMIT {number}"
    chosen = rows(
        dataset,
        f"""WITH judged AS ({judged_slices(dataset)}),
        each AS (SELECT uid, sum(weight) AS ns, sum(bytes) AS bytes FROM judged GROUP BY uid),
        top AS (
            SELECT uid, greatest(ns / nullif((SELECT sum(ns) FROM each), 0),
                bytes / nullif((SELECT sum(bytes) FROM each), 0)) AS share
            FROM each ORDER BY share DESC, uid {limit})
        SELECT uid, share, cause, sum(weight) AS ns, (SELECT count(*) FROM each) AS every
        FROM judged JOIN top USING (uid)
        GROUP BY uid, share, cause ORDER BY share DESC, uid, cause""",
    )
    time: dict[int, dict[str, int]] = {}
    for row in chosen:
        time.setdefault(row["uid"], {})[row["cause"]] = row["ns"]
    facts = known(dataset, list(time))
    flows = [{**facts[uid], "time_ns": time[uid]} for uid in time if uid in facts]
    return flows, chosen[0]["every"] if chosen else 0


def known(dataset: Tables, uids: list[int]) -> dict[int, dict[str, Any]]:
    """Return the sums of the flows among `uids` that have a judged transfer."""
    if not uids:
        return {}
    chosen = ", ".join(str(uid) for uid in uids)
    reasons, spans = _reasons(dataset, chosen), _spans.spans(dataset, chosen)
    least, seen = _least_queues(dataset, chosen), _seen.by_cause(dataset, chosen)
    uplink = _by_cause(dataset, chosen, "cause", "direction = 'uplink'")
    old = absent(dataset, "slices", ("certainty", "second"))
    named = {} if old else _by_cause(dataset, chosen, NAMED, "true")
    found: dict[int, dict[str, Any]] = {}
    for row in rows(dataset, _query(dataset, chosen)):
        uid, recovering = row["uid"], _ratio(row.pop("recovering"), row.pop("known_ns"))
        beside = {"reasons": reasons.get(uid, {}), "spans": spans.get(uid, {})}
        beside["uplink_ns"] = uplink.get(uid, {})
        beside["named_ns"] = named.get(uid, {})
        beside["least_queue_ms"] = least.get(uid, {})
        beside |= {name: found_of.get(uid, {}) for name, found_of in seen.items()}
        found[uid] = {**row, "recovering_ratio": recovering, **beside}
    return found


def _ratio(billionths: int | None, of: int | None) -> float | None:
    return None if billionths is None or not of else float(billionths) / float(of) / WHOLE


def _query(dataset: Tables, chosen: str) -> str:
    return f"""WITH judged_transfers AS (
            SELECT {existing(dataset, "transfers", _OF_TRANSFERS)} FROM transfers
            WHERE {judged(dataset)} AND uid IN ({chosen})),
        directions AS (
            SELECT uid, direction, sum(bytes) AS bytes,
                sum(end_ns - first_byte_ns) / 1e9 AS moving_s
            FROM judged_transfers GROUP BY uid, direction),
        larger AS (
            -- The bytes of the other direction do not count.
            SELECT * FROM directions QUALIFY row_number()
                OVER (PARTITION BY uid ORDER BY bytes DESC, direction) = 1),
        moved AS (
            SELECT uid, count(*) AS transfers, any_value(larger.bytes) AS bytes,
                any_value(larger.direction) AS direction, any_value(larger.moving_s) AS moving_s,
                median(each.bytes) AS median_bytes,
                median(loop_ms) AS loop_ms, median(path_rtt_ms) AS path_rtt_ms,
                median(server_wait_ms) AS server_wait_ms,
                sum(round_trips) AS round_trips
            FROM judged_transfers AS each JOIN larger USING (uid) GROUP BY uid),
        lasted AS (
            SELECT uid, sum(weight) / 1e9 AS judged_s FROM ({judged_slices(dataset)})
            WHERE uid IN ({chosen}) GROUP BY uid),
        carried AS (
            -- Time after a transfer's last new byte in which a queue drains or a loss is recovered.
            SELECT uid, sum({LENGTH_NS}) / 1e9 AS carried_s FROM slices
            WHERE transfer_id IS NULL AND cause <> 'idle' AND uid IN ({chosen}) GROUP BY uid),
        recovering AS (
            SELECT uid, sum(round(coalesce(recovery_ratio, 0) * {WHOLE}.0)::HUGEINT * ns
                + round(coalesce(rto_wait_ms, 0) * 1e6)::HUGEINT * {WHOLE}) AS recovering,
                sum(ns) AS known_ns
            FROM (SELECT *, end_ns - start_ns AS ns
                  FROM {nullable(dataset, "slices", *_OF_RECOVERY)})
            WHERE uid IN ({chosen}) AND ns > 0 AND cause <> 'idle' GROUP BY uid),
        left_over AS (
            -- Data in flight at a reset never arrive.
            SELECT uid, direction, arg_max(in_flight_bytes, {LATEST}) AS undelivered_bytes
            FROM {nullable(dataset, "slices", *_OF_SLICES)}
            JOIN (SELECT uid FROM flows WHERE ending LIKE 'rst%') USING (uid)
            WHERE in_flight_bytes IS NOT NULL AND uid IN ({chosen}) GROUP BY uid, direction),
        offered AS (
            SELECT uid, max(window_bytes) FILTER (direction = 'downlink') AS dl_offered_max_bytes,
                max(window_bytes) FILTER (direction = 'uplink') AS ul_offered_max_bytes,
                nullif(max(retransmissions) FILTER (direction = 'downlink'), 0)
                    AS dl_most_retransmissions,
                nullif(max(retransmissions) FILTER (direction = 'uplink'), 0)
                    AS ul_most_retransmissions
            FROM {nullable(dataset, "slices", *_OF_SLICES)}
            WHERE uid IN ({chosen}) GROUP BY uid)
        SELECT * FROM {nullable(dataset, "flows", *COLUMNS)}
        JOIN moved USING (uid) JOIN lasted USING (uid) LEFT JOIN carried USING (uid)
        LEFT JOIN left_over USING (uid, direction) LEFT JOIN offered USING (uid)
        LEFT JOIN recovering USING (uid)"""


def _by_cause(dataset: Tables, uids: str, column: str, condition: str) -> dict[int, dict[str, int]]:
    """Return for each flow the time of its slices that meet a condition, by an expression."""
    found = rows(
        dataset,
        f"""SELECT uid, {column} AS word, sum(weight) AS ns FROM ({judged_slices(dataset)})
        WHERE {condition} AND uid IN ({uids}) GROUP BY ALL""",
    )
    times: dict[int, dict[str, int]] = {}
    for row in found:
        times.setdefault(row["uid"], {})[row["word"]] = row["ns"]
    return times


def _least_queues(dataset: Tables, uids: str) -> dict[int, dict[str, float]]:
    """Return for each flow and cause the greatest `least_queue_ms` of its slices.

    They are those in the direction with most of the cause's time; a cause is left out if more than
    a tenth of that time has none.
    """
    if absent(dataset, "slices", ("least_queue_ms",)):
        return {}
    found = rows(
        dataset,
        f"""WITH ways AS (
            SELECT uid, cause, direction, max(least_queue_ms) AS ms, sum(weight) AS ns,
                coalesce(sum(weight) FILTER (least_queue_ms IS NULL), 0) AS unknown_ns
            FROM ({judged_slices(dataset)}) WHERE uid IN ({uids}) AND weight > 0 GROUP BY ALL),
        mainly AS (
            SELECT * FROM ways QUALIFY row_number()
                OVER (PARTITION BY uid, cause ORDER BY ns DESC, direction) = 1)
        SELECT uid, cause, ms FROM mainly WHERE ms IS NOT NULL AND unknown_ns * 10 <= ns""",
    )
    least: dict[int, dict[str, float]] = {}
    for row in found:
        least.setdefault(row["uid"], {})[row["cause"]] = row["ms"]
    return least


def _reasons(dataset: Tables, uids: str) -> dict[int, dict[str, str]]:
    """Return for each flow and cause the reason that covers most of its time."""
    found = rows(
        dataset,
        f"""SELECT uid, cause, reason
        FROM (SELECT uid, cause, reason, sum(weight) AS ns FROM ({judged_slices(dataset)})
              WHERE uid IN ({uids}) AND reason <> '' GROUP BY uid, cause, reason)
        QUALIFY row_number() OVER (PARTITION BY uid, cause ORDER BY ns DESC, reason) = 1
        ORDER BY uid, cause""",
    )
    reasons: dict[int, dict[str, str]] = {}
    for row in found:
        reasons.setdefault(row["uid"], {})[row["cause"]] = row["reason"]
    return reasons
