"""Figure 9: throughput of the downloads by bins of their mean SINR."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._statistics import median, rank_correlation
from airmile._words import rate
from airmile.store._definitions import LARGE_SIZE
from airmile.store._needs import some
from airmile.study._cells import BIN_DB, SINR, downloads
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._together import joined

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables


def table(dataset: Tables) -> pa.Table:
    """Return one row per download for which a SINR is known."""
    rows = dataset.arrow(f"""
        SELECT control, bin_db, run, transfer_id, sinr_db, throughput_bps
        FROM {downloads(dataset)} WHERE sinr_db IS NOT NULL
        ORDER BY control, bin_db, run, transfer_id""")
    return some(rows, f"{dataset.path}: no download of {LARGE_SIZE} or more with a SINR", SINR)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the median of each bin, and the rank correlation of throughput with SINR."""
    shown = rows.to_pylist()
    found = []
    for low in sorted({row["bin_db"] for row in shown}):
        rates = [row["throughput_bps"] for row in shown if row["bin_db"] == low]
        found.append(
            Finding(f"{low} to {low + BIN_DB} dB: median of {len(rates)}", rate(median(rates)))
        )
    rho = rank_correlation(
        [row["sinr_db"] for row in shown], [row["throughput_bps"] for row in shown]
    )
    here = "unknown" if rho is None else f"{rho:.2f}"
    return [*found, Finding("rank correlation with SINR", here, "strong")]


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a box per bin and congestion control."""
    from airmile.study import _boxes

    bins = sorted({row["bin_db"] for row in rows.to_pylist()})
    axes = figure.subplots()
    _boxes.throughput(axes, rows, "bin_db", bins, [f"{low} to {low + BIN_DB}" for low in bins])
    axes.set_xlabel("mean SINR of the download (dB)")


fig9 = Exhibit(
    "hwy18", "fig9", "section 5.4", "Throughput by SINR",
    table, findings, joined(picture, "control"),
    caption=(
        "Throughput of downloads in bins of 5 dB of their mean SINR, by congestion control. "
        "Boxes hold the middle half, whiskers reach to 1.5 times its range, points lie beyond "
        "(methods G6, H2)."
    ),
)  # fmt: skip
