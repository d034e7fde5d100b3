"""Figure 15: duplicate ACKs that trigger no slow start, packet by packet."""

from __future__ import annotations

from airmile.study.lte13 import _trains

fig15 = _trains.exhibit(
    "fig15", "Duplicate ACKs that trigger no slow start", "abs(rss_ratio - 1)",
    {"rss": "1.0", "in_flight": "much less than 500 KB", "rtt_before": "near the next",
     "rtt_after": "near the last", "rto": ""},
)  # fmt: skip
