"""Figure 7b: the PRBs of one transfer in each millisecond, with its bursts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._words import count, percent, seconds
from airmile.store._needs import some
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._radio import bursts, scheduled
from airmile.study._transfers import HOW, at_phone, bursts_of_transfers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

SPAN_MS = 1500
"""The time of the transfer that is shown, in ms; the transfer in the paper lasts 700 ms."""


def table(dataset: Tables, estimator: str = "bursttracker", span_ms: int = SPAN_MS) -> pa.Table:
    """Return one row per scheduled millisecond of the transfer with the most early bursts."""
    dataset, span_ns = at_phone(dataset), span_ms * 1_000_000
    rows = dataset.arrow(f"""
        WITH chosen AS (
            SELECT run, transfer_id, any_value("user") AS "user",
                any_value(server_port) AS server_port,
                any_value(request_ns) AS begin_ns,
                least(any_value(end_ns), any_value(request_ns) + {span_ns}) AS end_ns
            FROM {bursts_of_transfers(dataset, estimator)}
            WHERE burst_start_ns < request_ns + {span_ns}
            GROUP BY run, transfer_id ORDER BY count(*) DESC, run, transfer_id LIMIT 1)
        SELECT ms.run, transfer_id, server_port, ms."user", (time_ns - begin_ns) / 1e6 AS ms,
            share AS prb_share, (burst.start_ns - begin_ns) / 1e6 AS burst_begin_ms,
            CASE WHEN closed THEN (burst.end_ns - begin_ns) / 1e6 END AS burst_end_ms
        FROM {scheduled(dataset)} AS ms
        JOIN chosen ON ms.run = chosen.run AND ms."user" = chosen."user"
            AND time_ns BETWEEN begin_ns AND chosen.end_ns
        LEFT JOIN {bursts(dataset, estimator)} AS burst ON burst.run = ms.run
            AND burst."user" = ms."user" AND time_ns BETWEEN burst.start_ns AND burst.end_ns
        WHERE share IS NOT NULL ORDER BY ms""")
    return some(rows, f"{dataset.path}: no burst begins within a transfer", HOW)


def findings(rows: pa.Table) -> list[Finding]:
    """Return which shares of the time in the picture were scheduled and within bursts."""
    shown = rows.to_pylist()
    last = shown[-1]["ms"] + 1
    ends = {(row["burst_begin_ms"], row["burst_end_ms"]) for row in shown}
    bursts = [(begin, end) for begin, end in ends if begin is not None]
    return [
        Finding("port of the server", str(shown[0]["server_port"])),
        Finding("time shown", seconds(last / 1e3), "700 ms"),
        Finding("bursts", count(len(bursts)), "they grow"),
        Finding("scheduled", percent(len({row["ms"] for row in shown}) / last)),
        Finding("in bursts (throughput time)", percent(_covered_ms(bursts, last) / last)),
    ]


def _covered_ms(bursts: list[tuple[float, float | None]], last: float) -> float:
    """Return the milliseconds in the picture that are in bursts; overlaps count once."""
    covered = reached = 0.0
    for begin, end in sorted(bursts, key=lambda burst: burst[0]):
        shown_end = last if end is None else min(end, last)
        covered += max(shown_end - max(begin, reached), 0.0)
        reached = max(reached, shown_end)
    return covered


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a bar per millisecond, with bursts shaded from begin to end."""
    from airmile.study import _bars

    axes = figure.subplots()
    _bars.allocation(axes, rows.to_pylist())
    _bars.key(axes)
    axes.set_ylabel("share of the cell's PRBs")
    axes.set_xlabel("time since the request (ms)")


fig7b = Exhibit(
    "bt19", "fig7b", "section 4.3", "PRBs and bursts over one transfer",
    table, findings, picture, estimators=True,
    caption=(
        "Share of the PRBs in each millisecond of the transfer with most early bursts. A burst, "
        "shaded, begins at a dashed and ends at a solid line (methods G2)."
    ),
)  # fmt: skip
