"""Figure 3: the rates of uploads and downloads, and of uploads by their size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._words import rate
from airmile.store._needs import source
from airmile.study._curves import Curve, Picture, Points, curves, names
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._needs import Needs
from airmile.study._panels import Panels
from airmile.study.up16 import _sizes

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

UP, DOWN = "upload", "download"

PUBLISHED = {
    "upload 1-10 MB": [(1.4, 0.25), (2.4, 0.5), (3.8, 0.75)],
    "upload > 10 MB": [(2.2, 0.5), (12.8, 1.0)],
}
"""Points that the paper prints: a rate in Mbps and the share of flows up to this rate."""


def table(dataset: Tables) -> pa.Table:
    """Return the distributions of rates in Mbps of flows with 3 s of bursts (methods A9)."""
    flows = source(dataset, "flows", "ul_burst_bps", "dl_burst_bps")
    wanted = [
        Curve(name, f"SELECT {way}_burst_bps / 1e6 AS value FROM {flows}")
        for name, way in ((UP, "ul"), (DOWN, "dl"))
    ]
    wanted += _sizes.by_size(dataset, "ul", "burst_bps", "upload ", 1e6)
    lacking = "no TCP flow with 3 s or more of payload in one direction"
    return curves(dataset, wanted, lacking, _sizes.HOW_LONG)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the quartiles and the highest rate of each distribution."""
    found = []
    for name in names(rows):
        own, printed = Points(rows, name), {share: mbps for mbps, share in PUBLISHED.get(name, ())}
        for share, spoken in ((0.25, "25 %"), (0.5, "median"), (0.75, "75 %"), (1.0, "most")):
            published = f"{printed[share]:g} Mbps" if share in printed else ""
            here = rate(own.quantile(share) * 1e6)
            found.append(Finding(f"{name}: {spoken}", here, published, own.n))
    return found


fig3 = Exhibit(
    "up16", "fig3", "section 3", "Rates of uploads and downloads", table, findings,
    Panels([
        Picture("rate in bursts of payload (Mbps)", names=(UP, DOWN), reach=(0.001, 100)),
        Picture("rate in bursts of upload payload (Mbps)", names=[f"{UP} {size}" for size in
                _sizes.CLASSES], published=PUBLISHED, reach=(0.001, 10)),
    ]),
    caption=(
        "Distribution over TCP flows of the rate in bursts of payload, for uploads also by "
        "size. Flows with less than 3 s of bursts have no rate (methods A9)."
    ),
    needs=Needs(begun=True),
)  # fmt: skip
