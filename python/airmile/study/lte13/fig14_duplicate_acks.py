"""Figure 14: duplicate ACKs and out-of-order packets of large flows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._words import percent
from airmile.store._definitions import LARGE
from airmile.study._curves import Curve, Picture, Points, curves, names
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._needs import Needs
from airmile.study.lte13 import _flows

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

DUPLICATE, REORDERED, RATIO = "duplicate ACKs", "out-of-order packets", "ratio of the two"

PUBLISHED = {DUPLICATE: [(17, 0.5), (100, 0.71)], REORDERED: [(2, 0.5)], RATIO: [(25, 0.753)]}


def table(dataset: Tables) -> pa.Table:
    """Return the distributions over large flows; the ratio needs a packet out of order (C3)."""
    flows = _flows.large(dataset, "dl_duplicate_acks", "dl_out_of_order")
    ratio = "dl_duplicate_acks / nullif(dl_out_of_order, 0)"
    wanted = [
        Curve(DUPLICATE, f"SELECT dl_duplicate_acks AS value FROM {flows}", (100,)),
        Curve(REORDERED, f"SELECT dl_out_of_order AS value FROM {flows}"),
        Curve(RATIO, f"SELECT {ratio} AS value FROM {flows}", (25,)),
    ]
    return curves(dataset, wanted, f"no flow above {LARGE}", _flows.HOW_LARGE)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the medians, and the shares of flows with high values."""
    acks, reordered = Points(rows, DUPLICATE), Points(rows, REORDERED)
    found = [
        Finding("median of duplicate ACKs", f"{acks.quantile(0.5):g}", "17", acks.n),
        Finding("above 100 duplicate ACKs", percent(1 - acks.share_to(100)), "29.0 %", acks.n),
        Finding("median out of order", f"{reordered.quantile(0.5):g}", "2", reordered.n),
    ]
    if RATIO in names(rows):
        ratio = Points(rows, RATIO)
        found += [
            Finding("ratio above 25", percent(1 - ratio.share_to(25)), "24.7 %", ratio.n),
            Finding("largest ratio", f"{ratio.quantile(1.0):,.0f}", "5,000", ratio.n),
        ]
    return found


fig14 = Exhibit(
    "lte13", "fig14", "section 5", "Duplicate ACKs and out-of-order packets of large flows", table,
    findings, Picture("number per flow, or ratio", published=PUBLISHED, reach=(1, 5000)),
    needs=Needs(both_ways=True),
    caption=(
        "Distributions over large flows of the number of duplicate ACKs, of packets out of "
        "order, and of the ratio of the two where something was out of order. One packet out of "
        "order makes as many duplicate ACKs as there are packets in flight behind it (methods "
        "C3)."
    ),
)  # fmt: skip
