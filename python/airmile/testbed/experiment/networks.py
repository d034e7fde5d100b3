"""Links that behave as the three networks that EFF14 measured (section 4, table I).

Table I pools the long flows of run A with the 320-KiB flows of run B, 36 to 90 of them, neither
with anything beside it: its 5 and 50 % are short flows, its 95 % long ones. So a seed draws the
capacity and the round trip of its link from quantiles that were calibrated until such a mixture,
sent by the TCP of today's kernel, has the percentiles of the table. They are no measurement of a
radio: EFF14's kernels opened their windows more slowly than today's, so that the slow links here
are slower than theirs must have been.

Consecutive seeds are spread evenly over the quantiles (a Weyl sequence), so that a dozen of
replications show the whole distribution.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Quantiles = Sequence[tuple[float, float]]
"""Pairs of a share and the value at it, both rising, from share 0 to share 1."""


@dataclass(frozen=True)
class Network:
    """The properties of a network's links, some of them drawn for each link.

    Attributes
    ----------
    downlink_mbps : Quantiles
        Capacity, Mbit/s with IP headers.
    round_trip_ms : Quantiles
        The round trip of a handshake without load, in ms.
    fixed_ms : float
        The part of it that the radio takes: air, grants and the wait for the next TTI.
    uplink_mbps : float
        Capacity of the uplink, Mbit/s.
    air_ms : float
        The time from transmission to delivery, in ms.
    queue : dict
        The settings of the downlink's queue.
    uplink_queue : dict
        The settings of the phone's queue.
    grants : dict
        The settings of the uplink's grants.
    """

    downlink_mbps: Quantiles
    round_trip_ms: Quantiles
    fixed_ms: float
    uplink_mbps: float
    air_ms: float
    queue: dict[str, Any]
    uplink_queue: dict[str, Any]
    grants: dict[str, Any]

    def link(self, seed: int) -> dict[str, Any]:
        """Draw the link of a seed."""
        wired_ms = (drawn(self.round_trip_ms, seed, _SQRT_2) - self.fixed_ms) / 2
        return {
            "seed": seed,
            "downlink": {
                **self._air(drawn(self.downlink_mbps, seed, _GOLDEN)),
                "queue": self.queue,
            },
            "uplink": {
                **self._air(self.uplink_mbps),
                "queue": self.uplink_queue,
                "grants": self.grants,
            },
            "path_downlink": {"delay_ms": round(wired_ms, 3)},
            "path_uplink": {"delay_ms": round(wired_ms, 3)},
        }

    def _air(self, mbps: float) -> dict[str, Any]:
        return {
            "rate": {"kind": "constant", "mbps": round(mbps, 4)},
            "air_ms": self.air_ms,
            "harq": dict(_HARQ),
        }


_HARQ = {"failure": 0.02}
"""Ratio of blocks that need a retransmission. The blocks of a handshake are few and small: a larger
ratio would widen the round trips beyond the table."""

_GOLDEN, _SQRT_2 = (math.sqrt(5) - 1) / 2, math.sqrt(2) - 1
"""Steps of the two Weyl sequences; neither is a multiple of the other."""


def drawn(quantiles: Quantiles, seed: int, step: float) -> float:
    """Give the value at a share, log-linear between the quantiles."""
    share = (seed * step) % 1.0
    pairs = itertools.pairwise(quantiles)
    (low, least), (high, most) = next(pair for pair in pairs if share <= pair[1][0])
    part = (share - low) / (high - low)
    return least * math.exp(part * math.log(most / least))


EFF14: dict[str, Network] = {
    # Under load its round trip hardly grows (figure 3): the queue is kept short.
    "lte": Network(
        downlink_mbps=((0, 7.8), (0.08, 8.2), (0.71, 11.2), (0.79, 74), (1, 78)),
        round_trip_ms=((0, 36.8), (0.05, 37.6), (0.5, 40.3), (0.95, 41.9), (1, 42.5)),
        fixed_ms=25.5,
        uplink_mbps=8,
        air_ms=5,
        queue={"bytes": 2_000_000, "discipline": "codel"},
        uplink_queue={"bytes": 300_000, "qdisc_packets": 1000},
        grants={"request_period_ms": 5, "answer_ms": 8, "delay_ttis": 4, "first_bytes": 100},
    ),
    # Under load its round trip shifts and widens (figure 2): one long queue.
    "hspa": Network(
        downlink_mbps=((0, 3.1), (0.08, 3.3), (0.71, 5), (0.79, 17.5), (1, 18.5)),
        round_trip_ms=((0, 49.5), (0.05, 49.7), (0.5, 50.2), (0.8, 52.5), (0.95, 72), (1, 77)),
        fixed_ms=30,
        uplink_mbps=2,
        air_ms=8,
        queue={"bytes": 500_000},
        uplink_queue={"bytes": 200_000, "qdisc_packets": 1000},
        grants={"request_period_ms": 2, "answer_ms": 8, "delay_ttis": 4, "first_bytes": 100},
    ),
    "3g": Network(
        downlink_mbps=((0, 0.09), (0.05, 0.097), (0.5, 0.158), (0.95, 0.202), (1, 0.21)),
        round_trip_ms=((0, 232), (0.05, 239), (0.5, 256), (0.95, 275), (1, 285)),
        fixed_ms=194,
        uplink_mbps=0.06,
        air_ms=80,
        queue={"bytes": 60_000},
        uplink_queue={"bytes": 30_000, "qdisc_packets": 100},
        grants={"request_period_ms": 10, "answer_ms": 10, "delay_ttis": 10, "first_bytes": 100},
    ),
}
