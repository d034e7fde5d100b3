"""Grants and buffer reports of the firmware, from a modem log or from a testbed's truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from airmile.store._needs import Missing, has, source
from airmile.store._remedies import MODEM
from airmile.uplink.curve import Curve
from airmile.uplink.occupancy import UNKNOWN, Reports

if TYPE_CHECKING:
    from airmile.store import Tables


@dataclass(frozen=True)
class Firmware:
    """The grants and buffer reports of the firmware."""

    dequeued: Curve
    reports: Reports
    source: str
    """``exact``, ``bsr``, or ``truth``."""
    padding_known_ratio: float
    """Share of the grants whose padding is known."""
    admitted: Curve | None = None
    """The bytes that have entered the firmware, if the capture is above the Qdisc.

    This is so in the testbed, whose Qdisc is part of the link. `reports` are then the sum of both
    queues.
    """


def firmware(dataset: Tables) -> Firmware:
    """Read grants and reports from the tables of the modem, or from the truth of a testbed run.

    Raises
    ------
    Missing
        The dataset has neither of them.
    """
    if has(dataset, "truth_ttis"):
        return _of_truth(dataset)
    if has(dataset, "buffer_status"):
        return _of_modem(dataset)
    raise Missing(f"{dataset.path}: no rows in the table 'buffer_status'", MODEM)


def _of_modem(dataset: Tables) -> Firmware:
    blocks = source(
        dataset, "ttis", "time_ns", "user", "direction", "tbs_bytes", "padding_bytes",
        "retransmission",
    )  # fmt: skip
    # First transmissions only: a HARQ retransmission serves no new bytes (methods G8).
    grants = dataset.arrow(f"""
        WITH sent AS (FROM {blocks} WHERE direction = 'uplink' AND tbs_bytes IS NOT NULL
            AND retransmission IS NOT TRUE),
        phone AS (SELECT arg_max("user", carried) AS "user" FROM (
            SELECT "user", sum(tbs_bytes) AS carried FROM sent GROUP BY "user"))
        SELECT "user", time_ns, greatest(tbs_bytes - coalesce(padding_bytes, 0), 0) AS bytes,
            padding_bytes IS NOT NULL AS padding_known
        FROM sent JOIN phone USING ("user") ORDER BY time_ns""")
    if grants.num_rows == 0:
        raise Missing(
            f"{dataset.path}: no uplink block with a size in the table 'ttis'",
            "log PUSCH or uplink transport blocks too (0xB139, 0xB064)",
        )
    user = grants["user"][0].as_py()
    reports, exact = _reports(dataset, user)
    known = np.mean(numbers(grants, "padding_known"))
    return Firmware(
        Curve.of(numbers(grants, "time_ns"), numbers(grants, "bytes")),
        reports,
        "exact" if exact else "bsr",
        float(known),
    )


def _reports(dataset: Tables, user: int) -> tuple[Reports, bool]:
    """Return the exact queue if it is logged, else levels summed over logical channel groups."""
    rows = source(
        dataset, "buffer_status", "time_ns", "user", "low_bytes", "high_bytes",
        "firmware_queue_bytes",
    )  # fmt: skip
    exact = dataset.arrow(f"""
        SELECT time_ns, max(firmware_queue_bytes) AS low, max(firmware_queue_bytes) AS high
        FROM {rows} WHERE "user" = {user} AND firmware_queue_bytes IS NOT NULL
        GROUP BY time_ns ORDER BY time_ns""")
    if exact.num_rows:
        return _as_reports(exact), True
    levels = dataset.arrow(f"""
        SELECT time_ns, sum(low_bytes)::BIGINT AS low,
            CASE WHEN count(high_bytes) = count(*) THEN sum(high_bytes)::BIGINT
                ELSE {UNKNOWN} END AS high
        FROM {rows} WHERE "user" = {user} AND low_bytes IS NOT NULL
        GROUP BY time_ns ORDER BY time_ns""")
    if levels.num_rows == 0:
        raise Missing(f"{dataset.path}: no buffer report of the phone that sent", MODEM)
    return _as_reports(levels), False


def _of_truth(dataset: Tables) -> Firmware:
    """Read the queues of the testbed's link at the start of each millisecond."""
    rows = source(
        dataset, "truth_ttis", "time_ns", "direction", "queue_bytes", "qdisc_bytes",
        "served_bytes",
    )  # fmt: skip
    truth = dataset.arrow(f"""
        SELECT time_ns, queue_bytes, served_bytes, queue_bytes + coalesce(qdisc_bytes, 0) AS low,
            low AS high
        FROM {rows} WHERE direction = 'uplink' ORDER BY time_ns""")
    if truth.num_rows == 0:
        raise Missing(f"{dataset.path}: no uplink in the table 'truth_ttis'", MODEM)
    times, took = numbers(truth, "time_ns"), numbers(truth, "served_bytes")
    served = Curve.of(times, took)
    starts = _as_reports(truth)
    # `queue_bytes` is the queue before the bytes of its millisecond are served.
    admitted = np.maximum.accumulate(served.totals - took + numbers(truth, "queue_bytes"))
    return Firmware(
        served, Reports(times - 1, starts.low, starts.high), "truth", 1.0, Curve(times, admitted)
    )


def _as_reports(rows: pa.Table) -> Reports:
    return Reports(numbers(rows, "time_ns"), numbers(rows, "low"), numbers(rows, "high"))


def numbers(rows: pa.Table, column: str) -> Any:
    """Return a column as an array."""
    return rows[column].combine_chunks().to_numpy(zero_copy_only=False)
