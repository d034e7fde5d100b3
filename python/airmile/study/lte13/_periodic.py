"""Requests of a phone to one service, and how regular they are (methods F2), as SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile.store._needs import source
from airmile.store._rows import not_control

if TYPE_CHECKING:
    from airmile.dataset import Dataset

LEAST_REQUESTS = 4
"""Three intervals are the least of which one can be said to be like the others; our choice."""

NEAR = 0.1
"""An interval is regular if it is this near to the median, as a share of it; our choice."""


def requests(dataset: Dataset) -> str:
    """Return SQL with one row per request: `run, ue, service, uid, request_ns, end_ns, bytes`.

    Requests are downlink transfers that are no small calls (methods T1). The service is the
    server's name, or else its address.
    """
    transfers = source(
        dataset, "transfers", "uid", "direction", "boundary", "control", "request_ns", "end_ns",
        "bytes",
    )  # fmt: skip
    flows = source(dataset, "flows", "uid", "ue", "ue_port", "server", "server_name")
    return f"""(
        SELECT run, ue, coalesce(server_name, server) AS service, uid, ue_port, request_ns, end_ns,
            bytes
        FROM {transfers} JOIN {flows} USING (run, uid)
        WHERE direction = 'downlink' AND {not_control(dataset)} AND request_ns IS NOT NULL)"""


def periodic(dataset: Dataset) -> str:
    """Return SQL with one row per phone and service of `LEAST_REQUESTS` requests or more.

    `period_s` is the mean interval between the starts of successive requests, `regularity_ratio`
    the share of intervals that are near to the median, `requests_per_connection` the reuse.
    """
    return f"""(
        WITH request AS (
            SELECT *, (request_ns - lag(request_ns) OVER (
                PARTITION BY run, ue, service ORDER BY request_ns, uid)) / 1e9 AS interval_s
            FROM {requests(dataset)}),
        middle AS (
            SELECT *, median(interval_s) OVER (PARTITION BY run, ue, service) AS median_s
            FROM request)
        SELECT run, ue, service, avg(interval_s) AS period_s,
            avg((abs(interval_s - median_s) <= {NEAR} * median_s)::INT) AS regularity_ratio,
            count(*) AS requests, count(*) / count(DISTINCT uid) AS requests_per_connection,
            sum(bytes)::BIGINT AS bytes, min(bytes) AS least_bytes, max(bytes) AS most_bytes
        FROM middle GROUP BY run, ue, service HAVING count(*) >= {LEAST_REQUESTS})"""
