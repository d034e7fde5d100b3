"""Figure 4: the modulation that the base station chose, by SINR.

Every downlink block counts, HARQ retransmissions too; its SINR is that of its carrier in its
second. A block without the number of a carrier is one of the primary carrier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from airmile._words import count, percent
from airmile.store._definitions import USER_DATA
from airmile.store._needs import some, source
from airmile.store._remedies import MODEM
from airmile.study._cells import BIN_DB, SINR, bin_of, sinr_by_second
from airmile.study._exhibit import Exhibit, Finding

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

MODULATION = (
    f"{MODEM}; the log needs the modulation of the blocks, which that of the testbed has where the "
    "link's rate follows from a SINR"
)

MODULATIONS = ("QPSK", "16QAM", "64QAM", "256QAM")


def table(dataset: Tables) -> pa.Table:
    """Return one row per bin and modulation; seconds without a SINR have null as their bin."""
    blocks = source(
        dataset, "ttis", "time_ns", "user", "carrier", "direction", "modulation", "rnti"
    )
    rows = dataset.arrow(f"""
        SELECT {bin_of("sinr_db")} AS bin_db, modulation, count(*) AS blocks,
            count(*) / sum(count(*)) OVER (PARTITION BY {bin_of("sinr_db")}) AS ratio
        FROM {blocks} AS block LEFT JOIN {sinr_by_second(dataset)} AS measured
            ON block.run = measured.run AND block."user" = measured."user"
            AND coalesce(block.carrier, 0) = measured.carrier AND time_ns // 1000000000 = second
        WHERE direction = 'downlink' AND {USER_DATA} AND modulation IS NOT NULL
        GROUP BY 1, 2 ORDER BY bin_db NULLS LAST, list_position({list(MODULATIONS)}, modulation)""")
    some(rows, f"{dataset.path}: no downlink block with a modulation", MODULATION)
    binned = any(low is not None for low in rows["bin_db"].to_pylist())
    lacking = f"{dataset.path}: no downlink block with a modulation in a second with a SINR"
    return some(rows if binned else rows.slice(0, 0), lacking, SINR)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the modulation in the best and in the worst radio conditions."""
    shown = [row for row in rows.to_pylist() if row["bin_db"] is not None]
    best = [row for row in shown if row["bin_db"] >= 20]
    worst = [row for row in shown if row["bin_db"] < 5]
    without = sum(row["blocks"] for row in rows.to_pylist() if row["bin_db"] is None)
    return [
        Finding("blocks with a SINR", count(sum(row["blocks"] for row in shown))),
        Finding("blocks in seconds without one", count(without)),
        Finding("above 20 dB: 64QAM or more", _part(best, "64QAM", "256QAM"), "over 90 %"),
        Finding("below 5 dB: QPSK", _part(worst, "QPSK"), "most"),
    ]


def _part(rows: list[dict[str, Any]], *modulations: str) -> str:
    blocks = sum(row["blocks"] for row in rows)
    own = sum(row["blocks"] for row in rows if row["modulation"] in modulations)
    return f"{percent(own / blocks)} of {count(blocks)}" if blocks else "no block"


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a stack of shares per bin, with the number of blocks above the stack."""
    from airmile.study import _style

    axes = figure.subplots()
    shown = [row for row in rows.to_pylist() if row["bin_db"] is not None]
    bins = sorted({row["bin_db"] for row in shown})
    share = {(row["bin_db"], row["modulation"]): row["ratio"] for row in shown}
    foot = [0.0] * len(bins)
    hatches = ("", "//", "..", "xx")
    for name, colour, hatch in zip(MODULATIONS, _style.SERIES, hatches, strict=False):
        heights = [share.get((low, name), 0.0) for low in bins]
        if any(heights):
            axes.bar(bins, heights, BIN_DB * 0.9, bottom=foot, align="edge", color=colour,
                     hatch=hatch, edgecolor="white", linewidth=0, label=name)  # fmt: skip
        foot = [below + height for below, height in zip(foot, heights, strict=True)]
    for low in bins:
        number = sum(row["blocks"] for row in shown if row["bin_db"] == low)
        axes.text(low + BIN_DB * 0.45, 1.01, f"n = {count(number)}", ha="center", fontsize=7)
    axes.set_xticks([*bins, bins[-1] + BIN_DB])
    axes.set_ylim(0, 1.06)
    _style.percent_y(axes)
    _style.plain(axes, f"SINR of the second (dB, bins of {BIN_DB})", "share of downlink blocks")
    _style.legend(axes)


fig4 = Exhibit(
    "hwy18", "fig4", "section 4", "Modulation of the downlink by SINR", table, findings, picture,
    caption=(
        "Share of the downlink transport blocks by modulation, in bins of 5 dB of the second's "
        "SINR. The better the radio, the more bits a symbol carries (methods G1, G6)."
    ),
)  # fmt: skip
