"""Figure 7: throughput of the first megabyte of each download (methods D2)."""

from __future__ import annotations

from airmile._words import rate
from airmile.study.hwy18._trials import Quantity, exhibit

fig7 = exhibit(
    "fig7",
    "section 5.2",
    "Throughput of the first megabyte",
    Quantity(
        "first_bps",
        "throughput of the first MB (Mbps)",
        rate,
        {"bbr": "median half above CUBIC's", "": ""},
        most=45,
        marks={"bbr": [(12.5, 1.0)]},
        per=1e6,
    ),
    caption=(
        "Distribution over downloads of the throughput of their first megabyte, by the sender's "
        "congestion control. It shows how fast a control starts. The hollow mark is "
        "12.5 Mbps, which only whole downloads of the paper exceed (methods D2)."
    ),
)  # fmt: skip
