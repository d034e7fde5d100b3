"""SQL of the cell measurements per second, and of downloads with SINR, cells and handovers.

The SINR of a second is the mean of the serving cell's measurements in that second, in dB, as a
phone reports it each second (methods G6). Blocks and downloads in seconds without a measurement are
left out; figures that depend on their number show it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile.store._definitions import LARGE_BYTES
from airmile.store._needs import Missing, has, source
from airmile.store._remedies import MODEM
from airmile.store._rows import not_control
from airmile.study._radio import phones

if TYPE_CHECKING:
    from airmile.store import Tables

BIN_DB = 5
"""Width of a bin of SINR in dB (HWY18 figures 4 and 9)."""

SINR = f"{MODEM}; the log needs measurements of the serving cell with SINR (0xB193)"


def sinr_by_second(dataset: Tables) -> str:
    """Return SQL with one row per phone, carrier and second that has a SINR."""
    rows = source(
        dataset, "cells", "time_ns", "user", "carrier", "serving", "sinr_db", "cell", "earfcn"
    )
    return f"""(
        SELECT run, "user", coalesce(carrier, 0) AS carrier, time_ns // 1000000000 AS second,
            avg(sinr_db) AS sinr_db
        FROM {rows} WHERE sinr_db IS NOT NULL AND serving IS NOT FALSE
        GROUP BY ALL)"""


def bin_of(column: str) -> str:
    """Return SQL for the lower edge of the bin that a SINR falls in."""
    return f"(floor({column} / {BIN_DB}) * {BIN_DB})::BIGINT"


def measured_phone(dataset: Tables) -> str:
    """Return SQL for the subscription of each run with most measurements of its serving cell."""
    rows = source(dataset, "cells", "user", "serving")
    return f"""(
        SELECT run, arg_max("user", measurements) AS "user" FROM (
            SELECT run, "user", count(*) AS measurements FROM {rows}
            WHERE serving IS NOT FALSE GROUP BY run, "user")
        GROUP BY run)"""


def downloads(dataset: Tables) -> str:
    """Return SQL with one row per large download: throughput, SINR, cells and handovers.

    Throughput is payload over the time from request to last byte. Distinct cells differ in physical
    cell identity or EARFCN. Handovers are those completed during the download (methods G7); their
    number is null if the log does not cover the download.
    """
    if not has(dataset, "cells"):
        raise Missing(f"{dataset.path}: no rows in the table 'cells'", SINR)
    cells = source(dataset, "cells", "time_ns", "user", "cell", "earfcn", "carrier", "serving")
    serving = "serving AND coalesce(carrier, 0) = 0"
    phone = phones(dataset, measured_phone(dataset))
    return f"""(
        WITH download AS (FROM {_large(dataset)}),
        phone AS (FROM {phone}),
        own AS (SELECT * FROM {cells} JOIN phone USING (run, "user")),
        logged AS (SELECT run, ue, min(time_ns) AS first_ns, max(time_ns) AS last_ns
            FROM own GROUP BY run, ue),
        sinr AS (
            SELECT run, transfer_id, avg(sinr_db) AS sinr_db
            FROM download JOIN phone USING (run, ue)
            JOIN {sinr_by_second(dataset)} AS measured USING (run, "user")
            WHERE carrier = 0 AND second BETWEEN request_ns // 1000000000 AND end_ns // 1000000000
            GROUP BY run, transfer_id),
        seen AS (
            SELECT run, transfer_id,
                count(DISTINCT (cell, earfcn)) FILTER ({serving}) AS serving_cells,
                count(DISTINCT (cell, earfcn)) AS detected_cells
            FROM download JOIN own USING (run, ue)
            WHERE cell IS NOT NULL AND time_ns BETWEEN request_ns AND end_ns
            GROUP BY run, transfer_id),
        moved AS (
            SELECT run, transfer_id, count(*) AS handovers
            FROM download JOIN phone USING (run, ue)
            JOIN {_handovers(dataset)} AS handover USING (run, "user")
            WHERE handover.end_ns BETWEEN request_ns AND download.end_ns
            GROUP BY run, transfer_id)
        SELECT download.*, sinr_db, {bin_of("sinr_db")} AS bin_db,
            nullif(serving_cells, 0) AS serving_cells, detected_cells,
            CASE WHEN request_ns >= first_ns - 1000000000 AND end_ns <= last_ns + 1000000000
                THEN coalesce(handovers, 0) ELSE handovers END AS handovers
        FROM download LEFT JOIN logged USING (run, ue) LEFT JOIN sinr USING (run, transfer_id)
        LEFT JOIN seen USING (run, transfer_id) LEFT JOIN moved USING (run, transfer_id))"""


def _large(dataset: Tables) -> str:
    transfers = source(
        dataset, "transfers", "transfer_id", "uid", "direction", "boundary", "control",
        "request_ns", "end_ns", "bytes",
    )  # fmt: skip
    flows = source(dataset, "flows", "uid", "ue", "ue_port", "server_port")
    return f"""(
        SELECT run, uid, ue, transfer_id, request_ns, end_ns, bytes,
            bytes * 8e9 / (end_ns - request_ns) AS throughput_bps,
            coalesce(cc, 'all') AS control
        FROM (SELECT * EXCLUDE (control) FROM {transfers} WHERE {not_control(dataset)})
        JOIN {flows} USING (run, uid)
        LEFT JOIN {controls(dataset)} AS sender
            USING (run, server_port, ue_port)
        WHERE direction = 'downlink' AND bytes >= {LARGE_BYTES} AND end_ns > request_ns)"""


def controls(dataset: Tables) -> str:
    """Return SQL for the congestion control of each flow; only runs of the testbed record it."""
    if not has(dataset, "truth_tcp"):
        return "(SELECT '' AS run, 0 AS server_port, 0 AS ue_port, NULL::VARCHAR AS cc WHERE false)"
    rows = source(dataset, "truth_tcp", "place", "local_port", "peer_port", "cc")
    return f"""(
        SELECT run, local_port AS server_port, peer_port AS ue_port, mode(cc) AS cc
        FROM {rows} WHERE place <> 'phone' AND cc IS NOT NULL
        GROUP BY run, local_port, peer_port)"""


def _handovers(dataset: Tables) -> str:
    """Return SQL for the completed handovers; re-establishments do not count (methods G7)."""
    rows = source(dataset, "handovers", "user", "start_ns", "end_ns", "kind")
    return f"""(
        SELECT run, "user", end_ns FROM {rows} WHERE kind = 'handover' AND end_ns IS NOT NULL)"""
