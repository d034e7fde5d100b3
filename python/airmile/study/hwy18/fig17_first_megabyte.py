"""Figure 17: throughput and delay of the first megabyte (methods D2)."""

from __future__ import annotations

from airmile.study.hwy18 import _summary

fig17 = _summary.exhibit(
    "fig17",
    "section 5.8",
    "Throughput and delay of the first megabyte",
    ("first_bps", "first_self_inflicted_ms"),
    {"bbr": "half above CUBIC, in delay too"},
)
