"""Figure 4: completion times of short flows alone and beside one or five long flows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from airmile import _intervals
from airmile._words import seconds
from airmile.store._needs import some
from airmile.study import _style
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._source import Source
from airmile.study.eff14._runs import HOW, NETWORKS, flows, runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SCHEMA = pa.schema(
    [("network", pa.string()), ("background_flows", pa.int64()), ("control", pa.string()),
     ("background_control", pa.string()), ("flows", pa.int64()), ("runs", pa.int64()),
     ("mean_s", pa.float64()), ("low_s", pa.float64()), ("high_s", pa.float64())]
)  # fmt: skip


def table(given: Source) -> pa.Table:
    """Return one row per network, number of flows beside, and pair of congestion controls.

    The confidence interval is over the runs, each of which has its own seed, because all flows of a
    run meet the same link.
    """
    dataset = runs(given)
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in dataset.records(_of_runs(flows(dataset))):
        groups.setdefault(tuple(row[name] for name in _SCHEMA.names[:4]), []).append(row)
    rows = [_row(key, own) for key, own in groups.items()]
    lacking = f"{dataset.path}: no download of 320 KiB"
    return some(pa.Table.from_pylist(rows, schema=_SCHEMA), lacking, f"capture some, or {HOW}")


def _of_runs(flow: str) -> str:
    """Return SQL with the mean completion time of each run."""
    return f"""
        WITH flow AS (FROM {flow}),
        beside AS (
            SELECT short.run, short.uid, count(*) AS background_flows,
                mode(other.control) AS background_control
            FROM flow AS short JOIN flow AS other
                ON short.run = other.run AND short.ue = other.ue
                AND other.dl_first_payload_ns < short.start_ns
                AND other.dl_last_payload_ns > short.dl_last_payload_ns
            WHERE short.short GROUP BY short.run, short.uid)
        SELECT run, network, coalesce(background_flows, 0) AS background_flows, control,
            coalesce(background_control, '') AS background_control, avg(seconds) AS seconds,
            count(*) AS flows
        FROM flow LEFT JOIN beside USING (run, uid) WHERE short
        GROUP BY ALL ORDER BY network, background_flows, background_control, control, run"""


def _row(key: tuple[Any, ...], own: list[dict[str, Any]]) -> dict[str, Any]:
    mean = _intervals.mean([row["seconds"] for row in own])
    known = math.isfinite(mean.low)
    return {
        **dict(zip(_SCHEMA.names[:4], key, strict=True)),
        "flows": sum(row["flows"] for row in own), "runs": len(own), "mean_s": mean.value,
        "low_s": mean.low if known else None, "high_s": mean.high if known else None,
    }  # fmt: skip


def findings(rows: pa.Table) -> list[Finding]:
    """Return each mean with its interval; the paper draws the means and prints no number."""
    return [_finding(row) for row in rows.to_pylist()]


def _finding(row: dict[str, Any]) -> Finding:
    interval = ""
    if row["low_s"] is not None:
        interval = f" ({seconds(max(row['low_s'], 0))} to {seconds(row['high_s'])})"
    name = f"{NETWORKS[row['network']]}, {row['control']}, {_beside(row)}"
    return Finding(name, f"{seconds(row['mean_s'])}{interval}", "", row["runs"])


def _beside(row: dict[str, Any]) -> str:
    number = row["background_flows"]
    return f"beside {number} of {row['background_control']}" if number else "alone"


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a panel per network, with a bar per kind and number of flows beside, and control."""
    networks: dict[str, list[dict[str, Any]]] = {}
    for row in rows.to_pylist():
        networks.setdefault(row["network"], []).append(row)
    controls = sorted({row["control"] for row in rows.to_pylist()})
    panels = _style.panels(figure, len(networks))
    for (network, own), axes in zip(networks.items(), panels, strict=True):
        _panel(axes, own, controls)
        axes.set_title(NETWORKS[network], fontsize=9, loc="left")
        _style.plain(axes, "flows beside", "completion time (s), 95 % interval")
    _style.legend(panels[0], title="control of the short flow", title_fontsize=8)


def _panel(axes: Axes, rows: list[dict[str, Any]], controls: list[str]) -> None:
    kinds = list(
        dict.fromkeys((row["background_flows"], row["background_control"]) for row in rows)
    )
    width = 0.8 / len(controls)
    for number, control in enumerate(controls):
        own = [row for row in rows if row["control"] == control]
        places = [kinds.index(_kind(row)) for row in own]
        errors = [
            math.nan if row["high_s"] is None else row["high_s"] - row["mean_s"] for row in own
        ]
        axes.bar(
            [place + (number - (len(controls) - 1) / 2) * width for place in places],
            [row["mean_s"] for row in own], width * 0.92, yerr=errors, capsize=3,
            color=_style.series(number)[0], hatch=("", "//", "..", "xx")[number % 4],
            edgecolor="white", label=control,
        )  # fmt: skip
    names = [f"{number} {control}" if number else "none" for number, control in kinds]
    _style.names_below(axes, names)
    axes.set_xlim(-0.8, len(kinds) - 0.2)
    axes.set_ylim(bottom=0)


def _kind(row: dict[str, Any]) -> tuple[int, str]:
    return row["background_flows"], row["background_control"]


fig4 = Exhibit(
    "eff14", "fig4", "section IV", "Completion times of short flows beside others",
    table, findings, picture,
    caption=(
        "Mean time from the SYN to the last byte of downloads of 320 KiB, alone and beside one "
        "or five running downloads, by the congestion control of both. Bars show the 95 % "
        "interval over runs (methods I0)."
    ),
    apart=None,
)  # fmt: skip
