"""Sums over the judged transfers, by SQL; the weight of a slice is its length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airmile.store._needs import absent
from airmile.store._rows import judged, judged_slices, rows

if TYPE_CHECKING:
    from airmile.store import Tables

WHOLE = 10**9
"""The factor by which a share is made an integer before it is added up, so that sums are exact."""

LATEST = "(end_ns, start_ns, coalesce(transfer_id, 0), in_flight_bytes)"
"""SQL of the order of slices by time; after a step of the clock several may end together."""


def judged_sums(dataset: Tables) -> dict[str, Any]:
    """Return times by cause and reason, and the evidence that decided the causes."""
    return {
        "time_ns": _by(dataset, "cause", "true"),
        "named_ns": _named(dataset),
        "uplink_ns": _by(dataset, "cause", "direction = 'uplink'"),
        "reasons_ns": _by(dataset, "reason", "cause = 'undetermined' AND reason <> ''"),
        "sources": _sources(dataset),
    }


def _by(dataset: Tables, column: str, condition: str) -> dict[str, int]:
    query = f"""SELECT {column} AS word, sum(weight) AS ns FROM ({judged_slices(dataset)})
        WHERE {condition} GROUP BY {column}"""
    return {row["word"]: row["ns"] for row in rows(dataset, query)}


NAMED = "CASE WHEN certainty IS NULL THEN 'undetermined' ELSE concat_ws(',', cause, second) END"
"""SQL of the causes of a slice: its own, and the other ones that are possible.

Nothing is known of the slices of an older run beside newer ones.
"""


def _named(dataset: Tables) -> dict[str, int]:
    """Return the time by `NAMED`; empty for slices of an airmile that did not name other causes."""
    return {} if absent(dataset, "slices", ("certainty", "second")) else _by(dataset, NAMED, "true")


def _sources(dataset: Tables) -> list[str]:
    query = f"""SELECT DISTINCT cause_source FROM ({judged_slices(dataset)})
        WHERE cause_source IS NOT NULL"""
    found = {row["cause_source"] for row in rows(dataset, query)}
    return [source for source in ("tcp", "modem", "both") if source in found]


def calls(dataset: Tables) -> dict[str, Any] | None:
    """Return the number of the judged transfers and their median duration; None without any."""
    if absent(dataset, "transfers", ("request_ns", "end_ns")):
        return None
    query = f"""SELECT count(*) AS calls, median(end_ns - request_ns) / 1e9 AS median_s
        FROM transfers WHERE {judged(dataset)}"""
    row = rows(dataset, query)[0]
    return row if row["calls"] else None


def link_demand(dataset: Tables) -> float | None:
    """Return the share of the transfers' time in which the link had their data to send."""
    if absent(dataset, "transfers", ("link_demand_ratio",)):
        return None
    query = f"""SELECT sum(round(link_demand_ratio * {WHOLE}.0)::HUGEINT * ns) AS part,
            sum(ns) AS whole
        FROM (SELECT link_demand_ratio, end_ns - first_byte_ns AS ns FROM transfers)
        WHERE link_demand_ratio IS NOT NULL AND ns > 0"""
    row = rows(dataset, query)[0]
    return row["whole"] and float(row["part"]) / float(row["whole"]) / WHOLE
