"""Figure 5: how many TCP flows of a phone carry payload in the same second."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._words import count, percent
from airmile.answers import concurrency
from airmile.store._needs import some
from airmile.study._exhibit import Exhibit, Finding

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.dataset import Dataset

SEVERAL_PUBLISHED = 0.282


def table(dataset: Dataset) -> pa.Table:
    """One row per number of flows: slots of 1 s of all sessions, and their share (methods A8)."""
    rows = dataset._arrow(f"""
        SELECT flows, slots, slots / sum(slots) OVER () AS share_ratio,
            CASE WHEN flows > 0 THEN slots / sum(slots) FILTER (flows > 0) OVER () END
                AS share_of_busy_ratio
        FROM (SELECT flows, sum(slots)::BIGINT AS slots
            FROM {concurrency.slots(dataset)} GROUP BY flows)
        ORDER BY flows""")
    return some(
        rows,
        f"{dataset.path}: no session",
        "capture the traffic of a phone that sends or receives payload",
    )


def findings(rows: pa.Table) -> list[Finding]:
    """Give the slots with several flows, of all and of those with any."""
    shown = rows.to_pylist()
    several = [row for row in shown if row["flows"] >= 2]
    n = sum(row["slots"] for row in shown)
    busy = sum(row["slots"] for row in shown if row["flows"])
    of_all = sum(row["share_ratio"] for row in several)
    of_busy = sum(row["share_of_busy_ratio"] for row in several)
    return [
        Finding("two or more, of all slots", percent(of_all), percent(SEVERAL_PUBLISHED), n),
        Finding("two or more, of slots with any", percent(of_busy), "", busy),
        Finding("most in a slot", str(shown[-1]["flows"]), "", n),
    ]


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw the distribution over slots of the number of flows."""
    from airmile.study import _style

    busy = rows.filter(pa.compute.greater(rows["flows"], 0))
    axes = figure.subplots()
    _style.cdf(
        axes,
        [(f"{name} (n = {count(sum(own['slots'].to_pylist()))})", own["flows"], own["slots"])
         for name, own in (("all slots", rows), ("slots with payload", busy)) if own.num_rows],
    )  # fmt: skip
    axes.plot(
        1, 1 - SEVERAL_PUBLISHED, "o", mfc="white", mec=_style.SERIES[0],
        label="printed in the paper",
    )  # fmt: skip
    axes.set_xlim(0, max(10, rows["flows"][-1].as_py()))
    _style.plain(axes, "TCP flows with payload in a second", "share of slots (CDF)")
    _style.legend(axes)


fig5 = Exhibit(
    "up16", "fig5", "section 3", "Flows of a phone in the same second", table, findings, picture,
    caption=(
        "Share of the seconds of all sessions by the number of TCP flows that carry payload in "
        "the second. How many are empty depends on the silence that ends a session (methods "
        "A8)."
    ),
)  # fmt: skip
