"""What an application fetched: transfers and flows with their link demand, as SQL.

A transfer counts when it is of the downlink, took time, and at most a tenth of the phone's bytes
meanwhile belonged to others: the queue is the bearer's, so above that only "not the bottleneck"
is a finding about the transfer (methods G3). Time runs from the first byte to the last (BT19
section 4.2), so that the pauses of a player between its segments are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._errors import UsageError
from airmile.store._definitions import LARGE_BYTES, LARGE_SIZE
from airmile.store._needs import MODEM, source
from airmile.store._rows import not_control
from airmile.study._radio import ESTIMATORS, bursts, busiest_phone

if TYPE_CHECKING:
    from airmile.dataset import Dataset

OTHERS_AT_MOST = 0.1
"""Share of the phone's bytes that may belong to other flows (methods G3)."""

FILE, SEGMENTS = "one transfer (file)", "several transfers (segments)"
"""What a flow carries: a file is fetched by one request, a video by one per segment."""

LACKING = f"no downlink flow of {LARGE_SIZE} or more with a link demand of its own"
HOW = f"{MODEM}; the log must cover the transfers"

_DEMAND = {
    "bursttracker": "link_demand_bursttracker_ratio",
    "joint": "link_demand_ratio",
}


def demanding(dataset: Dataset, estimator: str) -> str:
    """Return SQL with one row per transfer whose link demand an estimator gave."""
    if estimator not in ESTIMATORS:
        raise UsageError(
            f"no estimator {estimator!r}", f"the estimators are {' and '.join(ESTIMATORS)}"
        )
    ratio = _DEMAND[estimator]
    rows = source(
        dataset, "transfers", "transfer_id", "uid", "direction", "boundary", "control",
        "request_ns", "first_byte_ns", "end_ns", "bytes", "other_bytes_ratio", ratio,
    )  # fmt: skip
    flows = source(dataset, "flows", "uid", "session_id", "server_port")
    return f"""(
        SELECT run, uid, transfer_id, server_port, request_ns, first_byte_ns, end_ns, bytes,
            (end_ns - first_byte_ns) / 1e9 AS seconds,
            {ratio} AS demand, {ratio} * (end_ns - first_byte_ns) / 1e9 AS busy_s,
            bytes / (1 - coalesce(other_bytes_ratio, 0)) AS phone_bytes
        FROM {rows} JOIN {flows} USING (run, uid)
        WHERE direction = 'downlink' AND {not_control(dataset)} AND {ratio} IS NOT NULL
            AND end_ns > first_byte_ns
            AND coalesce(other_bytes_ratio, 0) <= {OTHERS_AT_MOST})"""


def applications(dataset: Dataset, estimator: str) -> str:
    """Return SQL with one row per large flow: its transfers together, as one of BT19's figure 6.

    Link throughput is all that the phone received in them over throughput time (methods G3).
    """
    return f"""(
        SELECT run, uid, any_value(server_port) AS server_port,
            CASE count(*) WHEN 1 THEN '{FILE}' ELSE '{SEGMENTS}' END AS application,
            count(*) AS transfers, sum(bytes)::BIGINT AS bytes, sum(seconds) AS seconds,
            '{estimator}' AS estimator, sum(busy_s) AS throughput_time_s,
            sum(busy_s) / sum(seconds) AS link_demand_ratio,
            CASE WHEN sum(busy_s) > 0 THEN sum(phone_bytes) * 8 / sum(busy_s) END
                AS link_throughput_bps
        FROM {demanding(dataset, estimator)} GROUP BY run, uid
        HAVING sum(bytes) >= {LARGE_BYTES})"""


def port_class(column: str = "server_port") -> str:
    """Return SQL for the ports that middleboxes treat alike (BT19 section 4.5)."""
    return f"CASE WHEN {column} IN (80, 443) THEN {column}::VARCHAR ELSE 'other' END"


def bursts_of_transfers(dataset: Dataset, estimator: str) -> str:
    """Return SQL with the bursts that begin within a transfer, numbered from 1, cut at its end.

    From the request on: at the phone the first block of a burst is older than the first byte. What
    a burst brings behind the transfer is of another: its bytes are shared out by time.
    """
    within = """CASE WHEN burst.end_ns > transfer.end_ns
        THEN (transfer.end_ns - burst.start_ns) / (burst.end_ns - burst.start_ns) ELSE 1 END"""
    return f"""(
        SELECT transfer.*, burst.start_ns AS burst_start_ns,
            throughput_time_ms * ({within}) AS throughput_time_ms,
            round(burst.bytes * ({within}))::BIGINT AS burst_bytes,
            row_number() OVER (PARTITION BY transfer.run, transfer_id ORDER BY start_ns) AS number
        FROM {demanding(dataset, estimator)} AS transfer
        JOIN {busiest_phone(dataset)} AS phone USING (run)
        JOIN {bursts(dataset, estimator)} AS burst
            ON burst.run = transfer.run AND burst."user" = phone."user"
            AND burst.start_ns >= request_ns AND burst.start_ns < transfer.end_ns)"""
