"""Links that behave as the three networks that EFF14 measured (section 4, table I).

Table I pools the long flows of run A with the 320-KiB flows of run B: 36 to 90 flows, each alone on
the link. Its 5th and 50th percentile are short flows, its 95th is a long one. The quantiles here
were calibrated: the capacities and round trips drawn from them, with the same mixture of flows and
the TCP of today's kernel, give the percentiles of the table. They do not measure a radio. The
kernels of EFF14 opened their windows more slowly than today's, so the slow links here are slower
than the measured links must have been.

Consecutive seeds are spread evenly over the quantiles (a Weyl sequence), so that a dozen runs show
the whole distribution.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Quantiles = Sequence[tuple[float, float]]
"""Pairs of a share and the value at this share, both ascending, from share 0 to share 1."""


@dataclass(frozen=True)
class Network:
    """The properties of a network's links; capacity and round trip are drawn for each link.

    Attributes
    ----------
    downlink_mbps : Quantiles
        Capacity of the downlink in Mbit/s, with IP headers.
    round_trip_ms : Quantiles
        The round trip of a handshake without load, in ms.
    fixed_ms : float
        The part of the round trip that the radio takes: transmission, grants and the wait for the
        next TTI.
    uplink_mbps : float
        Capacity of the uplink in Mbit/s.
    air_ms : float
        The time from transmission to delivery, in ms.
    queue : dict
        The settings of the downlink's queue.
    uplink_queue : dict
        The settings of the queue in the phone.
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
        """Return the settings of the link that belongs to a seed."""
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
"""The share of blocks that need a HARQ retransmission.

A handshake takes few and small blocks: a larger share would spread its round trips more widely than
those of the table.
"""

_GOLDEN, _SQRT_2 = (math.sqrt(5) - 1) / 2, math.sqrt(2) - 1
"""The steps of the two Weyl sequences; neither is a multiple of the other."""


def drawn(quantiles: Quantiles, seed: int, step: float) -> float:
    """Return the value at the seed's share, interpolated between the quantiles log-linearly."""
    share = (seed * step) % 1.0
    pairs = itertools.pairwise(quantiles)
    (low, least), (high, most) = next(pair for pair in pairs if share <= pair[1][0])
    part = (share - low) / (high - low)
    return least * math.exp(part * math.log(most / least))


EFF14: dict[str, Network] = {
    # A short queue, because the round trip hardly grows under load (EFF14 figure 3).
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
    # One long queue, because the round trip shifts and widens under load (EFF14 figure 2).
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
