"""Figure 16: throughput and delay of whole downloads."""

from __future__ import annotations

from airmile.study.hwy18 import _summary

fig16 = _summary.exhibit(
    "fig16",
    "section 5.8",
    "Throughput and delay of the downloads",
    ("bps", "self_inflicted_delay_ms"),
    {"bbr": "above CUBIC; a third of its delay"},
    caption=(
        "Mean throughput of the downloads against the mean delay that they inflict on "
        "themselves, by the sender's congestion control. Bars are 95 % intervals of both means; "
        "up and to the left is better (methods B6, I3)."
    ),
)  # fmt: skip
