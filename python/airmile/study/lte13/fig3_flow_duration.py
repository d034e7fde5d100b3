"""Figure 3: the duration of TCP flows, and how long they stay open after their last payload."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._words import percent, seconds
from airmile.study._curves import Curve, Picture, Points, curves, names
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._needs import Needs
from airmile.study.lte13 import _flows

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

DURATION, ENDING = "duration", "last payload to last packet"

TAIL_S = 10.0
"""The radio's tail in s in the network of the paper (LTE13 section 4.1)."""

PUBLISHED = {
    DURATION: [(5.0, 0.481), (180.0, 0.932), (600.0, 0.972)],
    ENDING: [(TAIL_S, 0.769)],
}


def table(dataset: Tables) -> pa.Table:
    """Return the distributions of duration (methods A5) and of the gap before the end (A6)."""
    flows = _flows.tcp(dataset, "duration_s", "ending_gap_s")
    wanted = [
        Curve(DURATION, f"SELECT duration_s AS value FROM {flows}", (5.0, 180.0, 600.0)),
        Curve(ENDING, f"SELECT ending_gap_s AS value FROM {flows}", (TAIL_S,)),
    ]
    return curves(dataset, wanted, _flows.LACKING, _flows.HOW)


def findings(rows: pa.Table) -> list[Finding]:
    """Return the shares of short and long flows, and of endings later than the radio's tail."""
    lasting = Points(rows, DURATION)
    found = [
        Finding("up to 5 s", percent(lasting.share_to(5.0)), "48.1 %", lasting.n),
        Finding("above 3 min", percent(1 - lasting.share_to(180.0)), "6.8 %", lasting.n),
        Finding("above 10 min", percent(1 - lasting.share_to(600.0)), "2.8 %", lasting.n),
        Finding("median duration", seconds(lasting.quantile(0.5)), "", lasting.n),
    ]
    if ENDING in names(rows):
        ending = Points(rows, ENDING)
        delayed = percent(1 - ending.share_to(TAIL_S))
        found.append(Finding("closed: FIN or RST above 10 s late", delayed, "23.1 %", ending.n))
    return found


fig3 = Exhibit(
    "lte13", "fig3", "section 4.1", "Duration of TCP flows, and their delayed endings", table,
    findings, Picture("time (s)", published=PUBLISHED), needs=Needs(begun=True),
    caption=(
        "Distributions over TCP flows of the time from first to last packet, and of the time "
        "from the last payload to the FIN or RST that ends the flow. An ending later than the "
        "radio's tail of 10 s may wake the radio for nothing (methods A5, A6)."
    ),
)  # fmt: skip
