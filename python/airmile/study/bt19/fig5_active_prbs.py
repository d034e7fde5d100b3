"""Figure 5: the share of the cell that a phone gets in the milliseconds in which it is scheduled.

The unit is the primary carrier on one layer (SISO): a value above 1 means several layers (MIMO) or
carriers (CA). The paper shows slow transfers of 1 Mbps: bursts can be detected if the scheduler
gives even these transfers large shares in few milliseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._words import count, percent
from airmile.store._needs import some
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._radio import scheduled
from airmile.study._together import joined
from airmile.study.bt19.fig4_prb_share import PRB_TOTAL

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

SERIES_AT_MOST = 6
"""The most series in the picture, which are those with the most milliseconds."""


def table(dataset: Tables) -> pa.Table:
    """Return one row per series and share; a series is a user on a primary cell in a run."""
    rows = dataset.arrow(f"""
        WITH ms AS (SELECT run, "user", cell, siso_share, count(*) AS milliseconds
            FROM {scheduled(dataset)} WHERE siso_share IS NOT NULL
            GROUP BY run, "user", cell, siso_share),
        series AS (SELECT run, "user", cell FROM ms GROUP BY ALL
            ORDER BY sum(milliseconds) DESC, run, "user", cell LIMIT {SERIES_AT_MOST})
        SELECT ms.*, sum(milliseconds) OVER (PARTITION BY run, "user", cell ORDER BY siso_share)
            / sum(milliseconds) OVER (PARTITION BY run, "user", cell) AS cumulative_ratio
        FROM ms SEMI JOIN series ON ms.run = series.run AND ms."user" = series."user"
            AND ms.cell IS NOT DISTINCT FROM series.cell
        ORDER BY run, "user", cell, siso_share""")
    lacking = f"{dataset.path}: no downlink allocation with the PRBs of the primary carrier"
    return some(rows, lacking, PRB_TOTAL)


def findings(rows: pa.Table) -> list[Finding]:
    """Return for each series the shares of milliseconds that used half, all or more of the PRBs."""
    found = []
    for name, values, counts in _series(rows):
        total = sum(counts)

        def part(least: float, shares: list[float] = values, times: list[int] = counts) -> str:
            reached = (n for s, n in zip(shares, times, strict=True) if s >= least - 1e-9)
            return percent(sum(reached) / sum(times))

        found += [
            Finding(f"{name}: ACTIVE ms", count(total)),
            Finding("  half of the SISO PRBs or more", part(0.5), "over 50 % on loaded cells"),
            Finding("  all SISO PRBs or more", part(1.0), "over 50 % (AT&T, idle cell)"),
            Finding(
                "  several layers or carriers", part(1.0 + 1e-6), "over 50 % (Verizon, T-Mobile)"
            ),
        ]
    return found


def _series(rows: pa.Table) -> list[tuple[str, list[float], list[int]]]:
    groups: dict[tuple[str, int, int | None], tuple[list[float], list[int]]] = {}
    for row in rows.to_pylist():
        shares, times = groups.setdefault((row["run"], row["user"], row["cell"]), ([], []))
        shares.append(row["siso_share"])
        times.append(row["milliseconds"])
    return [(_name(*key), *values) for key, values in groups.items()]


def _name(run: str, user: int, cell: int | None) -> str:
    words = [run, f"user {user}", "" if cell is None else f"cell {cell}"]
    return " ".join(word for word in words if word)


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a distribution per series over the regions of SISO and of MIMO or CA."""
    from airmile.study import _style

    axes = figure.subplots()
    series = _series(rows)
    _style.cdf(
        axes, [(f"{name}, n = {count(sum(counts))} ms", values, counts)
               for name, values, counts in series],
    )  # fmt: skip
    widest = max(1.1, *(max(values) for _, values, _ in series))
    several = "several layers (MIMO) or carriers (CA)"
    axes.axvspan(1.0, widest * 1.02, color="#E8E8E8", zorder=0, label=several)
    _style.threshold(axes, 1.0, "all PRBs on one layer (SISO)")
    axes.set_xlim(0, widest * 1.02)
    x = "PRBs x layers of all carriers, over the PRBs of the primary carrier"
    _style.plain(axes, x, "share of ACTIVE ms (CDF)")
    _style.legend(axes)


fig5 = Exhibit(
    "bt19", "fig5", "section 3.2.3", "PRBs in an ACTIVE millisecond, layers and carriers counted",
    table, findings, joined(picture, "run"),
    caption=(
        "Over the milliseconds in which a user got data (ACTIVE): PRBs times layers of all "
        "carriers, over the PRBs of its primary carrier. Above 1, in grey, it took several "
        "layers (MIMO) or carriers (CA). At most six users are shown, those with the most such "
        "milliseconds (methods G1, G2)."
    ),
    apart=None,
)  # fmt: skip
