"""Figure 1: the payload of sessions, uplink, downlink and both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._words import size
from airmile.store._needs import source
from airmile.study._curves import Curve, Picture, Points, curves, names
from airmile.study._exhibit import Exhibit, Finding

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.dataset import Dataset

UP, DOWN, BOTH = "upload", "download", "upload + download"


def table(dataset: Dataset) -> pa.Table:
    """Return the distributions of payload per session in MB (methods A9)."""
    sessions = source(dataset, "sessions", "ul_bytes", "dl_bytes")
    volumes = {UP: "ul_bytes", DOWN: "dl_bytes", BOTH: "ul_bytes + dl_bytes"}
    wanted = [
        Curve(name, f"SELECT ({volume}) / 1e6 AS value FROM {sessions}", (1.0,))
        for name, volume in volumes.items()
    ]
    return curves(
        dataset,
        wanted,
        "no session",
        "capture the traffic of a phone that sends or receives payload",
    )


def findings(rows: pa.Table) -> list[Finding]:
    """Return the median of each distribution."""
    return [
        Finding(f"median, {name}", size(own.quantile(0.5) * 1e6), "", own.n)
        for name, own in ((name, Points(rows, name)) for name in names(rows))
    ]


fig1 = Exhibit(
    "up16", "fig1", "section 3", "Payload of sessions", table, findings,
    Picture("session size (MB)", reach=(0.001, 100)),
    caption=(
        "Distribution over sessions of their payload, up, down and both. A session of a phone "
        "ends with a silence (methods A3, A9)."
    ),
)  # fmt: skip
