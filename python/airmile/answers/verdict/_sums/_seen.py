"""What was in flight and what was retransmitted while each cause limited a flow, by SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile.store._needs import existing
from airmile.store._rows import BIN, judged_slices, rows

if TYPE_CHECKING:
    from airmile.store import Tables

NAMES = ("in_flight_bytes", "retransmitted")

_COLUMNS = ("uid", "cause", "direction", "start_ns", "in_flight_bytes", "retransmissions")


def by_cause(dataset: Tables, uids: str) -> dict[str, dict[int, dict[str, int]]]:
    """Return by name, flow and cause what its slices show; values of 0 are left out.

    They are those in the direction with most of the cause's time: the most bytes in flight at the
    end of a slice, and the retransmissions, which slices of the same bin repeat.
    """
    found: dict[str, dict[int, dict[str, int]]] = {name: {} for name in NAMES}
    for row in rows(dataset, _query(dataset, uids)):
        for name in NAMES:
            if (row[name] or 0) > 0:
                found[name].setdefault(row["uid"], {})[row["cause"]] = row[name]
    return found


def _query(dataset: Tables, uids: str) -> str:
    return f"""WITH held AS (
            SELECT {existing(dataset, "slices", _COLUMNS)}, weight, {BIN} AS bin
            FROM ({judged_slices(dataset)}) WHERE uid IN ({uids}) AND weight > 0),
        of_bins AS (
            SELECT uid, cause, direction, bin, sum(weight) AS ns, max(in_flight_bytes) AS flight,
                max(retransmissions) AS again
            FROM held GROUP BY ALL),
        ways AS (
            SELECT uid, cause, direction, sum(ns) AS ns, max(flight) AS in_flight_bytes,
                sum(again)::BIGINT AS retransmitted
            FROM of_bins GROUP BY ALL)
        SELECT * FROM ways QUALIFY row_number()
            OVER (PARTITION BY uid, cause ORDER BY ns DESC, direction) = 1"""
