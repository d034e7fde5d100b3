"""Figure 1: the payload of sessions, uplink, downlink and both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._words import percent, size
from airmile.store._needs import source
from airmile.study._curves import Curve, Picture, Points, curves, names
from airmile.study._exhibit import Exhibit, Finding

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

PUBLISHED = {"upload": [(1.0, 0.996)], "download": [(1.0, 0.978)]}
"""MB and share."""

UP, DOWN, BOTH = "upload", "download", "upload + download"


def table(dataset: Tables) -> pa.Table:
    """Return the distributions of payload per session in MB (methods A9)."""
    sessions = source(dataset, "sessions", "ul_bytes", "dl_bytes")
    volumes = {UP: "ul_bytes", DOWN: "dl_bytes", BOTH: "ul_bytes + dl_bytes"}
    wanted = [
        Curve(
            name,
            f"""SELECT ({volume}) / 1e6 AS value FROM {sessions}
            WHERE ul_bytes + dl_bytes > 0""",
            (1.0,),
        )
        for name, volume in volumes.items()
    ]
    return curves(
        dataset,
        wanted,
        "no session with payload",
        "capture the traffic of a phone that sends or receives payload",
    )


def findings(rows: pa.Table) -> list[Finding]:
    """Give the median of each, and the sessions that carry much."""
    found = []
    for name in names(rows):
        own = Points(rows, name)
        printed = "".join(percent(1 - share) for _, share in PUBLISHED.get(name, ()))
        found += [
            Finding(f"median, {name}", size(own.quantile(0.5) * 1e6), "", own.n),
            Finding("  above 1 MB", percent(1 - own.share_to(1.0)), printed, own.n),
        ]
    return found


fig1 = Exhibit(
    "up16", "fig1", "section 3", "Payload of sessions", table, findings,
    Picture("session size (MB)", published=PUBLISHED, reach=(0.001, 100)),
    caption=(
        "Distribution over sessions of their payload, up, down and both; sessions without any do "
        "not count. A session of a phone ends with a silence (methods A3, A9)."
    ),
)  # fmt: skip
