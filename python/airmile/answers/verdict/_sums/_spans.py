"""Spans of a flow, by SQL: the longest one of each cause, and those of extreme values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airmile.store._needs import existing, nullable
from airmile.store._rows import BIN, BIN_NS, judged_slices, rows

if TYPE_CHECKING:
    from airmile.store import Tables

_COLUMNS = (
    *("uid", "transfer_id", "direction", "start_ns", "end_ns", "cause", "reason"),
    *("first_frame", "last_frame", "rto_wait_ms"),
)

_OF_BINS = (
    *("uid", "direction", "start_ns", "end_ns", "first_frame", "last_frame"),
    *("rtt_ms", "retransmissions"),
)

_SHOWN = ("start_ns", "end_ns", "first_frame", "last_frame", "direction")


def spans(dataset: Tables, uids: str) -> dict[int, dict[str, dict[str, Any]]]:
    """Return the spans of each flow by key: a cause, the column of an extreme, or ``flow``."""
    by_flow: dict[int, dict[str, dict[str, Any]]] = {}
    for query in (_of_causes, _of_timeouts, _of_bins, _of_flows):
        for row in rows(dataset, query(dataset, uids)):
            if None in (row["start_ns"], row["end_ns"], row["what"], row["direction"]):
                continue  # airmile writes no such slice, but an untrusted dataset may contain one.
            span = {name: row[name] for name in _SHOWN}
            by_flow.setdefault(row["uid"], {})[row["what"]] = span
    return by_flow


def _of_causes(dataset: Tables, uids: str) -> str:
    """Return SQL for the longest run of slices of each flow and cause.

    After a step of the clock several slices may begin and end together.
    """
    return f"""WITH placed AS (
            SELECT *, row_number() OVER (PARTITION BY uid, direction
                ORDER BY start_ns, end_ns, transfer_id, cause, first_frame NULLS FIRST,
                    last_frame NULLS FIRST) AS place
            FROM ({_slices(dataset, uids)})),
        marked AS (
            SELECT *, (lag(cause) OVER inside IS DISTINCT FROM cause
                OR lag(end_ns) OVER inside < start_ns)::INTEGER AS begins
            FROM placed WINDOW inside AS (PARTITION BY uid, direction ORDER BY place)),
        numbered AS (
            SELECT *, sum(begins) OVER (PARTITION BY uid, direction ORDER BY place
                ROWS UNBOUNDED PRECEDING) AS run FROM marked),
        runs AS (
            SELECT uid, direction, cause AS what, sum(weight)::DOUBLE AS size,
                min(start_ns) AS start_ns,
                max(end_ns) AS end_ns, min(first_frame) AS first_frame,
                max(last_frame) AS last_frame
            FROM numbered GROUP BY uid, direction, cause, run)
        {_LARGEST.format(rows="runs")}"""


def _of_timeouts(dataset: Tables, uids: str) -> str:
    """Return SQL for the slice with the longest wait for a timer."""
    return _LARGEST.format(
        rows=f"""(SELECT uid, 'rto_wait_ms' AS what, rto_wait_ms AS size, start_ns, end_ns,
            first_frame, last_frame, direction
        FROM ({_slices(dataset, uids)}) WHERE rto_wait_ms > 0)"""
    )


def _of_bins(dataset: Tables, uids: str) -> str:
    """Return SQL for the places of the largest RTT and of most retransmissions, by direction.

    Slices repeat what is counted by bin, and of RTTs a bin keeps only the last one. So the place is
    that of all slices of the bin, and the largest RTT of a flow may have none.
    """
    return f"""WITH placed AS (
            SELECT *, {BIN} AS bin, CASE direction WHEN 'uplink' THEN 'ul' ELSE 'dl' END AS way
            FROM (SELECT {existing(dataset, "slices", _OF_BINS)} FROM slices)
            WHERE uid IN ({uids})),
        extremes AS (
            SELECT uid, direction, way || '_retransmissions' AS what,
                retransmissions::DOUBLE AS size, bin FROM placed WHERE retransmissions > 0
            UNION ALL
            SELECT uid, direction, way || '_rtt_max_ms' AS what, rtt_ms AS size, bin
            FROM placed JOIN {nullable(dataset, "flows", "uid", *_RTT_MAX)} USING (uid)
            WHERE rtt_ms > 0
                AND rtt_ms = CASE way WHEN 'ul' THEN ul_rtt_max_ms ELSE dl_rtt_max_ms END),
        largest AS (
            SELECT * FROM extremes QUALIFY row_number()
                OVER (PARTITION BY uid, what ORDER BY size DESC, bin) = 1)
        SELECT largest.uid, what, min(start_ns) AS start_ns, max(end_ns) AS end_ns,
            min(first_frame) AS first_frame, max(last_frame) AS last_frame,
            min(placed.direction) AS direction
        FROM largest JOIN placed ON placed.uid = largest.uid
            AND start_ns < (largest.bin + 1) * {BIN_NS}
            AND (end_ns > largest.bin * {BIN_NS} OR start_ns >= largest.bin * {BIN_NS})
        GROUP BY largest.uid, what"""


_RTT_MAX = ("dl_rtt_max_ms", "ul_rtt_max_ms")


def _of_flows(dataset: Tables, uids: str) -> str:
    """Return SQL for the span of each flow's slices."""
    return f"""SELECT uid, 'flow' AS what, min(start_ns) AS start_ns, max(end_ns) AS end_ns,
            min(first_frame) AS first_frame, max(last_frame) AS last_frame,
            min(direction) AS direction
        FROM ({_slices(dataset, uids)}) GROUP BY uid"""


_LARGEST = """SELECT * FROM {rows} QUALIFY row_number()
    OVER (PARTITION BY uid, what ORDER BY size DESC, start_ns, direction, end_ns,
        first_frame NULLS FIRST, last_frame NULLS FIRST) = 1"""
"""SQL for the largest row; of equally large ones the first by all columns shown."""


def _slices(dataset: Tables, uids: str) -> str:
    columns = existing(dataset, "slices", _COLUMNS)
    return f"SELECT {columns}, weight FROM ({judged_slices(dataset)}) WHERE uid IN ({uids})"
