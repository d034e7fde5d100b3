"""Figure 16: duplicate ACKs after which a slow start follows, packet by packet."""

from __future__ import annotations

from airmile.study.lte13 import _trains

fig16 = _trains.exhibit(
    "fig16", "Duplicate ACKs that trigger a slow start",
    _trains.Which("slow_start AND timed_out", "rss_ratio DESC",
                  "none of them with a timeout of its sender"),
    {"rss": "3.7", "in_flight": "500 KB", "rtt_before": "262 ms", "rtt_after": "356 ms",
     "rto": "290 ms"},
    caption=(
        "The train of duplicate ACKs with the largest R_ss among those whose sender had a timeout, "
        "packet by packet, above the round trips. R_ss compares the bytes sent in the second "
        "shaded span with those in the first: above 1.5 a slow start followed. Steps are the "
        "sender's timeout by RFC 6298, by LTE13 with a floor of 200 ms, and by Linux (methods C4, "
        "C5)."
    ),
)  # fmt: skip
