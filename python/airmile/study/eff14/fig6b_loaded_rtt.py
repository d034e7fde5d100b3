"""Figure 6b, not in the paper: the round trip under load that reverses the order of figure 6.

The paper draws the round trips under load (figures 2c and 3c) and prints no numbers. Here load
multiplies every round trip by a factor that takes a range of values, so that only the distributions
without load matter. The reference is EFF14's 4G, whose round trips hardly change under load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from airmile._words import seconds
from airmile.model import Density, efficiency
from airmile.model.monte_carlo import DRAWS, draw_both
from airmile.study._arms import network_of
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._source import Source
from airmile.study.eff14._efficiency import NAMED, TECHNOLOGIES, number, samples
from airmile.study.eff14._sources import LOADED, Array, Rows, Series, beside, table, tried

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FACTORS = np.geomspace(1, 30, 69)
"""The factors by which load multiplies the round trip, in steps of 5 %."""

INSENSITIVE = "EFF14, 4G"

NOTE = (
    "Mean of 10 000 draws; load multiplies every round trip by the same factor, from 1 to 30; "
    "rounds=exact, initial window 10, no loss"
)

SCHEMA = pa.schema(
    {
        **{"source": pa.string(), "own": pa.bool_(), "size_bytes": pa.float64()},
        **{"rates": pa.int64(), "rtts": pa.int64(), "loaded_rtt_p50_ms": pa.float64()},
        **{"efficiency_mean": pa.float64(), "alone_efficiency_mean": pa.float64()},
        **{"reason": pa.string()},
    }
)


def rows(source: Source) -> pa.Table:
    """Return one row per series, size and factor."""
    series = beside(source, *TECHNOLOGIES)
    made = [row for each in series for row in tried(each, _swept, **samples(each))]
    return table(made, SCHEMA, series, [NOTE], without=[LOADED])


def _swept(series: Series) -> Rows:
    width = series.inputs.bandwidth
    rates = Density.of(series.group("rates_bps"), width)
    rtts = Density.of(series.group("rtts_s"), width)
    rate, rtt = draw_both(np.random.default_rng(0), rates, rtts, DRAWS, paired=False)
    median_ms = float(np.median(rtts.samples)) * 1e3
    return [
        {
            **samples(series),
            "size_bytes": size,
            "loaded_rtt_p50_ms": factor * median_ms,
            "efficiency_mean": _shared(size, rate, rtt, factor),
            "alone_efficiency_mean": float(efficiency(size, rate, rtt).mean()),
        }
        for size in NAMED.values()
        for factor in FACTORS
    ]


def _shared(size: float, rate: Array, rtt: Array, factor: float) -> float:
    return float(efficiency(size, rate, factor * rtt, flows=2, unloaded_rtt_s=rtt).mean())


def findings(table: pa.Table) -> list[Finding]:
    """Return the median loaded round trips from which efficiency is below alone, and below 4G."""
    curves = by_series(table)
    found = []
    for name, curve in curves.items():
        found.append(Finding(f"{name}: {number(curve[0])}", "RTT under load"))
        for text, size in NAMED.items():
            own = [row for row in curve if row["size_bytes"] == size]
            alone = crossing(own, own[0]["alone_efficiency_mean"])
            found.append(Finding(f"  {text}: less efficient than alone", alone, "no number"))
            if name != INSENSITIVE:
                reference = _insensitive(curves, size)
                found.append(Finding(f"  {text}: less than 4G", crossing(own, reference), ""))
    return found


def by_series(table: pa.Table) -> dict[str, Rows]:
    """Return the rows of each series for which an efficiency is known."""
    found: dict[str, Rows] = {}
    for row in table.to_pylist():
        if row["efficiency_mean"] is not None:
            found.setdefault(row["source"], []).append(row)
    return found


def _insensitive(curves: dict[str, Rows], size: float) -> float:
    """Return the efficiency of EFF14's 4G with its round trips without load."""
    first = next(row for row in curves[INSENSITIVE] if row["size_bytes"] == size)
    return float(first["efficiency_mean"])


def crossing(curve: Rows, reference: float) -> str:
    """Return in words the median round trip at which a falling curve crosses a reference."""
    places = np.log([row["loaded_rtt_p50_ms"] for row in curve])
    above = np.array([row["efficiency_mean"] for row in curve]) - reference
    if above[0] < 0:
        return "always"
    if above[-1] >= 0:
        return f"not up to {seconds(float(np.exp(places[-1])) / 1e3)}"
    at = np.interp(0.0, -above, places)
    return f"from {seconds(float(np.exp(at)) / 1e3)}"


def picture(figure: Figure, table: pa.Table) -> None:
    """Draw a panel per size: a falling line per series, and the efficiency alone."""
    from airmile.study import _style

    curves = by_series(table)
    panels = _style.panels(figure, len(NAMED), share_y=True)
    for axes, (text, size) in zip(panels, NAMED.items(), strict=True):
        for place, (name, curve) in enumerate(curves.items()):
            _line(axes, [row for row in curve if row["size_bytes"] == size], place, name)
        _log_ms(axes)
        axes.set_title(text, fontsize=9, loc="left")
    panels[0].set_ylabel("efficiency with one flow\nin the background")
    panels[0].legend(fontsize=8, frameon=False, loc="lower left")


def _line(axes: Axes, curve: Rows, place: int, name: str) -> None:
    from airmile.study import _style

    colour, mark = _style.series(place)
    x, y = ([row[key] for row in curve] for key in ("loaded_rtt_p50_ms", "efficiency_mean"))
    axes.plot(x, y, color=colour, marker=mark, markevery=8, markersize=5, label=name)
    alone = curve[0]["alone_efficiency_mean"]
    axes.plot([x[0], x[-1]], [alone, alone], ":", color=colour, linewidth=1.1)


def _log_ms(axes: Axes) -> None:
    from airmile.study import _style

    axes.set_xscale("log")
    axes.set_ylim(0, 1)
    low, high = axes.get_xlim()
    ticks = [t for t in (10, 20, 50, 100, 200, 500, 1000, 2000, 5000) if low <= t <= high]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    _style.plain(axes, "median RTT under load (ms); dotted: alone", "")


fig6b = Exhibit(
    "eff14", "fig6b", "section V-B", "Efficiency by the round trip under load",
    rows, findings, picture,
    caption=(
        "Efficiency of a short flow beside another one, by the round trip under load, of which "
        "the paper prints no number. Where a line falls below a dotted one, the flow is less "
        "efficient than alone (methods I1, I2)."
    ),
    apart=network_of,
)  # fmt: skip
