"""Figure 6: how many TCP flows of a phone download at the same time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._words import percent, seconds
from airmile.answers import concurrency
from airmile.store._needs import some
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._together import Together
from airmile.study.lte13 import _flows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

ALONE_PUBLISHED = 0.721


def table(dataset: Tables) -> pa.Table:
    """Return one row per number of flows: its seconds and share of active time (methods A8)."""
    rows = dataset.arrow(f"""
        SELECT flows, seconds, seconds / sum(seconds) OVER () AS share_ratio
        FROM (SELECT flows, sum(seconds) AS seconds
            FROM {concurrency.exact_times(dataset)} GROUP BY flows)
        ORDER BY flows""")
    return some(rows, f"{dataset.path}: no TCP flow with downlink payload", _flows.HOW)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the share of time with one flow, and the most flows at a time."""
    shown = rows.to_pylist()
    alone = next((row["share_ratio"] for row in shown if row["flows"] == 1), 0.0)
    return [
        Finding("one flow, of the time with any", percent(alone), percent(ALONE_PUBLISHED)),
        Finding("most at a time", str(shown[-1]["flows"])),
    ]


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw the distribution over time of the number of flows that download."""
    _draw(figure, {"phones here": rows})


def _draw(figure: Figure, tables: Mapping[str, pa.Table]) -> None:
    from airmile.study import _style

    axes = figure.subplots()
    _style.cdf(
        axes,
        [(f"{name} ({seconds(sum(rows['seconds'].to_pylist()))})", rows["flows"], rows["seconds"])
         for name, rows in tables.items()],
    )  # fmt: skip
    axes.plot(
        1, ALONE_PUBLISHED, "o", mfc="white", mec=_style.SERIES[0], label="printed in the paper"
    )
    axes.set_xlim(left=0)
    _style.plain(axes, "TCP flows that download at the same time", "share of the time (CDF)")
    _style.legend(axes)


fig6 = Exhibit(
    "lte13", "fig6", "section 4.1", "Downloads of a phone at the same time", table, findings,
    Together(picture, _draw),
    caption=(
        "Of the time in which a phone downloads: the share with up to that number of TCP flows. "
        "A flow counts for a second after each downlink packet with payload (methods A8)."
    ),
)  # fmt: skip
