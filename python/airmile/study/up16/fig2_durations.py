"""Figure 2: the duration of uploads and downloads, by their size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._words import seconds
from airmile.study._curves import Picture, Points, curves, names
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._needs import Needs
from airmile.study._panels import Panels
from airmile.study.up16 import _sizes

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables


WAYS = {"upload": "ul", "download": "dl"}


def table(dataset: Tables) -> pa.Table:
    """Return the distributions over flows of the time in bursts of payload (methods A9)."""
    wanted = [
        curve
        for way, direction in WAYS.items()
        for curve in _sizes.by_size(dataset, direction, "burst_s", f"{way} ")
    ]
    return curves(dataset, wanted, _sizes.LACKING, _sizes.HOW)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the median of each class; in the paper large uploads last longest."""
    return [
        Finding(f"median, {name}", seconds(own.quantile(0.5)), "", own.n)
        for name, own in ((name, Points(rows, name)) for name in names(rows))
    ]


def _picture(way: str) -> Picture:
    own = [f"{way} {size}" for size in _sizes.CLASSES]
    return Picture(f"time in bursts of {way} payload (s)", reach=(0.01, 1000), names=own)


fig2 = Exhibit(
    "up16", "fig2", "section 3", "Duration of uploads and downloads by size", table, findings,
    Panels([_picture(way) for way in WAYS]), needs=Needs(begun=True),
    caption=(
        "Distribution over TCP flows, by the payload of a direction, of the time that its "
        "bursts of payload last together. Pauses between bursts do not count (methods A9)."
    ),
)  # fmt: skip
