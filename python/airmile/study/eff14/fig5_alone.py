"""Figure 5: efficiency against flow size without other traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from airmile.study._arms import network_of
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._source import Source
from airmile.study._together import beside_published
from airmile.study.eff14 import _efficiency

if TYPE_CHECKING:
    pass


def rows(source: Source) -> pa.Table:
    """Return one row per series and size."""
    return _efficiency.efficiencies(source, _efficiency.swept, _efficiency.COLUMNS, loaded=False)


def findings(table: pa.Table) -> list[Finding]:
    """Return the efficiency at two sizes, the least efficiency, and which technology is above."""
    found = []
    curves = _efficiency.curves(table)
    for name, curve in curves.items():
        found.append(Finding(f"{name}: {_efficiency.number(curve[0])}", ""))
        for text, size in _efficiency.NAMED.items():
            found.append(
                Finding(f"  efficiency at {text}", _efficiency.spread(curve, size), "no number")
            )
        low = min(curve, key=lambda row: row["efficiency_mean"])
        here = f"{low['efficiency_mean']:.2f} at {low['size_bytes'] / 1e3:.1f} KB"
        found.append(Finding("  least", here, "after a step at the left"))
    order = _efficiency.order(curves, "EFF14, 3.5G", "EFF14, 4G")
    return [*found, Finding("EFF14's 3.5G above its 4G", order, "above")]


fig5 = Exhibit(
    "eff14", "fig5", "section V-A", "Efficiency against flow size, no other traffic",
    rows, findings, beside_published(_efficiency.picture, "source", "own"),
    caption=(
        "Efficiency of a short flow without other traffic, by its size: the time that the bytes "
        "take at the link's rate after one round trip, over the time that TCP takes. The band "
        "holds 90 % of the draws of rate and round trip; dashed, rounds by the paper's formula "
        "(methods I1, I2)."
    ),
    apart=network_of,
)  # fmt: skip
