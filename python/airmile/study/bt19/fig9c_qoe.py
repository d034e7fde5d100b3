"""Figure 9c: how a video changes on a port without a proxy: bitrate, stalls and switches."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from airmile import _intervals as intervals
from airmile.store._needs import some
from airmile.study._exhibit import Exhibit, Finding
from airmile.study.bt19 import _clips

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.store import Tables

QUANTITIES = {
    "bitrate_bps": ("bitrate", 0.35), "stalled_s": ("time in stalls", -0.50),
    "switches": ("switches", -0.10)
}  # fmt: skip
"""The columns of `clips`, each with its name in words and the change that the paper prints."""

_SCHEMA = pa.schema(
    [("quantity", pa.string()), ("pairs", pa.int64()), ("proxied_mean", pa.float64()),
     ("direct_mean", pa.float64()), ("change_ratio", pa.float64()), ("low_ratio", pa.float64()),
     ("high_ratio", pa.float64())]
)  # fmt: skip

HOW = f"{_clips.HOW}: pairs have the same iteration on ports 80 or 443, and on another"


def table(dataset: Tables) -> pa.Table:
    """Return one row per quantity: its means with and without a proxy, and the change.

    A pair consists of a clip on a port without a proxy, and the mean of the clips of the same
    iteration on ports 80 and 443. The interval is that of a ratio of paired means.
    """
    proxied = f"port IN {_clips.PROXIED}"
    columns = ", ".join(
        f"avg({name}) FILTER ({proxied}) AS proxied_{name}, "
        f"avg({name}) FILTER (NOT {proxied}) AS direct_{name}"
        for name in QUANTITIES
    )
    pairs = dataset.records(f"""
        SELECT iteration, {columns} FROM {_clips.clips(dataset)}
        WHERE port IS NOT NULL AND iteration IS NOT NULL AND NOT coalesce(micro_fetch, false)
        GROUP BY iteration
        HAVING count(*) FILTER ({proxied}) > 0 AND count(*) FILTER (NOT {proxied}) > 0
        ORDER BY iteration""")
    rows = [_row(name, pairs) for name in QUANTITIES] if pairs else []
    lacking = f"{dataset.path}: no pair of clips with and without a proxy"
    return some(pa.Table.from_pylist(rows, schema=_SCHEMA), lacking, HOW)


def _row(name: str, pairs: list[dict[str, Any]]) -> dict[str, Any]:
    known = [
        (pair[f"direct_{name}"], pair[f"proxied_{name}"]) for pair in pairs
        if None not in (pair[f"direct_{name}"], pair[f"proxied_{name}"])
    ]  # fmt: skip
    direct, proxied = [each for each, _ in known], [each for _, each in known]
    means = [sum(each) / len(each) if each else None for each in (proxied, direct)]
    row = {
        "quantity": name,
        "pairs": len(known),
        **dict(zip(("proxied_mean", "direct_mean"), means, strict=True)),
    }
    if not means[0]:
        return row
    ratio = intervals.ratio(direct, proxied)
    ends = [each - 1 if math.isfinite(each) else None for each in (ratio.low, ratio.high)]
    return {**row, "change_ratio": ratio.value - 1, "low_ratio": ends[0], "high_ratio": ends[1]}


def findings(rows: pa.Table) -> list[Finding]:
    """Return each change with its interval; it is unknown if the mean with a proxy is 0."""
    return [_finding(row) for row in rows.to_pylist()]


def _finding(row: dict[str, Any]) -> Finding:
    spoken, published = QUANTITIES[row["quantity"]]
    printed = f"{published:+.0%}"
    if row["change_ratio"] is None:
        why = f"no {spoken} on ports 80 and 443, of which a change could be a share"
        return Finding(spoken, "unknown", printed, row["pairs"], why)
    interval = ""
    if row["low_ratio"] is not None and row["high_ratio"] is not None:
        interval = f" ({row['low_ratio']:+.0%} to {row['high_ratio']:+.0%})"
    return Finding(spoken, f"{row['change_ratio']:+.0%}{interval}", printed, row["pairs"])


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a bar per quantity with its interval, and circles for the numbers of the paper."""
    from airmile.study import _style

    axes = figure.subplots()
    for place, row in enumerate(rows.to_pylist()):
        change, low, high = (row[f"{name}_ratio"] for name in ("change", "low", "high"))
        if change is None:
            axes.text(place, 0, "unknown", ha="center", va="bottom", color=_style.GREY)
            continue
        axes.bar(place, change * 100, 0.6, color=_style.SERIES[0])
        if low is not None and high is not None:
            axes.plot([place, place], [low * 100, high * 100], color="black", linewidth=1.2)
    axes.plot(
        range(len(QUANTITIES)), [printed * 100 for _, printed in QUANTITIES.values()], "o",
        mfc="white", mec=_style.GREY, linestyle="none", label="printed in the paper",
    )  # fmt: skip
    names = [f"{spoken}\nn = {row['pairs']}" for row in rows.to_pylist()
             for spoken in (QUANTITIES[row["quantity"]][0],)]  # fmt: skip
    axes.set_xticks(range(len(names)), names)
    axes.axhline(0, color=_style.GREY, linewidth=0.8)
    _style.plain(axes, "", "change without the proxy (%), 95 % interval")
    _style.legend(axes)


fig9c = Exhibit(
    "bt19", "fig9c", "section 5.2", "What a port without proxy changes for a player",
    table, findings, picture,
    caption=(
        "Change of the mean bitrate, time in stalls and number of switches of a video on a port "
        "without proxy, against ports 80 and 443, over pairs that meet the same link. The paper "
        "prints 35 % more bitrate, stalls half as long and a tenth fewer switches (methods H3, I3)."
    ),
    apart=None,
)  # fmt: skip
