"""Figure 15: retransmitted packets of a download (methods C2)."""

from __future__ import annotations

from airmile._words import percent
from airmile.study._needs import BEFORE_RADIO, Needs
from airmile.study.hwy18._trials import Quantity, exhibit

fig15 = exhibit(
    "fig15",
    "section 5.7",
    "Retransmissions",
    Quantity(
        "retransmitted_percent",
        "retransmissions (% of packets)",
        lambda each: percent(each / 100),
        {"bbr": "fewer than CUBIC"},
        most=5,
    ),
    caption=(
        "Distribution over downloads of the share of packets that were retransmitted, by the "
        "sender's congestion control. Most follow from queues that overflow. A line straight "
        "up at 0 % is the share of downloads that had none (methods C2)."
    ),
    needs=Needs(places=BEFORE_RADIO, both_ways=True),
)  # fmt: skip
