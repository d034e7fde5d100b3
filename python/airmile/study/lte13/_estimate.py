"""The bandwidth of a link, from the time in which the receive window was open (methods E4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airmile.store import _sql
from airmile.store._needs import source

if TYPE_CHECKING:
    from airmile.store import Tables

WINDOW_NS = 250_000_000
"""The length of a window, of which the sample nearest its centre counts (methods E4)."""

READER = ("receive_window", "receiver_app")
"""The causes of slices in which the reader decides when the next ACK comes."""


def while_open(dataset: Tables, flow: dict[str, Any]) -> float | None:
    """Return the mean bandwidth in bps over windows with a sample; None without any.

    Samples that overlap a slice whose cause is the reader are left out: they show its rate.

    Parameters
    ----------
    dataset : Tables
        The dataset of the flow.
    flow : dict
        `run`, `uid`, `first_ns` (the first downlink payload) and `bandwidth_source`, which is
        None if the flow has no samples.
    """
    samples = source(
        dataset, "bandwidth_samples", "uid", "direction", "time_ns", "span_s", "bandwidth_bps",
        "source",
    )  # fmt: skip
    slices = source(dataset, "slices", "uid", "cause", "start_ns", "end_ns")
    if flow["bandwidth_source"] is None:
        return None
    rule = _sql.literal(flow["bandwidth_source"])
    causes = ", ".join(map(_sql.literal, READER))
    (row,) = dataset.records(f"""
        WITH sample AS (
            SELECT time_ns, bandwidth_bps, span_s * 5e8 AS half_ns,
                (time_ns - {flow["first_ns"]}) // {WINDOW_NS} AS number
            FROM {samples}
            WHERE {_of(flow)} AND direction = 'downlink' AND source = {rule}),
        reader AS (SELECT start_ns, end_ns FROM {slices} WHERE {_of(flow)} AND cause IN ({causes})),
        link AS (
            FROM sample ANTI JOIN reader
            ON time_ns + half_ns > start_ns AND time_ns - half_ns < end_ns)
        SELECT avg(nearest) AS bps FROM (
            SELECT arg_min(bandwidth_bps, abs(
                time_ns - {flow["first_ns"]} - (number + 0.5) * {WINDOW_NS})) AS nearest
            FROM link GROUP BY number)""")
    bps: float | None = row["bps"]
    return bps


def _of(flow: dict[str, Any]) -> str:
    return f"run = {_sql.literal(flow['run'])} AND uid = {flow['uid']}"
