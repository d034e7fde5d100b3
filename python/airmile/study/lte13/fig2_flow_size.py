"""Figure 2: the payload of TCP flows, downlink and uplink."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._words import percent, size
from airmile.study._curves import Curve, Picture, Points, curves
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._needs import Needs
from airmile.study.lte13 import _flows

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

DOWN, UP = "downlink", "uplink"

PUBLISHED = {DOWN: [(35_900, 0.9), (1e6, 0.994)], UP: [(2_900, 0.9), (1e5, 0.999)]}


def table(dataset: Tables) -> pa.Table:
    """Return the distribution of payload per flow, with retransmissions (methods A5)."""
    flows = _flows.tcp(dataset, "dl_payload_bytes", "ul_payload_bytes")
    wanted = [
        Curve(DOWN, f"SELECT dl_payload_bytes AS value FROM {flows}", (0, 1e6)),
        Curve(UP, f"SELECT ul_payload_bytes AS value FROM {flows}", (0, 1e5)),
    ]
    return curves(dataset, wanted, _flows.LACKING, _flows.HOW)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the share of flows without payload, the size of most, and the share of large ones."""
    down, up = Points(rows, DOWN), Points(rows, UP)
    return [
        Finding("no downlink payload", percent(down.share_to(0)), "11.3 %", down.n),
        Finding("no uplink payload", percent(up.share_to(0)), "10.9 %", up.n),
        Finding("90 % of flows: downlink up to", size(down.quantile(0.9)), "35.9 KB", down.n),
        Finding("90 % of flows: uplink up to", size(up.quantile(0.9)), "2.9 KB", up.n),
        Finding("above 1 MB downlink", percent(1 - down.share_to(1e6)), "0.6 %", down.n),
        Finding("above 100 KB uplink", percent(1 - up.share_to(1e5)), "0.1 %", up.n),
    ]


fig2 = Exhibit(
    "lte13", "fig2", "section 4.1", "Size of TCP flows", table, findings,
    Picture("payload of a flow (bytes)", published=PUBLISHED),
    needs=Needs(both_ways=True, begun=True),
    caption=(
        "Distribution over TCP flows of the payload that each carried, down and up. "
        "Retransmitted bytes count (methods A5)."
    ),
)  # fmt: skip
