"""Figure 13: the delay that the first megabyte inflicts on itself (methods D2, B6)."""

from __future__ import annotations

from airmile._words import seconds
from airmile.study._needs import BEFORE_RADIO, Needs
from airmile.study.hwy18._trials import Quantity, exhibit

fig13 = exhibit(
    "fig13",
    "section 5.6",
    "Self-inflicted delay of the first megabyte",
    Quantity(
        "first_self_inflicted_ms",
        "self-inflicted delay of the first MB (ms)",
        lambda ms: seconds(ms / 1e3),
        {"bbr": "median 50 ms", "cubic": "median 25 ms"},
        most=100,
        marks={"bbr": [(50, 0.5)], "cubic": [(25, 0.5)]},
    ),
    caption=(
        "Distribution over downloads of the delay that their first megabyte inflicts on itself, "
        "by the sender's congestion control: the mean round trip less that of the handshake. It "
        "is the queue that the start builds (methods B6, D2)."
    ),
    needs=Needs(places=BEFORE_RADIO),
)  # fmt: skip
