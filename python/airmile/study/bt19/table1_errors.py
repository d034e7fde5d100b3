"""Table 1: the error of throughput time against the base station's truth.

As in the paper, the burst rule is compared with Active Time, which counts only the scheduled
milliseconds. The truth is that of the testbed's link (`truth_ttis`): the milliseconds in state
ACTIVE or CONTENTION between the first and the last byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._words import percent
from airmile.store._definitions import LARGE_BYTES, LARGE_SIZE
from airmile.store._needs import some, source
from airmile.store._remedies import MODEM
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._notes import with_notes
from airmile.study._radio import ESTIMATORS, busiest_phone, scheduled
from airmile.study._transfers import FILE, SEGMENTS, at_phone, demanding, timing

if TYPE_CHECKING:
    from airmile.store import Tables

PUBLISHED = {
    (FILE, "throughput_time"): "83.3 / 94.1 / 98.4 %",
    (FILE, "bursttracker_error"): "4.3 / 7.2 / 12.1 %",
    (FILE, "active_time_error"): "50.8 / 60.2 / 66.9 %",
    (SEGMENTS, "throughput_time"): "62.3 / 73.4 / 82.2 %",
    (SEGMENTS, "bursttracker_error"): "3.1 / 6.9 / 15.2 %",
    (SEGMENTS, "active_time_error"): "54.6 / 59.9 / 65.9 %",
}

_SPOKEN = {
    "throughput_time": "throughput time, of application time",
    "bursttracker_error": "error of the burst rule",
    "joint_error": "error of the joint estimator",
    "active_time_error": "error of Active Time",
}


def table(dataset: Tables) -> pa.Table:
    """Return one row per kind of application and quantity: its quartiles over large flows."""
    dataset = at_phone(dataset)
    rows = dataset.arrow(f"""
        SELECT application, quantity, count(*) AS flows,
            quantile_cont(ratio, 0.25) AS p25_ratio, quantile_cont(ratio, 0.5) AS p50_ratio,
            quantile_cont(ratio, 0.75) AS p75_ratio
        FROM (UNPIVOT {errors(dataset)} ON {", ".join(_SPOKEN)} INTO NAME quantity VALUE ratio)
        GROUP BY application, quantity
        ORDER BY application, list_position({list(_SPOKEN)}, quantity)""")
    return with_notes(
        some(rows, f"{dataset.path}: no flow of {LARGE_SIZE} or more with a link demand", MODEM),
        timing(dataset),
    )


def errors(dataset: Tables) -> str:
    """Return SQL with one row per large flow: throughput time, and the error of each estimate."""
    estimates = " UNION ALL ".join(
        f"SELECT run, uid, transfer_id, '{name}' AS estimator, busy_s FROM {rows}"
        for name, rows in ((name, demanding(dataset, name)) for name in ESTIMATORS)
    )
    truth = source(dataset, "truth_ttis", "time_ns", "direction", "state")
    return f"""(
        WITH transfer AS (FROM {demanding(dataset, "bursttracker")}),
        busy AS (SELECT run, time_ns FROM {truth}
            WHERE direction = 'downlink' AND state IN ('ACTIVE', 'CONTENTION')),
        active AS (SELECT run, time_ns
            FROM {scheduled(dataset)} JOIN {busiest_phone(dataset)} USING (run, "user")),
        times AS (
            SELECT run, uid, transfer_id, seconds, bytes,
                (SELECT count(*) FROM busy WHERE busy.run = transfer.run
                    AND busy.time_ns BETWEEN first_byte_ns AND end_ns - 1) / 1e3 AS truth_s,
                (SELECT count(*) FROM active WHERE active.run = transfer.run
                    AND active.time_ns BETWEEN first_byte_ns AND end_ns - 1) / 1e3 AS active_s
            FROM transfer),
        estimate AS (PIVOT ({estimates}) ON estimator IN ('bursttracker', 'joint')
            USING sum(busy_s) GROUP BY run, uid, transfer_id)
        SELECT run, uid, CASE count(*) WHEN 1 THEN '{FILE}' ELSE '{SEGMENTS}' END AS application,
            sum(truth_s) / sum(seconds) AS throughput_time,
            abs(sum(bursttracker) - sum(truth_s)) / nullif(sum(truth_s), 0) AS bursttracker_error,
            CASE WHEN count(joint) = count(*) THEN
                abs(sum(joint) - sum(truth_s)) / nullif(sum(truth_s), 0) END AS joint_error,
            abs(sum(active_s) - sum(truth_s)) / nullif(sum(truth_s), 0) AS active_time_error
        FROM times JOIN estimate USING (run, uid, transfer_id)
        GROUP BY run, uid HAVING sum(bytes) >= {LARGE_BYTES})"""


def findings(rows: pa.Table) -> list[Finding]:
    """Return the quartiles in the form of the paper: 25, 50 and 75 %."""
    found = []
    for row in rows.to_pylist():
        quartiles = " / ".join(percent(row[f"p{q}_ratio"]).rstrip(" %\u00a0") for q in (25, 50, 75))
        if row["quantity"] == "throughput_time":
            found.append(Finding(f"{row['application']}: flows", str(row["flows"]), "100"))
        published = PUBLISHED.get((row["application"], row["quantity"]), "")
        found.append(Finding(f"  {_SPOKEN[row['quantity']]}", f"{quartiles} %", published))
    return found


table1 = Exhibit(
    "bt19", "table1", "section 3.4.1", "Error of throughput time", table, findings, burst_rule=True,
    caption=(
        "Quartiles of the error of throughput time, which is the time in which the link held "
        "data of the transfer, against the truth of the emulated base station. Active Time "
        "counts only the milliseconds in which the phone was scheduled; the joint estimator, "
        "which the paper does not have, also uses the phone's capture (methods G3)."
    ),
    apart=None,
)  # fmt: skip
