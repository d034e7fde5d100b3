"""Figure 6: efficiency against flow size while one other flow fills the buffer.

The optimal time uses the round trip of an idle link and half of the link's rate. The flow itself
has the round trip under load (section V-B, methods I1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from airmile.study._arms import network_of
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._source import Source
from airmile.study._together import beside_published
from airmile.study.eff14 import _efficiency
from airmile.study.eff14._sources import Rows, Series

if TYPE_CHECKING:
    pass

COLUMNS = {
    **_efficiency.COLUMNS,
    "loaded_rtts": pa.int64(),
    "alone_efficiency_mean": pa.float64(),
}
"""The columns of figure 6; `alone_efficiency_mean` is the efficiency of figure 5."""


def rows(source: Source) -> pa.Table:
    """Return one row per series and size."""
    return _efficiency.efficiencies(source, _with_background, COLUMNS, loaded=True)


def _with_background(series: Series) -> Rows:
    shared = _efficiency.swept(series, flows=2, loaded_rtts_s=series.group("loaded_rtts_s"))
    without = _efficiency.drawn(series, "exact")["efficiency_mean"].to_pylist()
    return [
        {**row, "alone_efficiency_mean": alone} for row, alone in zip(shared, without, strict=True)
    ]


def findings(table: pa.Table) -> list[Finding]:
    """Return the efficiency at two sizes, with and without the other flow, and the order."""
    found = []
    curves = _efficiency.curves(table)
    for name, curve in curves.items():
        found.append(Finding(f"{name}: {_efficiency.number(curve[0])}", ""))
        for text, size in _efficiency.NAMED.items():
            row = _efficiency.at(curve, size)
            here = f"{row['alone_efficiency_mean']:.3f}, {_efficiency.spread(curve, size)}"
            found.append(Finding(f"  {text}: alone, shared", here, _PUBLISHED.get(name, "")))
    order = _efficiency.order(curves, "EFF14, 4G", "EFF14, 3.5G")
    return [*found, Finding("EFF14's 4G above its 3.5G", order, "above: the order is reversed")]


_PUBLISHED = {"EFF14, 3.5G": "falls", "EFF14, 4G": "rises"}


fig6 = Exhibit(
    "eff14", "fig6", "section V-B", "Efficiency against flow size, one flow in the background",
    rows, findings, beside_published(_efficiency.picture, "source", "own"),
    caption=(
        "Efficiency of a short flow by its size while one other flow shares the link and "
        "lengthens the round trip: the time of an ideal protocol over that of TCP. The band "
        "holds 90 % of the draws of rate and round trip; dashed, rounds by the paper's formula "
        "(methods I1, I2)."
    ),
    apart=network_of,
)  # fmt: skip
