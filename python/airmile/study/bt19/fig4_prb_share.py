"""Figure 4: the distribution of a user's share of the PRBs in a scheduled millisecond.

The paper chooses the thresholds of the burst rule from this distribution: similar numbers of
milliseconds should lie beyond each threshold, and few between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._words import count, percent
from airmile.store._needs import some
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._radio import BEGIN_SHARE, END_SHARE, scheduled
from airmile.study._together import Together

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

PRB_TOTAL = "give the cell bandwidth: airmile analyze CAPTURE --modem LOG --cell-prbs N"


PUBLISHED = ((END_SHARE, 0.4), (BEGIN_SHARE, 0.65))
"""Share of the PRBs, and the paper's share of milliseconds with no more (section 3.2.2)."""


def table(dataset: Tables) -> pa.Table:
    """Return one row per share that occurs, with its milliseconds and cumulative ratio."""
    rows = dataset.arrow(f"""
        WITH ms AS (FROM {scheduled(dataset)} WHERE share IS NOT NULL)
        SELECT share AS prb_share, count(*) AS milliseconds,
            sum(count(*)) OVER (ORDER BY share) / sum(count(*)) OVER () AS cumulative_ratio,
            (SELECT string_agg(DISTINCT prb_total_source, ', ' ORDER BY prb_total_source)
                FROM ms) AS prb_total_source
        FROM ms GROUP BY share ORDER BY share""")
    return some(rows, f"{dataset.path}: no downlink allocation with a PRB total", PRB_TOTAL)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the shares of milliseconds beyond each threshold."""
    most, few, all_ms = _beyond(rows)
    return [
        Finding("scheduled ms", count(all_ms), "60 000 ms, all users"),
        # The largest allocation seen may be smaller than the bandwidth: shares are then too large.
        Finding("PRBs of the cell by", rows["prb_total_source"][0].as_py() or "unknown"),
        Finding("above 90 % of the PRBs", percent(most / all_ms), "35 %"),
        Finding("below 40 % of the PRBs", percent(few / all_ms), "40 %"),
        Finding("between", percent(1 - (most + few) / all_ms), "25 %"),
    ]


def _beyond(rows: pa.Table) -> tuple[int, int, int]:
    shares, times = rows["prb_share"].to_pylist(), rows["milliseconds"].to_pylist()
    most = sum(n for share, n in zip(shares, times, strict=True) if share > BEGIN_SHARE)
    few = sum(n for share, n in zip(shares, times, strict=True) if share < END_SHARE)
    return most, few, sum(times)


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw the distribution with both thresholds."""
    _draw(figure, {"": rows})


def _draw(figure: Figure, tables: Mapping[str, pa.Table]) -> None:
    from airmile.study import _style

    axes = figure.subplots()
    _style.cdf(
        axes,
        [(f"{label}: n = {count(_beyond(rows)[2])} ms".removeprefix(": "), rows["prb_share"],
          rows["milliseconds"]) for label, rows in tables.items()],
    )  # fmt: skip
    axes.plot(*zip(*PUBLISHED, strict=True), "o", mfc="white", mec=_style.GREY, ls="none",
              label="printed in the paper")  # fmt: skip
    _style.threshold(axes, END_SHARE, "a burst ends below 40 %")
    _style.threshold(axes, BEGIN_SHARE, "a burst begins above 90 %")
    _style.plain(axes, "share of the cell's PRBs in a scheduled ms", "share of scheduled ms (CDF)")
    most = (max(rows["prb_share"].to_pylist()) for rows in tables.values())
    axes.set_xlim(0, max(1.02, *most))
    _style.legend(axes)


fig4 = Exhibit(
    "bt19", "fig4", "section 3.2.2", "Share of the PRBs in a scheduled millisecond",
    table, findings, Together(picture, _draw),
    caption=(
        "Over all milliseconds in which a user was scheduled: the share of the cell's PRBs that "
        "it got. The dotted thresholds of the burst rule, 40 % and 90 %, fit where few "
        "milliseconds lie between them. The paper's values are of all users of a cell, ours of "
        "the phones whose modem log was kept (methods G2)."
    ),
)  # fmt: skip
