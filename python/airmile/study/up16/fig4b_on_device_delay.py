"""Figure 4b: the delay of downloads within the phone, by the bytes sent in the second."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._words import seconds
from airmile.study._curves import Picture, Points, curves, names
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._needs import PHONE, Needs
from airmile.study.up16._slots import by_size, how

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables


def table(dataset: Tables) -> pa.Table:
    """Return the distributions over seconds, by class of uplink bytes (methods A9)."""
    wanted = by_size(dataset, "on_device_delay_ms", "dl_bytes > 0")
    return curves(dataset, wanted, "no slot with uplink payload and a sample", how(dataset))


def findings(rows: pa.Table) -> list[Finding]:
    """Return the median of each class; by the paper they grow with the upload."""
    medians = [(name, Points(rows, name)) for name in names(rows)]
    return [
        Finding(f"upload {name}: median", seconds(points.quantile(0.5)), "grows", points.n)
        for name, points in medians
    ]


fig4b = Exhibit(
    "up16", "fig4b", "section 3", "Delay of downloads on the phone, by upload in the slot",
    table, findings,
    Picture("delay on the phone (s)", reach=(0.01, 1)), needs=Needs(places=PHONE),
    caption=(
        "Distribution over seconds with payload both ways, by the bytes sent in the second, of "
        "the delay of downloads within the phone. Uploads that fill the phone's buffers delay "
        "the ACKs of downloads. The paper's axis begins at a share of 0.8; here also the shorter "
        "delays are drawn, so that the medians can be read (methods A9, B7)."
    ),
)  # fmt: skip
