"""Figure 17: throughput and delay of the first megabyte (methods D2)."""

from __future__ import annotations

from airmile.study.hwy18 import _summary

fig17 = _summary.exhibit(
    "fig17",
    "section 5.8",
    "Throughput and delay of the first megabyte",
    ("first_bps", "first_self_inflicted_ms"),
    {"bbr": "half above CUBIC, in delay too"},
    caption=(
        "Mean throughput of the first megabyte against the mean delay that it inflicts on "
        "itself, by the sender's congestion control. Bars are 95 % intervals of both means; up "
        "and to the left is better (methods B6, D2, I3)."
    ),
)  # fmt: skip
