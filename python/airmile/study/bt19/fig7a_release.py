"""Figure 7a: how fast the server sends a segment, and how long the link takes to deliver it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from airmile._words import rate, seconds
from airmile.store._needs import some, source
from airmile.store._remedies import TRUTH
from airmile.study._exhibit import Exhibit, Finding
from airmile.study.bt19 import _clips

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

BIN_MS = 25
"""The width of a bin: the time in which the server of the paper sends a segment."""

MOST = 0.9
"""The share of the bytes whose time is compared at both ends of the queue."""

SENT, DELIVERED = "sent, at the base station", "delivered to the phone"


def table(dataset: Tables) -> pa.Table:
    """Return one row per 25 ms: the bytes that reached the queue, and those the phone received.

    The segment is the one that came to the base station most suddenly: the largest part of its
    bytes within 25 ms. The bytes that reached the queue in a millisecond are the growth of the
    queue plus the bytes that were served.
    """
    segments = _clips.segments(dataset)
    truth = source(dataset, "truth_ttis", "time_ns", "direction", "queue_bytes", "served_bytes")
    rows = dataset.arrow(f"""
        WITH ms AS (
            SELECT run, time_ns, served_bytes, greatest(0, served_bytes + lead(queue_bytes)
                OVER (PARTITION BY run ORDER BY time_ns) - queue_bytes) AS arrived_bytes
            FROM {truth} WHERE direction = 'downlink'),
        bin AS (
            SELECT run, trial, segment, (time_ns - start_ns) // ({BIN_MS} * 1000000) AS place,
                sum(arrived_bytes)::BIGINT AS arrived_bytes,
                sum(served_bytes)::BIGINT AS served_bytes
            FROM ms JOIN {segments} AS segment USING (run)
            WHERE time_ns BETWEEN start_ns AND end_ns GROUP BY ALL),
        steepest AS (
            SELECT run, trial, segment FROM bin GROUP BY ALL HAVING sum(arrived_bytes) > 0
            ORDER BY max(arrived_bytes) / sum(arrived_bytes) * sqrt(sum(arrived_bytes)) DESC,
                run, trial, segment LIMIT 1)
        SELECT run, trial, segment, place * {BIN_MS} AS time_ms, arrived_bytes, served_bytes
        FROM bin JOIN steepest USING (run, trial, segment) ORDER BY time_ms""")
    return some(rows, f"{dataset.path}: {_clips.LACKING}", f"{TRUTH}, as bt19_ports")


def findings(rows: pa.Table) -> list[Finding]:
    """Return how long 90 % of the segment took on either side, and the highest rates."""
    found = []
    for column, name, published in (
        ("arrived_bytes", SENT, "25 ms"), ("served_bytes", DELIVERED, "700 ms")
    ):  # fmt: skip
        most = pc.max(rows[column]).as_py() * 8e3 / BIN_MS
        found += [
            Finding(f"90 % of the bytes {name} within", _spread(rows, column), published),
            Finding("  highest rate in 25 ms", rate(most)),
        ]
    return found


def _spread(rows: pa.Table, column: str) -> str:
    """Return the shortest time within which 90 % of the bytes passed."""
    passed = rows[column].to_pylist()
    times = rows["time_ms"].to_pylist()
    shortest: float | None = None
    for first in range(len(passed)):
        total = 0
        for last in range(first, len(passed)):
            total += passed[last]
            if total >= MOST * sum(passed):
                long_ms = times[last] - times[first] + BIN_MS
                shortest = long_ms if shortest is None else min(shortest, long_ms)
                break
    return "unknown" if shortest is None else seconds(shortest / 1e3)


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw the throughput in each bin on both sides of the queue."""
    from airmile.study import _style

    panels = figure.subplots(2, 1, sharex=True)
    for place, (axes, column, name) in enumerate(
        zip(panels, ("arrived_bytes", "served_bytes"), (SENT, DELIVERED), strict=True)
    ):
        axes.bar(
            rows["time_ms"].to_pylist(),
            [each * 8e-3 / BIN_MS for each in rows[column].to_pylist()], BIN_MS, align="edge",
            color=_style.SERIES[place], linewidth=0, label=name,
        )  # fmt: skip
        _style.plain(axes, "", "Mbps")
        _style.legend(axes)
    panels[-1].set_xlabel(f"time since the request (ms), bins of {BIN_MS} ms")


fig7a = Exhibit(
    "bt19", "fig7a", "section 4.3", "A segment as it is sent, and as the phone gets it",
    table, findings, picture,
    caption=(
        "Throughput of the segment of a video that was sent most suddenly, in bins of 25 ms: as "
        "it reached the base station, above what the phone was served; each has a scale of its "
        "own. Where the upper part is short and the lower one long, the link is the bottleneck "
        "(methods H5)."
    ),
    apart=None,
)  # fmt: skip
