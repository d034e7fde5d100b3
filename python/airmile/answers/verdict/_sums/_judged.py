"""Sums over the judged transfers, by SQL; the weight of a slice is its length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airmile.store._needs import absent, contains
from airmile.store._rows import LENGTH_NS, judged, judged_slices, rows

if TYPE_CHECKING:
    from airmile.dataset import Dataset

WHOLE = 10**9
"""The factor by which a share is made an integer before it is added up, so that sums are exact."""

LATEST = "(end_ns, start_ns, coalesce(transfer_id, 0), in_flight_bytes)"
"""SQL of the order of slices by time; after a step of the clock several may end together."""

_NONE_LEFT = {"transfers": 0, "bytes": 0, "seconds": 0.0}


def judged_sums(dataset: Dataset) -> dict[str, Any]:
    """Return times by cause and reason, small calls, and transfers that are left out."""
    return {
        "small_calls": _small_calls(dataset),
        "time_ns": _by(dataset, "cause", "true"),
        "named_ns": _named(dataset),
        "uplink_ns": _by(dataset, "cause", "direction = 'uplink'"),
        "reasons_ns": _by(dataset, "reason", "cause = 'undetermined' AND reason <> ''"),
        "sources": _sources(dataset),
        "left_out": _left_out(dataset),
        "link_demand_ratio": _link_demand(dataset),
    }


def _by(dataset: Dataset, column: str, condition: str) -> dict[str, int]:
    query = f"""SELECT {column} AS word, sum(weight) AS ns FROM ({judged_slices(dataset)})
        WHERE {condition} GROUP BY {column}"""
    return {row["word"]: row["ns"] for row in rows(dataset, query)}


NAMED = "CASE WHEN certainty IS NULL THEN 'undetermined' ELSE concat_ws(',', cause, second) END"
"""SQL of the causes of a slice: its own, and the other ones that are possible.

Nothing is known of the slices of an older run beside newer ones.
"""


def _named(dataset: Dataset) -> dict[str, int]:
    """Return the time by `NAMED`; empty for slices of an airmile that did not name other causes."""
    return {} if absent(dataset, "slices", ("certainty", "second")) else _by(dataset, NAMED, "true")


def _sources(dataset: Dataset) -> list[str]:
    query = f"""SELECT DISTINCT cause_source FROM ({judged_slices(dataset)})
        WHERE cause_source IS NOT NULL"""
    found = {row["cause_source"] for row in rows(dataset, query)}
    return [source for source in ("tcp", "modem", "both") if source in found]


def _small_calls(dataset: Dataset) -> dict[str, Any] | None:
    if not dataset._small_calls:
        return None
    query = f"""SELECT count(*) AS calls, median(end_ns - request_ns) / 1e9 AS median_s
        FROM transfers WHERE {judged(dataset)}"""
    return rows(dataset, query)[0]


def _left_out(dataset: Dataset) -> dict[str, Any]:
    if not contains(dataset, "slices", "transfers"):
        return _NONE_LEFT
    query = f"""WITH others AS (FROM transfers WHERE NOT ({judged(dataset)}))
        SELECT count(*) AS transfers, coalesce(sum(bytes), 0) AS bytes,
            (SELECT coalesce(sum({LENGTH_NS}), 0) / 1e9 FROM slices
             SEMI JOIN others USING (uid, transfer_id)) AS seconds
        FROM others"""
    return rows(dataset, query)[0]


def _link_demand(dataset: Dataset) -> float | None:
    if absent(dataset, "transfers", ("link_demand_ratio",)):
        return None
    query = f"""SELECT sum(round(link_demand_ratio * {WHOLE}.0)::HUGEINT * ns) AS part,
            sum(ns) AS whole
        FROM (SELECT link_demand_ratio, end_ns - first_byte_ns AS ns FROM transfers)
        WHERE link_demand_ratio IS NOT NULL AND ns > 0"""
    row = rows(dataset, query)[0]
    return row["whole"] and float(row["part"]) / float(row["whole"]) / WHOLE
