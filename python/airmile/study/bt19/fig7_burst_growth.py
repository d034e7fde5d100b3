"""Figure 7, interpreted as in section 4.4: bursts that grow over a transfer show a slow start.

A sender in slow start leaves the queue empty after each round of its window, and the window
doubles. So the lengths of the bursts rise with their number, and the rank correlation shows how
steadily. After an idle gap this is a slow-start restart, visible from the radio alone (methods G3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from airmile._statistics import median
from airmile._words import percent
from airmile.store._needs import Missing, has, some, source
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._transfers import HOW, at_phone, bursts_of_transfers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

BURSTS_AT_LEAST = 5
"""The fewest bursts of a rank correlation: for four, 1 in 24 random orders gives 1."""

LONGER = f"{HOW}, of which one has several round trips of data"

GROWING = 0.5
"""The rank correlation from which the bursts of a transfer count as growing; our choice."""

SHOWN = 3
"""The number of transfers in the picture: those with the most bursts."""


def table(dataset: Tables, estimator: str = "bursttracker") -> pa.Table:
    """Return one row per burst of a transfer; `rank_correlation` belongs to the transfer."""
    dataset = at_phone(dataset)
    rows = dataset.arrow(f"""
        WITH burst AS (FROM {bursts_of_transfers(dataset, estimator)}),
        ranked AS (
            SELECT *, rank() OVER of_transfer
                + (count(*) OVER (PARTITION BY run, transfer_id, throughput_time_ms) - 1) / 2
                AS length_rank,
                count(*) OVER (PARTITION BY run, transfer_id) AS bursts
            FROM burst
            WINDOW of_transfer AS (PARTITION BY run, transfer_id ORDER BY throughput_time_ms))
        SELECT run, uid, transfer_id, server_port, {_restart(dataset)} AS restart, bursts,
            number AS burst, (burst_start_ns - request_ns) / 1e9 AS begin_s,
            throughput_time_ms, burst_bytes AS bytes,
            CASE WHEN bursts >= {BURSTS_AT_LEAST}
                AND count(DISTINCT length_rank) OVER (PARTITION BY run, transfer_id) > 1
                THEN corr(number, length_rank) OVER (PARTITION BY run, transfer_id) END
                AS rank_correlation
        FROM ranked ORDER BY run, transfer_id, number""")
    rows = some(rows, f"{dataset.path}: no burst begins within a transfer", HOW)
    if max(rows["bursts"].to_pylist()) < BURSTS_AT_LEAST:
        raise Missing(f"{dataset.path}: no transfer has {BURSTS_AT_LEAST} bursts or more", LONGER)
    return rows


def _restart(dataset: Tables) -> str:
    """Return SQL for the sender's restart after the idle gap before a transfer, or null."""
    if not has(dataset, "idle_gaps"):
        return "NULL::VARCHAR"
    gaps = source(dataset, "idle_gaps", "uid", "direction", "start_ns", "end_ns", "restart")
    return f"""(SELECT coalesce(any_value(gap.restart), 'unclassified') FROM {gaps} AS gap
        WHERE gap.run = ranked.run AND gap.uid = ranked.uid AND gap.direction = 'downlink'
            AND gap.start_ns < request_ns
            AND gap.end_ns BETWEEN request_ns AND first_byte_ns HAVING count(*) > 0)"""


def findings(rows: pa.Table) -> list[Finding]:
    """Return how many transfers have growing bursts, in total and after an idle gap."""
    found = []
    groups = {
        "transfers": _transfers(rows),
        "after an idle gap": [t for t in _transfers(rows) if t["restart"]],
    }
    for name, transfers in groups.items():
        judged = [t["rank_correlation"] for t in transfers if t["rank_correlation"] is not None]
        if not judged:
            found.append(Finding(f"{name} of {BURSTS_AT_LEAST} bursts or more", "0"))
            continue
        growing = sum(rho > GROWING for rho in judged) / len(judged)
        paper = "they grow (port 80)" if name == "after an idle gap" else ""
        found += [
            Finding(f"{name} of {BURSTS_AT_LEAST} bursts or more", str(len(judged))),
            Finding("  median rank correlation of length", f"{median(judged):.2f}", paper),
            Finding(f"  above {GROWING}: their bursts grow", percent(growing)),
        ]
    return found


def _transfers(rows: pa.Table) -> list[dict[str, Any]]:
    return [row for row in rows.to_pylist() if row["burst"] == 1]


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw the burst lengths of transfers with the most bursts, and all rank correlations."""
    from matplotlib.ticker import MaxNLocator

    from airmile.study import _style

    left, right = _style.panels(figure, 2, widths=(3, 2))
    transfers = sorted(_transfers(rows), key=lambda row: -row["bursts"])
    for number, transfer in enumerate(transfers[:SHOWN]):
        own = [r for r in rows.to_pylist() if (r["run"], r["transfer_id"]) == _key(transfer)]
        rho = transfer["rank_correlation"]
        name = f"transfer {number + 1}, port {transfer['server_port']}, n = {len(own)}"
        left.plot(
            [row["burst"] for row in own], [row["throughput_time_ms"] for row in own],
            f"{_style.MARKS[number]}-", color=_style.SERIES[number], markersize=4, linewidth=0.8,
            label=name if rho is None else f"{name}, rank correlation {rho:.2f}",
        )  # fmt: skip
    _style.plain(left, "number of the burst in its transfer", "throughput time of the burst (ms)")
    _style.log_y(left)
    left.xaxis.set_major_locator(MaxNLocator(integer=True))
    _style.legend(left)
    _correlations(right, transfers)


def _correlations(axes: Any, transfers: list[dict[str, Any]]) -> None:
    """Draw the distribution of rank correlations, with a curve for those after an idle gap."""
    from airmile.study import _style

    series = []
    for name, after in (("after an idle gap", True), ("others", False)):
        judged = [
            t["rank_correlation"]
            for t in transfers
            if t["rank_correlation"] is not None and bool(t["restart"]) == after
        ]
        if judged:
            series.append((f"{name}, n = {len(judged)}", judged, [1] * len(judged)))
    _style.cdf(axes, series)
    _style.threshold(axes, GROWING, "growing")
    axes.set_xlim(-1.05, 1.05)
    _style.plain(axes, "rank correlation of length with number", "share of transfers (CDF)")
    if series:
        _style.legend(axes)
    else:
        axes.text(
            -0.3, 0.5, f"no transfer has\n{BURSTS_AT_LEAST} bursts", ha="center", color=_style.GREY
        )


def _key(row: dict[str, Any]) -> tuple[str, int]:
    return row["run"], row["transfer_id"]


fig7 = Exhibit(
    "bt19", "fig7", "sections 4.3 and 4.4", "How bursts grow over a transfer",
    table, findings, picture, estimators=True,
    caption=(
        "Length of each burst by its number within a transfer, for the three transfers with most "
        "bursts, and the rank correlation of the two over all transfers of five bursts or more. "
        "In slow start the sender's window doubles with each round trip, so that its bursts grow, "
        "which is a straight line on the logarithmic scale (methods G2, C7)."
    ),
)  # fmt: skip
