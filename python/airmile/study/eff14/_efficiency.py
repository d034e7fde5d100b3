"""Efficiency against flow size by Monte Carlo, for figures 5 and 6 (EFF14 section V).

As in the paper, rates and round trips are drawn independently. The rounds in which the sender idles
are counted by two rules: `exact`, and `eff14`, which is formula 1 as printed (methods I1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from airmile.model import monte_carlo
from airmile.model._rounds import Rounds
from airmile.protocols._short_flow import INITIAL_WINDOW, SEGMENT_BYTES
from airmile.study._source import Source
from airmile.study.eff14._sources import LOADED, Rows, Series, beside, table, tried

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TECHNOLOGIES = ("eff14-3.5g", "eff14-4g")
"""The technologies in figures 5 and 6 of the paper."""

SMALL_BYTES, PAGE_BYTES = 35.9 * 1024, 320 * 1024
"""Sizes to mark: 90 % of the flows of LTE13 are smaller; a page of a news site (section III-C)."""

NAMED = {"35.9 KiB": SMALL_BYTES, "320 KiB": PAGE_BYTES}

_ROUNDS = INITIAL_WINDOW * SEGMENT_BYTES * (2.0 ** np.arange(1, 10) - 1)
"""The largest sizes that fit into 1 to 9 rounds; one more byte takes another round."""

SIZES = np.unique(
    np.concatenate([np.geomspace(1e3, 1e7, 161), _ROUNDS, _ROUNDS + 1, list(NAMED.values())])
)

COLUMNS = {
    **{"source": pa.string(), "own": pa.bool_(), "size_bytes": pa.float64()},
    **{"rates": pa.int64(), "rtts": pa.int64(), "efficiency_mean": pa.float64()},
    **{"efficiency_low": pa.float64(), "efficiency_high": pa.float64()},
    **{"eff14_efficiency_mean": pa.float64(), "draws": pa.int64(), "reason": pa.string()},
}
"""The columns of figures 5 and 6; `rates` and `rtts` are numbers of samples."""

NOTE = (
    "Mean of 10 000 independent draws of rate and RTT; initial window 10, segments of 1460 bytes, "
    "no loss; the band contains 90 % of the draws; dashed, as printed: rounds by formula 1 of the "
    "paper"
)


def efficiencies(
    source: Source,
    make: Callable[[Series], Rows],
    columns: Mapping[str, pa.DataType],
    *,
    loaded: bool,
) -> pa.Table:
    """Return the rows that `make` returns for each series, or a row of nulls without samples."""
    series = beside(source, *TECHNOLOGIES)
    rows = [row for each in series for row in tried(each, make, **samples(each))]
    return table(rows, pa.schema(columns), series, [NOTE], without=[] if loaded else [LOADED])


def samples(series: Series) -> dict[str, int | None]:
    """Return the number of samples of a series for each kind of sample."""
    return {
        "rates": series.count("rates_bps"),
        "rtts": series.count("rtts_s"),
        "loaded_rtts": series.count("loaded_rtts_s"),
    }


def swept(series: Series, **options: Any) -> Rows:
    """Return one row per size, with the efficiency by both rules."""
    exact = drawn(series, "exact", **options)
    printed = drawn(series, "eff14", **options)["efficiency_mean"]
    both = exact.append_column("eff14_efficiency_mean", printed)
    return [{**samples(series), **row} for row in both.to_pylist()]


def drawn(series: Series, rule: Rounds, **options: Any) -> pa.Table:
    """Return the result of the Monte Carlo draws of a series for all sizes."""
    return monte_carlo(
        series.group("rates_bps"), series.group("rtts_s"), SIZES,
        bandwidth=series.inputs.bandwidth, rounds=rule, **options,
    )  # fmt: skip


def curves(rows: pa.Table) -> dict[str, Rows]:
    """Return the rows of each series for which an efficiency is known."""
    found: dict[str, Rows] = {}
    for row in rows.to_pylist():
        if row["efficiency_mean"] is not None:
            found.setdefault(row["source"], []).append(row)
    return found


def at(rows: Rows, size_bytes: float) -> dict[str, Any]:
    """Return the row of the given size."""
    return next(row for row in rows if row["size_bytes"] == size_bytes)


def spread(rows: Rows, size_bytes: float) -> str:
    """Return mean and band at a size in words, with the mean by formula 1 as printed."""
    row = at(rows, size_bytes)
    low, high = row["efficiency_low"], row["efficiency_high"]
    printed = row["eff14_efficiency_mean"]
    return f"{row['efficiency_mean']:.3f} ({low:.2f} to {high:.2f}; as printed {printed:.3f})"


def order(found: dict[str, Rows], above: str, below: str) -> str:
    """Return in words at how many sizes the efficiency of one series is above another's."""
    pairs = zip(found[above], found[below], strict=True)
    higher = [one["efficiency_mean"] > other["efficiency_mean"] for one, other in pairs]
    return "at every size" if all(higher) else f"at {sum(higher)} of {len(higher)} sizes"


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw a line per series over the logarithm of size.

    Lines by the exact rule have markers, those by the printed formula are dashed; measured series
    have a band.
    """
    from airmile.study import _style

    axes = figure.subplots()

    for place, (name, own) in enumerate(curves(rows).items()):
        colour, mark = _style.series(place)
        sizes = [row["size_bytes"] for row in own]
        axes.plot(
            sizes, [row["efficiency_mean"] for row in own], color=colour, linewidth=1.6,
            marker=mark, markevery=(6 * place, 24), markersize=5, label=f"{name}: {number(own[0])}",
        )  # fmt: skip
        axes.plot(
            sizes, [row["eff14_efficiency_mean"] for row in own], "--", color=colour, linewidth=0.9
        )
        if own[0]["own"]:
            low, high = ([row[f"efficiency_{end}"] for row in own] for end in ("low", "high"))
            axes.fill_between(sizes, low, high, color=colour, alpha=0.13, linewidth=0)
    _size_axis(axes)
    axes.set_ylim(0, 1)
    _style.plain(axes, "flow size", "efficiency: optimal over completion time")
    _style.legend(axes)


def number(row: dict[str, Any]) -> str:
    """Return the numbers of samples behind a curve in words."""
    if row["rates"] is None:
        return "from percentiles"
    loaded = row.get("loaded_rtts")
    under_load = "" if loaded is None else f", {loaded} loaded"
    return f"{row['rates']} rates, {row['rtts']} RTTs{under_load}"


def _size_axis(axes: Axes) -> None:
    """Make the x axis logarithmic, in sizes, with lines at the sizes in `NAMED`."""
    from airmile.study import _style

    axes.set_xscale("log")
    axes.set_xlim(SIZES[0], SIZES[-1])
    ticks = {1e3: "1 KB", 1e4: "10 KB", 1e5: "100 KB", 1e6: "1 MB", 1e7: "10 MB"}
    axes.set_xticks(list(ticks), list(ticks.values()))
    axes.set_xticks(list(NAMED.values()), list(NAMED), minor=True, fontsize=8, color=_style.GREY)
    for size in NAMED.values():
        axes.axvline(size, color=_style.GREY, linewidth=1.0, linestyle=":")
