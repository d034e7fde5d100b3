"""Classes of TCP flows by the payload of one direction (UP16 section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile.store._needs import source
from airmile.store._remedies import MANY
from airmile.study._curves import Curve

if TYPE_CHECKING:
    from airmile.store import Tables

CLASSES = {"0.1-1 MB": (1e5, 1e6), "1-10 MB": (1e6, 1e7), "> 10 MB": (1e7, float("inf"))}
"""The classes by payload in bytes: the least, which is included, and the most, which is not."""

LACKING = "no TCP flow of 100 KB or more"
HOW = f"capture uploads or downloads of 100 KB or more, or several captures together: {MANY}"
HOW_LONG = f"capture uploads or downloads of 3 s or more, or several captures together: {MANY}"


def by_size(dataset: Tables, way: str, value: str, spoken: str, scale: float = 1.0) -> list[Curve]:
    """Return a curve of a column for each class of size; values are divided by `scale`."""
    size = f"{way}_payload_bytes"
    flows = source(dataset, "flows", "protocol", size, f"{way}_{value}")
    return [
        Curve(
            f"{spoken}{name}",
            f"""SELECT {way}_{value} / {scale} AS value FROM {flows}
            WHERE protocol = 'tcp' AND {size} >= {least} AND {size} < '{most}'::DOUBLE""",
        )
        for name, (least, most) in CLASSES.items()
    ]
