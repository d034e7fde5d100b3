"""Figure 8: round trips of handshakes beside those of pings (methods B1, B5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._words import percent, seconds
from airmile.store._needs import contains, source
from airmile.study._curves import Curve, Picture, Points, curves, names
from airmile.study._exhibit import Exhibit, Finding
from airmile.study.hwy18._trials import HOW, trials
from airmile.uplink import phone

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

HANDSHAKES, PINGS = "handshakes", "pings"

LOW_MS, HIGH_MS, LONG_MS = 40, 80, 100
"""Bounds in ms: most round trips of the paper lie between the first two, its tail above."""


def table(dataset: Tables) -> pa.Table:
    """Return the distributions of round trips of handshakes and of pings, seen from the phone."""
    dataset = phone.seen_from(dataset)
    marks = (LOW_MS, HIGH_MS, LONG_MS)
    handshakes = f"""SELECT handshake_rtt_ms AS value FROM {trials(dataset)}
        WHERE NOT coalesce(handshake_after_idle, false)"""
    wanted = [Curve(HANDSHAKES, handshakes, marks)]
    if contains(dataset, "pings"):
        rows = source(dataset, "pings", "rtt_ms")
        wanted.append(Curve(PINGS, f"SELECT rtt_ms AS value FROM {rows}", marks))
    return curves(dataset, wanted, "no handshake of a download, and no ping", HOW)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the medians, and the shares of the bulk and of the tail."""
    found = []
    for name in names(rows):
        points = Points(rows, name)
        bulk = points.share_to(HIGH_MS) - points.share_to(LOW_MS)
        found += [
            Finding(f"{name}: median", seconds(points.quantile(0.5) / 1e3), "", points.n),
            Finding("  between 40 ms and 80 ms", percent(bulk), "the bulk", points.n),
            Finding("  above 100 ms", percent(1 - points.share_to(LONG_MS)), "some", points.n),
        ]
    return found


fig8 = Exhibit(
    "hwy18", "fig8", "section 5.3", "Round trips of handshakes and pings", table, findings,
    Picture("round trip (ms)", reach=(20, 400)),
    caption=(
        "Distribution of the round trips of TCP handshakes beside those of pings. Handshakes "
        "that had to wake the radio do not count (methods B1, B5)."
    ),
)  # fmt: skip
