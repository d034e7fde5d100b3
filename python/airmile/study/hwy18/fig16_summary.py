"""Figure 16: throughput and delay of whole downloads."""

from __future__ import annotations

from airmile.study.hwy18 import _summary

fig16 = _summary.exhibit(
    "fig16",
    "section 5.8",
    "Throughput and delay of the downloads",
    ("bps", "self_inflicted_delay_ms"),
    {"bbr": "above CUBIC; a third of its delay"},
)
