"""Figure 4a: the increase of the round trip by uploads, by the bytes sent in a second."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._words import seconds
from airmile.study._curves import Picture, Points, curves, names
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._needs import PHONE, Needs
from airmile.study.up16._slots import LITTLE_BYTES, by_size, how

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables


def table(dataset: Tables) -> pa.Table:
    """Return the distributions over seconds, by class of uplink bytes (methods A9)."""
    wanted = by_size(dataset, "rtt_increase_ms", f"dl_bytes < {LITTLE_BYTES}")
    return curves(dataset, wanted, "no slot with uplink payload and a sample", how(dataset))


def findings(rows: pa.Table) -> list[Finding]:
    """Return the median of each class; by the paper they grow with the upload."""
    medians = [(name, Points(rows, name)) for name in names(rows)]
    return [
        Finding(f"upload {name}: median", seconds(points.quantile(0.5)), "grows", points.n)
        for name, points in medians
    ]


fig4a = Exhibit(
    "up16", "fig4a", "section 3", "RTT increase of uploads, by slot", table, findings,
    Picture("RTT increase (s)", reach=(0.01, 1)), needs=Needs(places=PHONE),
    caption=(
        "Distribution over seconds with uploads, by the bytes sent in the second, of how far "
        "the round trip exceeds the least of its flow. Seconds with 5 KB or more downlink do "
        "not count (methods A9)."
    ),
)  # fmt: skip
