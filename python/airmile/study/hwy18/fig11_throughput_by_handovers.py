"""Figure 11: throughput of the downloads by the number of handovers during them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._statistics import median
from airmile._words import counted, rate
from airmile.store._definitions import LARGE_SIZE
from airmile.store._needs import some
from airmile.study._cells import SINR, downloads
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._together import joined

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables


def table(dataset: Tables) -> pa.Table:
    """Return one row per download that the modem log covers."""
    rows = dataset.arrow(f"""
        SELECT control, handovers, run, transfer_id, throughput_bps
        FROM {downloads(dataset)} WHERE handovers IS NOT NULL
        ORDER BY control, handovers, run, transfer_id""")
    return some(rows, f"{dataset.path}: the log covers no download of {LARGE_SIZE} or more", SINR)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the median throughput for each number of handovers."""
    shown = rows.to_pylist()
    found = []
    for number in sorted({row["handovers"] for row in shown}):
        rates = [row["throughput_bps"] for row in shown if row["handovers"] == number]
        published = "lower with a handover" if number else ""
        name = f"{counted(number, 'handover')}: median of {len(rates)}"
        found.append(Finding(name, rate(median(rates)), published))
    return found


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a box per number of handovers and congestion control."""
    from airmile.study import _boxes

    numbers = sorted({row["handovers"] for row in rows.to_pylist()})
    axes = figure.subplots()
    _boxes.throughput(axes, rows, "handovers", numbers, [str(number) for number in numbers])
    axes.set_xlabel("handovers completed in the download")


fig11 = Exhibit(
    "hwy18", "fig11", "section 5.5", "Throughput by handovers",
    table, findings, joined(picture, "control"),
    caption=(
        "Throughput of downloads by the number of handovers that were completed during them. "
        "Boxes hold the middle half, whiskers reach to 1.5 times its range, points lie beyond "
        "(methods G7, H2)."
    ),
)  # fmt: skip
