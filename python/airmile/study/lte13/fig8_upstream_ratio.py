"""Figure 8: the round trip beyond the monitor divided by the round trip to the phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._words import percent
from airmile.study._curves import Curve, Picture, Points, curves
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._needs import MONITOR, Needs
from airmile.study.lte13 import _flows

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

RATIO = "RTT(M-S) / RTT(C-M)"

PUBLISHED = {RATIO: [(1.0, 0.45)]}


def table(dataset: Tables) -> pa.Table:
    """Return the distribution of upstream over downstream RTT without proxies (methods B1)."""
    flows = _flows.tcp(dataset, "upstream_rtt_ms", "downstream_rtt_ms", _flows.PROXIED)
    values = f"""SELECT upstream_rtt_ms / downstream_rtt_ms AS value
        FROM {flows} WHERE NOT {_flows.PROXIED} AND downstream_rtt_ms > 0"""
    lacking = f"no handshake whose two parts are known{_flows.without_proxied(dataset)}"
    return curves(dataset, [Curve(RATIO, values, (1.0,))], lacking, _flows.MONITOR)


def findings(rows: pa.Table) -> list[Finding]:
    """Return how often the longer part of the round trip lies beyond the monitor."""
    own = Points(rows, RATIO)
    return [
        Finding("upstream is the longer part", percent(1 - own.share_to(1.0)), "55 %", own.n),
        Finding("median ratio", f"{own.quantile(0.5):.2f}", "", own.n),
    ]


fig8 = Exhibit(
    "lte13", "fig8", "section 4.2", "Round trip beyond the monitor over that to the phone", table,
    findings,
    Picture("RTT(M-S) / RTT(C-M)", log=False, published=PUBLISHED, limits=(0, 4)),
    needs=Needs(places=MONITOR),
    caption=(
        "Distribution over TCP flows without proxy of the handshake's round trip beyond the "
        "capture point, over that between it and the phone. Above 1 the longer part lies beyond "
        "the radio network (methods B1)."
    ),
)  # fmt: skip
