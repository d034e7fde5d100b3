"""Figure 10: how many cells served a download, and how many the phone detected meanwhile.

A handover counts if it was completed during the download (methods G7). With one measurement per
second the numbers are lower bounds, because a short stay in a cell is missed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._words import percent
from airmile.store._definitions import LARGE_SIZE
from airmile.store._needs import some
from airmile.study._cells import SINR, downloads
from airmile.study._exhibit import Exhibit, Finding

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

WHAT = {"serving_cells": "serving", "detected_cells": "detected"}


def table(dataset: Tables) -> pa.Table:
    """Return one row per quantity and number, with the number of downloads that had it."""
    rows = dataset.arrow(f"""
        SELECT quantity, number, count(*) AS downloads,
            count(*) / sum(count(*)) OVER (PARTITION BY quantity) AS ratio
        FROM (UNPIVOT {downloads(dataset)} ON serving_cells, detected_cells, handovers
            INTO NAME quantity VALUE number)
        GROUP BY quantity, number ORDER BY quantity, number""")
    return some(
        rows, f"{dataset.path}: no download of {LARGE_SIZE} or more with measured cells", SINR
    )


def findings(rows: pa.Table) -> list[Finding]:
    """Return the shares of downloads with one and with two handovers or more."""
    moved = [row for row in rows.to_pylist() if row["quantity"] == "handovers"]
    downloads = sum(row["downloads"] for row in moved)
    found = [Finding("downloads", str(downloads), "700")]
    if not downloads:
        return [*found, Finding("handovers", "unknown: the log covers no whole download")]
    for least, published in ((1, "35 %"), (2, "under 4 %")):
        had = sum(row["downloads"] for row in moved if row["number"] >= least)
        name = f"with {least} handover or more" if least == 1 else f"with {least} or more"
        found.append(Finding(name, percent(had / downloads), published))
    return found


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw bars for serving cells beside bars for detected cells."""
    from airmile.study import _style

    axes = figure.subplots()
    shown = rows.to_pylist()
    for number, (quantity, name) in enumerate(WHAT.items()):
        own = [row for row in shown if row["quantity"] == quantity]
        total = sum(row["downloads"] for row in own)
        axes.bar(
            [row["number"] + (number - 0.5) * 0.4 for row in own], [row["ratio"] for row in own],
            0.38, color=_style.SERIES[number], hatch=("", "//")[number], edgecolor="white",
            linewidth=0, label=f"{name}, n = {total}",
        )  # fmt: skip
    axes.set_ylim(0, 1.04)
    axes.set_xticks(sorted({row["number"] for row in shown if row["quantity"] in WHAT}))
    _style.plain(axes, "distinct cells in a download", "share of downloads")
    _style.legend(axes)


fig10 = Exhibit(
    "hwy18", "fig10", "section 5.5", "Serving and detected cells in a download",
    table, findings, picture,
    caption=(
        "Share of the downloads by the number of cells that served the phone, and of cells that "
        "it detected, within the time of the download. A cell to which the phone returns counts "
        "once here, but each change is a handover of the table (methods G6, G7)."
    ),
)  # fmt: skip
