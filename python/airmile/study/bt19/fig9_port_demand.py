"""Figure 9a: mean link demand on the ports of HTTP and HTTPS, and on other ports."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from airmile._words import percent
from airmile.store._needs import some
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._notes import with_notes
from airmile.study._together import joined
from airmile.study._transfers import (
    HOW,
    LACKING,
    SPOKEN,
    applications,
    at_phone,
    port_class,
    timing,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

PUBLISHED = {"80": "50-70 %", "443": "50-70 %", "other": "over 80 % (port 7777)"}


def table(dataset: Tables, estimator: str = "bursttracker") -> pa.Table:
    """Return one row per class of ports and kind of application: mean and spread over flows."""
    dataset = at_phone(dataset)
    rows = dataset.arrow(f"""
        SELECT port, application, estimator, count(*) AS flows,
            avg(link_demand_ratio) AS mean_link_demand_ratio,
            CASE WHEN count(*) > 1 THEN stddev_samp(link_demand_ratio) END
                AS deviation_ratio,
            median(link_demand_ratio) AS median_link_demand_ratio,
            list(DISTINCT server_port ORDER BY server_port)::VARCHAR AS server_ports
        FROM (SELECT *, {port_class()} AS port FROM {applications(dataset, estimator)})
        GROUP BY port, application, estimator
        ORDER BY application DESC, port = 'other', min(server_port)""")
    return with_notes(some(rows, f"{dataset.path}: {LACKING}", HOW), timing(dataset))


def findings(rows: pa.Table) -> list[Finding]:
    """Return each mean with its standard deviation and the number of flows."""
    return [
        Finding(
            f"{_named(row['port'])}, {row['application']}",
            f"{percent(row['mean_link_demand_ratio'])}{_spread(row)}, n = {row['flows']}",
            PUBLISHED[row["port"]] if row["application"].startswith("several") else "",
        )
        for row in rows.to_pylist()
    ]


def _named(port: str) -> str:
    return "other ports" if port == "other" else f"port {port}"


def _spread(row: dict[str, Any]) -> str:
    deviation = row["deviation_ratio"]
    return "" if deviation is None else f" +/- {percent(deviation)}"


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a bar per class of ports and kind, with the standard deviation over the flows."""
    from airmile.study import _style

    axes = figure.subplots()
    shown = rows.to_pylist()
    kinds = list(dict.fromkeys(row["application"] for row in shown))
    ports = [port for port in PUBLISHED if any(row["port"] == port for row in shown)]
    width = 0.8 / len(kinds)
    for number, kind in enumerate(kinds):
        own = [row for row in shown if row["application"] == kind]
        places = [ports.index(row["port"]) + (number - (len(kinds) - 1) / 2) * width for row in own]
        bars = axes.bar(
            places, [row["mean_link_demand_ratio"] for row in own], width * 0.92, label=kind,
            yerr=[row["deviation_ratio"] or math.nan for row in own], capsize=3,
            color=_style.series(number)[0], hatch=("", "//", "..", "xx")[number % 4],
            edgecolor="white",
        )  # fmt: skip
        axes.bar_label(bars, [f"n = {row['flows']}" for row in own], label_type="center",
                       fontsize=8, color="white")  # fmt: skip
    axes.set_xticks(range(len(ports)), [_named(port) for port in ports])
    axes.set_ylim(0, 1.04)
    _style.percent_y(axes)
    by = SPOKEN[shown[0]["estimator"]]
    _style.plain(axes, "port of the server", f"mean link demand by the {by}, +/- 1 sd")
    _style.legend(axes)


fig9 = Exhibit(
    "bt19", "fig9", "section 5.1", "Link demand by port",
    table, findings, joined(picture, "application"), estimators=True,
    caption=(
        "Mean link demand, the share of the transfer time in which the link held data, by port "
        "of the server; bars show one standard deviation. In the paper's networks a proxy on "
        "ports 80 and 443 lowered it for video (methods G3)."
    ),
)  # fmt: skip
