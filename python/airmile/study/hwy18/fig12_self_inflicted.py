"""Figure 12: the delay that each download inflicts on itself (methods B6)."""

from __future__ import annotations

from airmile._words import seconds
from airmile.study._needs import BEFORE_RADIO, Needs
from airmile.study.hwy18._trials import Quantity, exhibit

fig12 = exhibit(
    "fig12",
    "section 5.6",
    "Self-inflicted delay of the downloads",
    Quantity(
        "self_inflicted_delay_ms",
        "self-inflicted delay (ms)",
        lambda ms: seconds(ms / 1e3),
        {"bbr": "a third of CUBIC's", "": ""},
        most=100,
    ),
    caption=(
        "Distribution over downloads of the delay that each inflicts on itself, by the sender's "
        "congestion control: its mean round trip less that of its handshake. It is the queue "
        "that the download builds (methods B6)."
    ),
    needs=Needs(places=BEFORE_RADIO),
)  # fmt: skip
