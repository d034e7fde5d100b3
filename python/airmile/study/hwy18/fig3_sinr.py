"""Figure 3: the mean SINR of each download; controls compare fairly under equal conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._statistics import median
from airmile.store._definitions import LARGE_SIZE
from airmile.store._needs import some
from airmile.study._cells import SINR, downloads
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._together import joined

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables


REACH_DB = (0, 30)
"""What the axis shows at least: the range of the paper's downloads."""


def table(dataset: Tables) -> pa.Table:
    """Return one row per download for which a SINR is known."""
    rows = dataset.arrow(f"""
        SELECT control, run, transfer_id, bytes, sinr_db FROM {downloads(dataset)}
        WHERE sinr_db IS NOT NULL ORDER BY control, sinr_db, run, transfer_id""")
    return some(rows, f"{dataset.path}: no download of {LARGE_SIZE} or more with a SINR", SINR)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the range and the median of the SINR for each congestion control."""
    return [
        Finding(
            f"{control}: SINR of {len(values)} downloads",
            f"{min(values):.1f} to {max(values):.1f} dB, median {median(values):.1f} dB",
            "0 to 30 dB, nearly uniform; curves overlap",
        )
        for control, values in controls(rows, "sinr_db").items()
    ]


def controls(rows: pa.Table, column: str) -> dict[str, list[float]]:
    """Return the values of a column for each congestion control."""
    found: dict[str, list[float]] = {}
    for row in rows.to_pylist():
        found.setdefault(row["control"], []).append(row[column])
    return found


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a distribution per congestion control."""
    from airmile.study import _style

    axes = figure.subplots()
    series = controls(rows, "sinr_db").items()
    _style.cdf(axes, [(f"{name}, n = {len(v)}", v, [1] * len(v)) for name, v in series])
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, REACH_DB[0]), max(high, REACH_DB[1]))
    _style.plain(axes, "mean SINR of the download (dB)", "share of downloads (CDF)")
    _style.legend(axes)


fig3 = Exhibit(
    "hwy18", "fig3", "section 4", "SINR of the downloads",
    table, findings, joined(picture, "control"),
    caption=(
        "Distribution over downloads of 1 MB or more of the mean signal-to-noise ratio (SINR) "
        "of the serving cell, by congestion control. Similar curves mean that the controls met "
        "the same radio (methods G6)."
    ),
)  # fmt: skip
