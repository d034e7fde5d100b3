"""Spans of a flow, by SQL: the longest one of each cause, and those of extreme values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airmile.store._needs import existing
from airmile.store._rows import judged_slices, rows

if TYPE_CHECKING:
    from airmile.dataset import Dataset

_COLUMNS = (
    *("uid", "transfer_id", "direction", "start_ns", "end_ns", "cause", "reason"),
    *("first_frame", "last_frame", "rtt_ms", "retransmissions", "rto_wait_ms"),
)


_SHOWN = ("start_ns", "end_ns", "first_frame", "last_frame", "direction")


def spans(dataset: Dataset, uids: str) -> dict[int, dict[str, dict[str, Any]]]:
    """Return the spans of each flow by key: a cause, the column of an extreme, or ``flow``."""
    by_flow: dict[int, dict[str, dict[str, Any]]] = {}
    for query in (_of_causes, _of_extremes, _of_flows):
        for row in rows(dataset, query(dataset, uids)):
            if None in (row["start_ns"], row["end_ns"], row["what"], row["direction"]):
                continue  # airmile writes no such slice, but an untrusted dataset may contain one.
            span = {name: row[name] for name in _SHOWN}
            by_flow.setdefault(row["uid"], {})[row["what"]] = span
    return by_flow


def _of_causes(dataset: Dataset, uids: str) -> str:
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


def _of_extremes(dataset: Dataset, uids: str) -> str:
    """Return SQL for the slices with the longest RTT, most retransmissions, longest timeout."""
    slices = _slices(dataset, uids)
    extremes = " UNION ALL ".join(
        f"""SELECT uid, '{name}' AS what, {name} AS size, start_ns, end_ns, first_frame,
            last_frame, direction FROM ({slices}) WHERE {name} > 0"""
        for name in ("rtt_ms", "retransmissions", "rto_wait_ms")
    )
    return _LARGEST.format(rows=f"({extremes})")


def _of_flows(dataset: Dataset, uids: str) -> str:
    """Return SQL for the span of each flow's slices."""
    return f"""SELECT uid, 'flow' AS what, min(start_ns) AS start_ns, max(end_ns) AS end_ns,
            min(first_frame) AS first_frame, max(last_frame) AS last_frame,
            min(direction) AS direction
        FROM ({_slices(dataset, uids)}) GROUP BY uid"""


_LARGEST = """SELECT * FROM {rows} QUALIFY row_number()
    OVER (PARTITION BY uid, what ORDER BY size DESC, start_ns, direction, end_ns,
        first_frame NULLS FIRST, last_frame NULLS FIRST) = 1"""
"""SQL for the largest row; of equally large ones the first by all columns shown."""


def _slices(dataset: Dataset, uids: str) -> str:
    columns = existing(dataset, "slices", _COLUMNS)
    return f"SELECT {columns}, weight FROM ({judged_slices(dataset)}) WHERE uid IN ({uids})"
