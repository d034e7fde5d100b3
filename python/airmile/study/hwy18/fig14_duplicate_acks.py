"""Figure 14: duplicate ACKs among all ACKs of a download (methods C3)."""

from __future__ import annotations

from airmile._words import percent
from airmile.study.hwy18._trials import Quantity, exhibit

fig14 = exhibit(
    "fig14",
    "section 5.7",
    "Duplicate ACKs",
    Quantity(
        "duplicate_acks_percent",
        "duplicate ACKs (% of ACKs)",
        lambda each: percent(each / 100),
        {"bbr": "median below 1 %", "cubic": "5 % to 10 %"},
        most=30,
    ),
    caption=(
        "Distribution over downloads of the share of duplicate ACKs among all ACKs, by the "
        "sender's congestion control. They follow losses and reordering. A line "
        "straight up at 0 % is the share of downloads that had none (methods C3)."
    ),
)  # fmt: skip
