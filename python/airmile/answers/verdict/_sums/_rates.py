"""Used rate and available bandwidth of the link, by SQL.

Rates are added up in whole bits per second and lengths in ns, so that the sums are exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airmile.answers.verdict._sums._judged import LATEST
from airmile.causes import links
from airmile.store._needs import absent, contains, existing, nullable
from airmile.store._rows import LENGTH_NS, judged, judged_slices, rows
from airmile.store._sums_limits import LEAST_RATE_BYTES, UNKNOWN_RTT_MS, WINDOWS

if TYPE_CHECKING:
    from airmile.store import Tables

WINDOW_NS = 250_000_000
"""The length of a window in ns (methods E4)."""

_OF_TRANSFERS = ("uid", "transfer_id", "bytes", "request_ns", "first_byte_ns", "end_ns")

_NOTHING = {"rated_bytes": 0, "delivered_bytes": 0, "busy_ns": 0}


def rates(dataset: Tables) -> dict[str, dict[str, Any]]:
    """Return the sums for the used rate and the available bandwidth, by direction."""
    return {way: _rate(dataset, way) for way in ("downlink", "uplink")}


def _rate(dataset: Tables, direction: str) -> dict[str, Any]:
    there = contains(dataset, "slices", "transfers")
    return {
        "bytes": _bytes(dataset, direction) if there else None,
        "link_ns": _link_ns(dataset, direction) if there else None,
        **(_used(dataset, direction) if there else _NOTHING),
        "available_bps": _available(dataset, direction),
        "windows": _windows(dataset, direction),
    }


def _bytes(dataset: Tables, direction: str) -> int | None:
    query = f"""SELECT sum(bytes) AS bytes FROM transfers
        WHERE direction = '{direction}' AND {judged(dataset)}"""
    found: int | None = rows(dataset, query)[0]["bytes"]
    return found


def _link_ns(dataset: Tables, direction: str) -> int | None:
    causes = ", ".join(f"'{key}'" for key in sorted(links()))
    query = f"""SELECT sum({LENGTH_NS}) AS ns FROM slices
        WHERE transfer_id IS NOT NULL AND cause IN ({causes}) AND direction = '{direction}'"""
    found: int | None = rows(dataset, query)[0]["ns"]
    return found


def _available(dataset: Tables, direction: str) -> float | None:
    source = _source(dataset)
    of_flows = _from_flows(dataset, source) if direction == "downlink" else None
    return _from_samples(dataset, direction, source) if of_flows is None else of_flows


def _source(dataset: Tables) -> str:
    return "c_rule" if dataset.manifest.get("profile") else "queue_evident"


def _windows(dataset: Tables, direction: str) -> int | None:
    """Return the number of windows (methods E4) with a sample, up to a limit; None without any."""
    if not contains(dataset, "bandwidth_samples"):
        return None
    samples = nullable(dataset, "bandwidth_samples", "time_ns", "direction", "source", "span_s")
    query = f"""SELECT count(DISTINCT time_ns // {WINDOW_NS}) AS windows
        FROM {samples}
        WHERE direction = '{direction}' AND source = '{_source(dataset)}' AND span_s > 0"""
    return min(rows(dataset, query)[0]["windows"], WINDOWS) or None


def _from_flows(dataset: Tables, source: str) -> float | None:
    """Return the mean of the flows' estimates, weighted by their data transfer time."""
    if absent(dataset, "flows", ("bandwidth_bps", "bandwidth_source")):
        return None
    return _mean(
        dataset,
        f"""SELECT bandwidth_bps AS bps, dl_last_payload_ns - dl_first_payload_ns AS ns
        FROM flows WHERE bandwidth_source = '{source}' AND bandwidth_bps > 0""",
    )


def _from_samples(dataset: Tables, direction: str, source: str) -> float | None:
    """Return the mean of an estimator's samples, weighted by their spans."""
    if not contains(dataset, "bandwidth_samples"):
        return None
    return _mean(
        dataset,
        f"""SELECT bandwidth_bps AS bps, round(span_s * 1e9)::HUGEINT AS ns
        FROM bandwidth_samples WHERE direction = '{direction}' AND source = '{source}'
            AND span_s > 0""",
    )


def _mean(dataset: Tables, samples: str) -> float | None:
    query = f"""SELECT sum(round(bps)::HUGEINT * ns) AS bits, sum(ns) AS ns FROM ({samples})
        WHERE isfinite(bps) AND ns > 0"""
    row = rows(dataset, query)[0]
    return float(row["bits"]) / float(row["ns"]) if row["ns"] else None


def active_ns(dataset: Tables) -> int:
    """Return the time in which a phone had at least one judged transfer, summed over all phones."""
    if not dataset.columns("transfers"):
        return 0
    known = nullable(dataset, "flows", "uid", "subscriber", "ue")
    moved = existing(dataset, "transfers", _OF_TRANSFERS)
    query = f"""WITH lasted AS (
            SELECT uid, transfer_id, min(start_ns) AS start_ns
            FROM ({judged_slices(dataset)}) GROUP BY uid, transfer_id),
        spans AS (
            SELECT coalesce(subscriber, ue) AS ue,
                coalesce(lasted.start_ns, request_ns) AS start_ns, end_ns
            FROM (SELECT {moved} FROM transfers WHERE {judged(dataset)})
            JOIN {known} USING (uid) LEFT JOIN lasted USING (uid, transfer_id)),
        ordered AS (
            SELECT *, max(end_ns) OVER (PARTITION BY ue ORDER BY start_ns, end_ns
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ns FROM spans)
        SELECT coalesce(sum(greatest(
            end_ns - greatest(start_ns, coalesce(before_ns, start_ns)), 0)), 0) AS ns
        FROM ordered"""
    return int(rows(dataset, query)[0]["ns"])


def _used(dataset: Tables, direction: str) -> dict[str, Any]:
    """Return the bytes of transfers, and the time in which a UE had at least one.

    As for the shares, the time of a transfer begins with its first slice, which includes its
    handshake and wait. A transfer of a few segments, or shorter than a round trip, does not count,
    because it shows the rate of the sender and not of the link. A sender can fill a deep queue much
    faster than the link empties it. So data that wait beyond the capture point when the last byte
    of a transfer has passed still count, unless the receiver resets the connection.
    """
    way = "dl" if direction == "downlink" else "ul"
    known = nullable(
        dataset, "flows", "uid", "subscriber", "ue", "handshake_rtt_ms", f"{way}_rtt_min_ms"
    )
    moved = existing(dataset, "transfers", _OF_TRANSFERS)
    query = f"""WITH undelivered AS (
            SELECT uid, arg_max(transfer_id, {LATEST}) AS transfer_id,
                arg_max(in_flight_bytes, {LATEST}) AS undelivered
            FROM slices JOIN (SELECT uid FROM flows WHERE ending LIKE 'rst%') USING (uid)
            WHERE direction = '{direction}' AND in_flight_bytes IS NOT NULL GROUP BY uid),
        phones AS (
            SELECT uid, coalesce(subscriber, ue) AS ue,
                coalesce(handshake_rtt_ms, {way}_rtt_min_ms, {UNKNOWN_RTT_MS}) * 1e6
                AS rtt_ns
            FROM {known}),
        lasted AS (
            SELECT uid, transfer_id, min(start_ns) AS start_ns
            FROM ({judged_slices(dataset)}) GROUP BY uid, transfer_id),
        every AS (
            SELECT uid, ue, transfer_id, bytes, coalesce(start_ns, request_ns) AS start_ns, end_ns,
                bytes >= {LEAST_RATE_BYTES} AND end_ns - first_byte_ns >= rtt_ns AS counts
            FROM (SELECT {moved} FROM transfers
                  WHERE direction = '{direction}' AND {judged(dataset)})
            JOIN phones USING (uid) LEFT JOIN lasted USING (uid, transfer_id)),
        moved AS (
            SELECT every.*, greatest(bytes - coalesce(undelivered, 0), 0) AS delivered
            FROM every LEFT JOIN (SELECT transfer_id, undelivered FROM undelivered)
            USING (transfer_id) WHERE counts),
        drained AS (
            SELECT last.ue, rest.start_ns, rest.end_ns
            FROM (FROM slices WHERE direction = '{direction}' AND transfer_id IS NULL
                    AND cause <> 'idle') AS rest
            ASOF JOIN (FROM every QUALIFY row_number()
                OVER (PARTITION BY uid, end_ns ORDER BY transfer_id DESC) = 1) AS last
            ON last.uid = rest.uid AND last.end_ns <= rest.start_ns
            WHERE last.counts),
        spans AS (SELECT ue, start_ns, end_ns FROM moved UNION ALL FROM drained),
        ordered AS (
            SELECT *, max(end_ns) OVER (PARTITION BY ue ORDER BY start_ns, end_ns
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ns FROM spans)
        SELECT (SELECT coalesce(sum(bytes), 0) FROM moved) AS rated_bytes,
            (SELECT coalesce(sum(delivered), 0) FROM moved) AS delivered_bytes,
            coalesce(sum(greatest(
                end_ns - greatest(start_ns, coalesce(before_ns, start_ns)), 0)), 0) AS busy_ns
        FROM ordered"""
    return rows(dataset, query)[0]
