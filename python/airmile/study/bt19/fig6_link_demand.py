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
from airmile.study._notes import with_notes
from airmile.study._together import joined
from airmile.study._transfers import (
    FILE,
    HOW,
    LACKING,
    SEGMENTS,
    SPOKEN,
    applications,
    at_phone,
    known_estimators,
    timing,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

PUBLISHED = {FILE: "95 %", SEGMENTS: "65-70 %"}


def table(dataset: Tables) -> pa.Table:
    """Return a row per application and estimator: its link demand, and the link's throughput.

    The estimators are the paper's burst rule and the joint one; where the testbed recorded the
    queue of its link, the truth is beside them. They differ where the rule's assumption fails, so
    that the rule alone would hide what the paper found (methods G3).
    """
    dataset = at_phone(dataset)
    every = " UNION ALL ".join(
        f"SELECT {place} AS place, * FROM {applications(dataset, estimator)}"
        for place, estimator in enumerate(known_estimators(dataset))
    )
    rows = dataset.arrow(f"SELECT * EXCLUDE (place) FROM ({every}) ORDER BY place, run, uid")
    return with_notes(some(rows, f"{dataset.path}: {LACKING}", HOW), timing(dataset))


def findings(rows: pa.Table) -> list[Finding]:
    """Return the mean link demand of each kind by each estimator, and its correlation."""
    found = []
    for (kind, estimator), points in _series(rows).items():
        demands = [row["link_demand_ratio"] for row in points]
        rated = [row for row in points if row["link_throughput_bps"] is not None]
        rates = [row["link_throughput_bps"] for row in rated]
        found += [
            Finding(f"{kind}, {SPOKEN[estimator]}: flows", str(len(points)), "100"),
            Finding("  mean link demand", percent(mean(demands)), PUBLISHED[kind], len(points)),
            Finding("  median link throughput", rate(median(rates)) if rates else "unknown"),
        ]
        rho = rank_correlation([row["link_demand_ratio"] for row in rated], rates)
        paper = "" if kind == FILE else "demand falls as throughput falls"
        found += [] if rho is None else [Finding("  rank correlation of both", f"{rho:.2f}", paper)]
    return found


def _series(rows: pa.Table) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return the applications of each kind by each estimator, the kinds one after the other."""
    points = rows.to_pylist()
    series: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in sorted(points, key=lambda row: list(PUBLISHED).index(row["application"])):
        series.setdefault((row["application"], row["estimator"]), []).append(row)
    return series


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a mark per application and estimator: its form shows the kind."""
    from airmile.study import _style

    axes = figure.subplots()
    shown = rows.to_pylist()
    kinds = list(dict.fromkeys(row["application"] for row in shown))
    for place, estimator in enumerate(dict.fromkeys(row["estimator"] for row in shown)):
        for number, kind in enumerate(kinds):
            known = [
                row for row in shown
                if (row["application"], row["estimator"]) == (kind, estimator)
                and row["link_throughput_bps"] is not None
            ]  # fmt: skip
            if not known:
                continue
            colour = _style.series(place)[0]
            axes.plot(
                [row["link_throughput_bps"] / 1e6 for row in known],
                [row["link_demand_ratio"] for row in known],
                _style.MARKS[number % len(_style.MARKS)], color=colour, markersize=6, alpha=0.8,
                markerfacecolor=colour if estimator == "bursttracker" else "none",
                label=f"{kind}, {SPOKEN[estimator]}, n = {len(known)}",
            )  # fmt: skip
    axes.set_ylim(0, 1.04)
    axes.set_xlim(left=0)
    _style.percent_y(axes)
    _style.plain(axes, "link throughput (Mbps)", "link demand (of the transfer time)")
    _style.legend(axes)


fig6 = Exhibit(
    "bt19", "fig6", "section 4.2.1", "Link demand against link throughput",
    table, findings, joined(picture, "application"), burst_rule=True,
    caption=(
        "One point for each application and estimator: the share of its transfer time in which "
        "the link held its data (link demand), against what the link gave it in that time. Near 1 "
        "the link is the bottleneck; pauses of the sender lower it. Filled marks are the paper's "
        "burst rule, hollow ones the joint estimator and the truth of the testbed's link: where "
        "they differ the rule's assumption fails (methods G3)."
    ),
)  # fmt: skip
