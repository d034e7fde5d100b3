"""Figure 5: the rates of TCP flows, uplink, and downlink by size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._words import rate
from airmile.study._curves import Curve, Picture, Points, curves, names
from airmile.study._exhibit import Exhibit, Finding
from airmile.study.lte13 import _flows

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

UP = "uplink"

ABOVE = {"downlink": 0, "downlink, above 10 KB": 10_000, "downlink, above 100 KB": 100_000,
         "downlink, above 1 MB": 1_000_000}  # fmt: skip
"""The downlink classes by least payload in bytes; the paper does not print its classes."""


def table(dataset: Tables) -> pa.Table:
    """Return the distributions of payload over duration, of flows with payload (methods A5)."""
    flows = _flows.tcp(
        dataset, "ul_payload_bytes", "ul_rate_bps", "dl_payload_bytes", "dl_rate_bps"
    )
    wanted = [Curve(UP, f"SELECT ul_rate_bps AS value FROM {flows} WHERE ul_payload_bytes > 0")]
    wanted += [
        Curve(name, f"SELECT dl_rate_bps AS value FROM {flows} WHERE dl_payload_bytes > {least}")
        for name, least in ABOVE.items()
    ]
    return curves(dataset, wanted, "no TCP flow with payload", _flows.HOW)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the median of each class; in the paper larger flows are faster."""
    return [
        Finding(f"median, {name}", rate(own.quantile(0.5)), "", own.n)
        for name, own in ((name, Points(rows, name)) for name in names(rows))
    ]


fig5 = Exhibit(
    "lte13", "fig5", "section 4.1", "Rates of TCP flows by size", table, findings,
    Picture("rate of a flow (bit/s)"),
    caption=(
        "Distribution over TCP flows of their rate: payload over the time from first to last "
        "packet. Downlink flows are also drawn by size. The paper normalises its rates, by what it "
        "does not say, so that its axis has no unit (methods A5)."
    ),
)  # fmt: skip
