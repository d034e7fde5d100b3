"""Figure 15: duplicate ACKs after which no slow start follows, packet by packet."""

from __future__ import annotations

from airmile.study.lte13 import _trains

fig15 = _trains.exhibit(
    "fig15", "Duplicate ACKs that trigger no slow start",
    _trains.Which("NOT slow_start AND NOT timed_out", "abs(rss_ratio - 1)",
                  "and none without a timeout of its sender"),
    {"rss": "1.0", "in_flight": "much less than 500 KB", "rtt_before": "near the next",
     "rtt_after": "near the last", "rto": ""},
    caption=(
        "The train of duplicate ACKs whose R_ss is nearest to 1, packet by packet, above the "
        "round trips; one in which its sender had no timeout. R_ss "
        "compares the bytes sent in the second shaded span with those in the first: "
        "below 1.5 no slow start followed. Steps are the sender's timeout by RFC 6298, by LTE13 "
        "with a floor of 200 ms, and by Linux (methods C4, C5)."
    ),
)  # fmt: skip
