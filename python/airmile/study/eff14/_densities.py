"""Kernel densities of throughput, RTT and RTT under load, for figures 2 and 3.

The measured samples are drawn above those of the paper's technology, on the same axes. The paper
prints percentiles instead of samples, so its curve is a distribution with these percentiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from airmile.model import PUBLISHED, Density
from airmile.study._exhibit import Finding
from airmile.study._source import Source
from airmile.study.eff14._sources import CAPACITY, Array, Rows, Series, beside, table, tried

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KERNEL = "eff14"
"""The bandwidth of the kernel in section IV: s / sqrt(n)."""

PERCENTILES_KERNEL = "silverman"
"""The bandwidth of the kernel for values computed from percentiles.

The paper's bandwidth depends on the number of samples. This number is arbitrary here, and would
leave gaps in the tails.
"""

POINTS = 200
"""The number of evenly spaced points of a density; half as many quantiles are added."""

SHOWN_PERCENTILE = 98
"""The percentile at which the axes end, plus three bandwidths: tails are approximations."""

NOTE = (
    "Kernel densities of bandwidth s / sqrt(n), as in section IV, which follows many samples "
    "closely (from percentiles: Silverman's); axes end above the "
    f"{SHOWN_PERCENTILE}th percentile"
)


class Quantity(NamedTuple):
    """The quantity of a panel: its name in the table, its samples, and their unit."""

    name: str
    group: str
    per_unit: float
    title: str


QUANTITIES = (
    Quantity("throughput_mbps", "long_throughputs_bps", 1e-6, "long-flow throughput (Mbps)"),
    Quantity("rtt_ms", "rtts_s", 1e3, "RTT (ms)"),
    Quantity("loaded_rtt_ms", "loaded_rtts_s", 1e3, "RTT under load (ms)"),
)

SCHEMA = pa.schema(
    {
        **{"source": pa.string(), "own": pa.bool_(), "quantity": pa.string()},
        **{"samples": pa.int64(), "p5": pa.float64(), "p50": pa.float64(), "p95": pa.float64()},
        **{"shown": pa.float64(), "value": pa.float64(), "density": pa.float64()},
        **{"reason": pa.string()},
    }
)


def densities(source: Source, technology: str) -> pa.Table:
    """Return one row per point of each quantity's curve, or a row of nulls without samples.

    If the source is the paper's technology, it is not repeated for comparison.
    """
    series = beside(source, technology)
    title = PUBLISHED[technology].title
    papers = {each.title for each in PUBLISHED.values()} - {title}
    asked = any(each.own and each.inputs.name == title for each in series)
    shown = [each for each in series if not (asked and each.inputs.name in papers)]
    rows = [row for each in shown for quantity in QUANTITIES for row in _rows(each, quantity)]
    return table(rows, SCHEMA, shown, [NOTE], without=[CAPACITY])


def _rows(series: Series, quantity: Quantity) -> Rows:
    known = {"quantity": quantity.name, "samples": series.count(quantity.group)}

    def curve(series: Series) -> Rows:
        kernel = PERCENTILES_KERNEL if series.inputs.of_percentiles else KERNEL
        return [{**known, **row} for row in _curve(series.group(quantity.group), quantity, kernel)]

    return tried(series, curve, **known)


def _curve(samples: Array, quantity: Quantity, kernel: str) -> Rows:
    values = samples * quantity.per_unit
    density = Density.of(values, kernel)
    p5, p50, p95 = np.percentile(values, (5, 50, 95))
    high = np.percentile(values, SHOWN_PERCENTILE, method="higher")
    known = {"p5": p5, "p50": p50, "p95": p95, "shown": high + 3 * density.bandwidth}
    places = _places(values, density.bandwidth)
    points = zip(places, density.at(places), strict=True)
    return [{**known, "value": value, "density": height} for value, height in points]


def _places(values: Array, bandwidth: float) -> Array:
    """Return the points of a curve: evenly spaced ones, and more of them around the samples."""
    low, high = max(0.0, values.min() - 4 * bandwidth), values.max() + 4 * bandwidth
    dense = np.percentile(values, np.linspace(0, 100, POINTS // 2))
    around = [dense + offset * bandwidth for offset in (-1, 0, 1)]
    places = np.unique(np.concatenate([np.linspace(low, high, POINTS), *around]))
    return places[places >= 0]


def findings(rows: pa.Table, technology: str) -> list[Finding]:
    """Return the percentiles of the samples and of the paper, and the effect of load on the RTT."""
    shown = _panels(rows)
    paper = PUBLISHED[technology]
    printed = {
        "throughput_mbps": " / ".join(f"{k / 1e3:.3g}" for k in paper.downlink_kbps.points),
        "rtt_ms": " / ".join(f"{ms:g}" for ms in paper.rtt_ms.points),
        "loaded_rtt_ms": "drawn; no number",
    }
    found = []
    for name in dict.fromkeys(row["source"] for row in rows.to_pylist() if row["own"]):
        found.append(Finding(f"{name}: 5 / 50 / 95 %", "", paper.title))
        for quantity in QUANTITIES:
            row = shown[name, quantity.name][0]
            found.append(
                Finding(
                    f"  {quantity.title}, {number(row)}",
                    _three(row),
                    printed[quantity.name],
                    reason=row["reason"] or "",
                )
            )
        found.append(_shift(shown[name, "rtt_ms"][0], shown[name, "loaded_rtt_ms"][0], technology))
    return found


def number(row: dict[str, Any]) -> str:
    """Return the number of samples as text."""
    return "from percentiles" if row["samples"] is None else f"n = {row['samples']}"


def _three(row: dict[str, Any]) -> str:
    if row["p50"] is None:
        return "too few"
    return " / ".join(f"{row[level]:.3g}" for level in ("p5", "p50", "p95"))


def _shift(alone: dict[str, Any], loaded: dict[str, Any], technology: str) -> Finding:
    here = "unknown"
    if alone["p50"] and loaded["p50"]:
        here = f"{loaded['p50'] / alone['p50']:.2f}"
    published = {"eff14-3.5g": "above 1, wider", "eff14-4g": "about 1"}[technology]
    why = "" if here != "unknown" else alone["reason"] or loaded["reason"] or ""
    name = "  median RTT under load, relative to that without"
    return Finding(name, here, published, reason=why)


def _panels(rows: pa.Table) -> dict[tuple[str, str], Rows]:
    panels: dict[tuple[str, str], Rows] = {}
    for row in rows.to_pylist():
        panels.setdefault((row["source"], row["quantity"]), []).append(row)
    return panels


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a row of panels for each source; panels of the same quantity share their axis."""
    from airmile.study import _style

    shown = _panels(rows)
    names = list(dict.fromkeys(name for name, _ in shown))
    grid = _grid(figure, len(names))
    for place, (name, line) in enumerate(zip(names, grid, strict=True)):
        for quantity, axes, letter in zip(QUANTITIES, line, "abc", strict=True):
            _panel(axes, shown[name, quantity.name], place, f"({letter})")
            if axes is line[0]:
                axes.set_title(name, fontsize=9, loc="left")
            axes.set_xlabel(quantity.title)
            axes.set_ylabel("density" if _style.is_leftmost(axes) else "")
    for quantity, axes in zip(QUANTITIES, grid[-1], strict=True):
        ends = [shown[name, quantity.name][0]["shown"] for name in names]
        known = [end for end in ends if end is not None]
        axes.set_xlim(0, max(known) if known else 1)


def _grid(figure: Figure, sources: int) -> Any:
    """Return the panels by source and quantity; in a narrow picture a row is a quantity."""
    from airmile.study import _style

    if _style.is_wide(figure, len(QUANTITIES)):
        return figure.subplots(sources, len(QUANTITIES), sharex="col", squeeze=False)
    figure.set_figheight(1.5 * figure.get_figheight())
    return figure.subplots(len(QUANTITIES), sources, sharex="row", squeeze=False).T


def _panel(axes: Axes, rows: Rows, series: int, letter: str) -> None:
    from airmile.study import _style

    _style.plain(axes, "", "")
    axes.annotate(
        f"{letter}  {number(rows[0])}", (0.98, 0.97), xycoords="axes fraction", ha="right",
        va="top", fontsize=8,
    )  # fmt: skip
    if rows[0]["value"] is None:
        axes.annotate(
            "too few samples", (0.5, 0.5), xycoords="axes fraction", ha="center", va="center",
            color=_style.GREY,
        )  # fmt: skip
        axes.set_yticks([])
        return
    places, heights = ([row[name] for row in rows] for name in ("value", "density"))
    colour, _ = _style.series(series)
    axes.plot(places, heights, color=colour, linewidth=1.4)
    axes.fill_between(places, heights, color=colour, alpha=0.2, linewidth=0)
    axes.set_ylim(0, max(heights) * 1.18)
