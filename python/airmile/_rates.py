"""How much of the link was used: the rate of transfers against what the link could carry.

What it could carry is the estimate of the flows that have one, else of all samples, and without
samples it is unknown. What was used is the rate of all transfers while there were any. Only
samples with a standing queue count: those of the paper's rule come from bursts of a few
milliseconds and are off by half on flows that the link does not limit (methods E2), so they stay
in the tables unless its profile is in force.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from airmile._rows import not_control, rows

if TYPE_CHECKING:
    from airmile.dataset import Dataset

NO_QUEUE = "no standing queue shows what it could carry"
AT_RECEIVER = "where the data arrives nothing shows what it could carry"


@dataclass(frozen=True)
class LinkRates:
    """Used and available rate; `reason` says why the latter is unknown."""

    used_bps: float | None
    available_bps: float | None
    reason: str | None


def link_rates(dataset: Dataset) -> LinkRates:
    """Return the rate of a UE while it transferred, and what its link could carry."""
    direction = _bulk_direction(dataset)
    if direction is None:
        return LinkRates(None, None, "there was no transfer")
    source = "c_rule" if dataset.manifest.get("profile") else "queue_evident"
    available = _from_flows(dataset, source) if direction == "downlink" else None
    if available is None:
        available = _from_samples(dataset, direction, source)
    used = _used(dataset, direction)
    if available is not None:
        return LinkRates(used, available, None)
    arrives = {"downlink": "ue", "uplink": "server"}[direction]
    at_receiver = dataset.manifest["vantage"]["value"] == arrives
    return LinkRates(used, None, AT_RECEIVER if at_receiver else NO_QUEUE)


def _bulk_direction(dataset: Dataset) -> str | None:
    query = f"""SELECT direction FROM transfers WHERE {not_control(dataset)}
        GROUP BY direction ORDER BY sum(bytes) DESC, direction LIMIT 1"""
    found = rows(dataset, query)
    return found[0]["direction"] if found else None


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

    A sender can fill a deep queue much faster than the link empties it: what stands behind the tap
    after a transfer's last byte has passed is still being carried, and what stands there when the
    receiver resets the connection never is.
    """
    query = f"""WITH undelivered AS (
            SELECT uid, arg_max(transfer_id, end_ns) AS transfer_id,
                arg_max(in_flight_bytes, end_ns) AS undelivered
            FROM slices JOIN (SELECT uid FROM flows WHERE ending LIKE 'rst%') USING (uid)
            WHERE direction = '{direction}' AND in_flight_bytes IS NOT NULL GROUP BY uid),
        spans AS (
            SELECT ue, greatest(bytes - coalesce(undelivered, 0), 0) AS bytes,
                coalesce(first_byte_ns, request_ns) AS start_ns, end_ns
            FROM (SELECT * FROM transfers
                  WHERE direction = '{direction}' AND {not_control(dataset)}) AS chosen
            JOIN (SELECT uid, ue FROM flows) USING (uid)
            LEFT JOIN (SELECT transfer_id, undelivered FROM undelivered) USING (transfer_id)
            UNION ALL
            SELECT ue, 0, start_ns, end_ns FROM slices JOIN (SELECT uid, ue FROM flows) USING (uid)
            WHERE direction = '{direction}' AND transfer_id IS NULL AND cause <> 'idle'),
        ordered AS (
            SELECT *, max(end_ns) OVER (PARTITION BY ue ORDER BY start_ns, end_ns
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ns FROM spans)
        SELECT sum(bytes) * 8e9 / nullif(sum(greatest(
            end_ns - greatest(start_ns, coalesce(before_ns, start_ns)), 0)), 0) AS used
        FROM ordered"""
    used: float | None = rows(dataset, query)[0]["used"]
    return used
