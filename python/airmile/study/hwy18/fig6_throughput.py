"""Figure 6: throughput of whole downloads."""

from __future__ import annotations

from airmile._words import rate
from airmile.study.hwy18._trials import Quantity, exhibit

fig6 = exhibit(
    "fig6",
    "section 5.2",
    "Throughput of the downloads",
    Quantity(
        "bps",
        "throughput (Mbps)",
        rate,
        {"bbr": "median 11.6 Mbps", "cubic": "median 11.1 Mbps", "": "7 / 11 / 20 Mbps"},
        most=45,
        marks={
            "bbr": [(7, 0.25), (11.6, 0.5), (20, 0.75), (44, 1.0)],
            "cubic": [(7, 0.25), (11.1, 0.5), (20, 0.75)],
            "all": [(7, 0.25), (20, 0.75)],
        },
        per=1e6,
    ),
    caption=(
        "Distribution over downloads of 1 MB or more of their throughput, by the sender's "
        "congestion control. Throughput is the payload over the time from its first to its last "
        "byte. Hollow marks are what the paper prints: its quartiles of 7 and 20 Mbps are those of "
        "all its controls, the mark at the top is the fastest download by BBR (methods A5, H2)."
    ),
)  # fmt: skip
