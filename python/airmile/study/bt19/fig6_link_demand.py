"""Figure 6: link demand of files and of videos against the throughput of the link.

A point is a flow of 1 MB or more. A file is one transfer. A video is fetched in segments, and the
pauses between the segments do not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from airmile._statistics import mean, median, rank_correlation
from airmile._words import percent, rate
from airmile.store._needs import some
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._together import joined
from airmile.study._transfers import (
    FILE,
    HOW,
    LACKING,
    SEGMENTS,
    SPOKEN,
    applications,
    at_phone,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.dataset import Dataset

PUBLISHED = {FILE: "95 %", SEGMENTS: "65-70 %"}


def table(dataset: Dataset, estimator: str = "bursttracker") -> pa.Table:
    """Return one row per application: its link demand and the throughput of the link."""
    dataset = at_phone(dataset)
    rows = dataset._arrow(f"FROM {applications(dataset, estimator)} ORDER BY run, uid")
    return some(rows, f"{dataset.path}: {LACKING}", HOW)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the mean link demand of each kind, and its correlation with link throughput."""
    found = []
    for kind, points in _kinds(rows).items():
        demands = [row["link_demand_ratio"] for row in points]
        rated = [row for row in points if row["link_throughput_bps"] is not None]
        rates = [row["link_throughput_bps"] for row in rated]
        found += [
            Finding(f"{kind}: flows", str(len(points)), "100"),
            Finding("  mean link demand", percent(mean(demands)), PUBLISHED[kind]),
            Finding("  median link throughput", rate(median(rates)) if rates else "unknown"),
        ]
        rho = rank_correlation([row["link_demand_ratio"] for row in rated], rates)
        paper = "" if kind == FILE else "demand falls as throughput falls"
        found += [] if rho is None else [Finding("  rank correlation of both", f"{rho:.2f}", paper)]
    return found


def _kinds(rows: pa.Table) -> dict[str, list[dict[str, Any]]]:
    points = rows.to_pylist()
    kinds = {kind: [row for row in points if row["application"] == kind] for kind in PUBLISHED}
    return {kind: found for kind, found in kinds.items() if found}


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a mark per application."""
    from airmile.study import _style

    axes = figure.subplots()
    shown = rows.to_pylist()
    for number, kind in enumerate(dict.fromkeys(row["application"] for row in shown)):
        points = [row for row in shown if row["application"] == kind]
        known = [row for row in points if row["link_throughput_bps"] is not None]
        axes.plot(
            [row["link_throughput_bps"] / 1e6 for row in known],
            [row["link_demand_ratio"] for row in known],
            _style.series(number)[1], color=_style.series(number)[0], markersize=6, alpha=0.8,
            label=f"{kind}, n = {len(known)}",
        )  # fmt: skip
    axes.set_ylim(0, 1.04)
    axes.set_xlim(left=0)
    by = SPOKEN[rows["estimator"][0].as_py()]
    _style.percent_y(axes)
    _style.plain(axes, "link throughput (Mbps)", f"link demand by the {by} (of the transfer time)")
    _style.legend(axes)


fig6 = Exhibit(
    "bt19", "fig6", "section 4.2.1", "Link demand against link throughput",
    table, findings, joined(picture, "application"), estimators=True,
    caption=(
        "One point for each application: the share of its transfer time in which the link held "
        "its data (link demand), against what the link gave it in that time. Near 1 the link is "
        "the bottleneck; pauses of the sender lower it (methods G3)."
    ),
)  # fmt: skip
