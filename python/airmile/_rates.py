"""How much of the link was used: the rate of transfers against what the link could carry.

What it could carry is the estimate of the flows that have one, else of all samples; a link that is
full most of the time carries what it can, so there its use tells, and otherwise it is unknown. What
was used is the rate of the judged transfers over the time that is judged, and what still drained
after it. Only samples with a standing queue count: those of the paper's rule come from bursts of a
few milliseconds and are off by half on flows that the link does not limit (methods E2), so they
stay in the tables unless its profile is in force.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from airmile._evidence import LEAST_RATE_BYTES, UNKNOWN_RTT_MS
from airmile._rows import existing, judged, judged_slices, rows
from airmile.causes import links

if TYPE_CHECKING:
    from airmile.dataset import Dataset

NO_TRANSFER = "there was no transfer"
TOO_LITTLE = "too little moved at a time: a rate needs ten segments and a round trip"
NO_QUEUE = "no standing queue shows what it could carry"
BRIEF_QUEUE = "its queues were too brief to show what it could carry"
BELOW_USE = "what its queues showed is less than was used"
AT_RECEIVER = "where the data arrives nothing shows what it could carry"

ENOUGH_RATIO = 0.5
"""A rate stands for the transfers when it is that of at least so much of their bytes."""

WINDOW_NS = 250_000_000
"""The window of methods E4."""

LEAST_WINDOWS = 4
"""Windows with a sample, of a quarter of a second each, that tell a rate of the link: together a
second. One brief queue is a moment of the link, not its rate; our choice."""

WITHIN = 1.02
"""Use and estimate are means over different spans: up to this factor they say the same."""


@dataclass(frozen=True)
class LinkRates:
    """Used and available rate, what told the latter, and why either is unknown."""

    used_bps: float | None
    used_reason: str | None
    available_bps: float | None
    source: str | None
    reason: str | None


def link_rates(dataset: Dataset, full_ratio: float, *, mainly_link: bool) -> LinkRates:
    """Return the rate of a UE while it transferred, and what its link could carry.

    Parameters
    ----------
    dataset : Dataset
        Whose transfers.
    full_ratio : float
        Share of their time in which the link was the bottleneck.
    mainly_link : bool
        Whether the link is the verdict: then it carried what it can.
    """
    direction = _full_direction(dataset) if mainly_link else _bulk_direction(dataset)
    if direction is None:
        return LinkRates(None, NO_TRANSFER, None, None, NO_TRANSFER)
    used = _used(dataset, direction)
    used_reason = TOO_LITTLE if used is None else None
    estimate = _estimate(dataset, direction)
    too_low = estimate is not None and used is not None and used > estimate * WITHIN
    if estimate is not None and not too_low:
        return LinkRates(used, used_reason, estimate, "queues", None)
    if mainly_link and used is not None:
        return LinkRates(used, used_reason, used, "used", None)
    why = BELOW_USE if too_low else _why_unknown(dataset, direction, full_ratio)
    return LinkRates(used, used_reason, None, None, why)


def _why_unknown(dataset: Dataset, direction: str, full_ratio: float) -> str:
    arrives = {"downlink": "ue", "uplink": "server"}[direction]
    if dataset.manifest["vantage"]["value"] == arrives:
        return AT_RECEIVER
    return BRIEF_QUEUE if full_ratio or _windows(dataset, direction) else NO_QUEUE


def _bulk_direction(dataset: Dataset) -> str | None:
    query = f"""SELECT direction FROM transfers WHERE {judged(dataset)}
        GROUP BY direction ORDER BY sum(bytes) DESC, direction LIMIT 1"""
    found = rows(dataset, query)
    return found[0]["direction"] if found else None


def _full_direction(dataset: Dataset) -> str | None:
    """Return the direction in which the link was the bottleneck for most of the time."""
    causes = ", ".join(f"'{key}'" for key in sorted(links()))
    query = f"""SELECT direction FROM slices
        WHERE transfer_id IS NOT NULL AND cause IN ({causes})
        GROUP BY direction ORDER BY sum(end_ns - start_ns) DESC, direction LIMIT 1"""
    found = rows(dataset, query)
    return found[0]["direction"] if found else _bulk_direction(dataset)


def _estimate(dataset: Dataset, direction: str) -> float | None:
    source = _source(dataset)
    windows = _windows(dataset, direction)
    if windows is not None and windows < LEAST_WINDOWS:
        return None
    of_flows = _from_flows(dataset, source) if direction == "downlink" else None
    return _from_samples(dataset, direction, source) if of_flows is None else of_flows


def _source(dataset: Dataset) -> str:
    return "c_rule" if dataset.manifest.get("profile") else "queue_evident"


def _windows(dataset: Dataset, direction: str) -> int | None:
    """Count the windows (methods E4) with a sample; None where no sample was kept."""
    if "bandwidth_samples" not in dataset.tables:
        return None
    columns = existing(dataset, "bandwidth_samples", ("time_ns", "direction", "source", "span_s"))
    query = f"""SELECT nullif(count(DISTINCT time_ns // {WINDOW_NS}), 0) AS windows
        FROM (SELECT {columns} FROM bandwidth_samples)
        WHERE direction = '{direction}' AND source = '{_source(dataset)}' AND span_s > 0"""
    windows: int | None = rows(dataset, query)[0]["windows"]
    return windows


def _from_flows(dataset: Dataset, source: str) -> float | None:
    """Average over the flows that have an estimate, by the time they transferred."""
    needed = {"bandwidth_bps", "bandwidth_source"}
    if not needed <= set(dataset.columns("flows")):
        return None
    query = f"""SELECT sum(bandwidth_bps * ns) / sum(ns) AS available
        FROM (SELECT *, dl_last_payload_ns - dl_first_payload_ns AS ns FROM flows)
        WHERE bandwidth_source = '{source}' AND bandwidth_bps > 0
            AND ns > 0"""
    available: float | None = rows(dataset, query)[0]["available"]
    return available


def _from_samples(dataset: Dataset, direction: str, source: str) -> float | None:
    """Average the samples of an estimator, by their spans."""
    if "bandwidth_samples" not in dataset.tables:
        return None
    query = f"""SELECT sum(bandwidth_bps * span_s) / sum(span_s) AS available
        FROM bandwidth_samples
        WHERE direction = '{direction}' AND source = '{source}' AND span_s > 0"""
    available: float | None = rows(dataset, query)[0]["available"]
    return available


def _used(dataset: Dataset, direction: str) -> float | None:
    """Divide the bytes of transfers by the time in which a UE had at least one.

    The time is that of the shares: from the first slice of a transfer, its handshake and its wait
    included. A transfer of a few segments, or shorter than a round trip, shows how fast the sender
    wrote, not what was carried; where such are most of the bytes, the rate is unknown. A sender can
    fill a deep queue much faster than the link empties it: what stands behind the tap after a
    transfer's last byte has passed is still being carried, and what stands there when the receiver
    resets the connection never is.
    """
    way = "dl" if direction == "downlink" else "ul"
    known = existing(dataset, "flows", ("uid", "ue", "handshake_rtt_ms", f"{way}_rtt_min_ms"))
    query = f"""WITH undelivered AS (
            SELECT uid, arg_max(transfer_id, end_ns) AS transfer_id,
                arg_max(in_flight_bytes, end_ns) AS undelivered
            FROM slices JOIN (SELECT uid FROM flows WHERE ending LIKE 'rst%') USING (uid)
            WHERE direction = '{direction}' AND in_flight_bytes IS NOT NULL GROUP BY uid),
        phones AS (
            SELECT uid, ue, coalesce(handshake_rtt_ms, {way}_rtt_min_ms, {UNKNOWN_RTT_MS}) * 1e6
                AS rtt_ns
            FROM (SELECT {known} FROM flows)),
        lasted AS (
            SELECT uid, transfer_id, min(start_ns) AS start_ns
            FROM ({judged_slices(dataset)}) GROUP BY uid, transfer_id),
        every AS (
            SELECT uid, ue, transfer_id, bytes, coalesce(start_ns, request_ns) AS start_ns, end_ns,
                bytes >= {LEAST_RATE_BYTES} AND end_ns - first_byte_ns >= rtt_ns AS counts
            FROM (SELECT uid, transfer_id, bytes, request_ns, first_byte_ns, end_ns FROM transfers
                  WHERE direction = '{direction}' AND {judged(dataset)})
            JOIN phones USING (uid) LEFT JOIN lasted USING (uid, transfer_id)),
        moved AS (FROM every WHERE counts),
        drained AS (
            SELECT every.ue, 0 AS bytes, rest.start_ns, rest.end_ns
            FROM (FROM slices WHERE direction = '{direction}' AND transfer_id IS NULL
                    AND cause <> 'idle') AS rest
            ASOF JOIN every ON every.uid = rest.uid AND every.end_ns <= rest.start_ns
            WHERE every.counts),
        spans AS (
            SELECT ue, greatest(bytes - coalesce(undelivered, 0), 0) AS bytes, start_ns, end_ns
            FROM moved LEFT JOIN (SELECT transfer_id, undelivered FROM undelivered)
            USING (transfer_id)
            UNION ALL FROM drained),
        ordered AS (
            SELECT *, max(end_ns) OVER (PARTITION BY ue ORDER BY start_ns, end_ns
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ns FROM spans)
        SELECT sum(bytes) * 8e9 / nullif(sum(greatest(
            end_ns - greatest(start_ns, coalesce(before_ns, start_ns)), 0)), 0) AS used
        FROM ordered HAVING (SELECT sum(bytes) FROM moved)
            >= (SELECT sum(bytes) FROM every) * {ENOUGH_RATIO}"""
    found = rows(dataset, query)
    used: float | None = found[0]["used"] if found else None
    return used
