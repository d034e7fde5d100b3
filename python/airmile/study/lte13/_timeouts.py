"""The sender's retransmission timeout by three rules (methods C5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

LEAST_MS = {"rfc": 1000.0, "lte13": 200.0}
"""The least timeout in ms of the two rules that bound the sum: RFC 6298's and LTE13's."""

LINUX_MS = 200.0
"""The least value in ms of the second term, which Linux bounds instead of the sum."""

RULES = (*LEAST_MS, "linux")


def timeouts(
    packets: Iterable[dict[str, Any]], upstream_ms: float
) -> Iterator[tuple[int, dict[str, float]]]:
    """Yield the time of each ACK that advances and has an RTT, and the timeouts after it, in ms.

    A round trip is the one at the capture point plus the one beyond that point (`upstream_ms`).

    >>> ack = {"direction": "uplink", "ack_offset": 1, "rtt_ms": 100.0, "time_ns": 5}
    >>> list(timeouts([ack], 0.0))
    [(5, {'rfc': 1000.0, 'lte13': 300.0, 'linux': 300.0})]
    """
    smooth = spread = None
    acknowledged = -1
    for packet in packets:
        ack, rtt_ms = packet["ack_offset"], packet["rtt_ms"]
        if packet["direction"] != "uplink" or ack is None or ack <= acknowledged:
            continue
        acknowledged = ack
        if rtt_ms is None:
            continue
        sample = rtt_ms + upstream_ms
        if smooth is None or spread is None:
            smooth, spread = sample, sample / 2
        else:
            spread = 0.75 * spread + 0.25 * abs(smooth - sample)
            smooth = 0.875 * smooth + 0.125 * sample
        yield packet["time_ns"], _by_rule(smooth, spread)


def _by_rule(smooth: float, spread: float) -> dict[str, float]:
    with_floor = {rule: max(least, smooth + 4 * spread) for rule, least in LEAST_MS.items()}
    return {**with_floor, "linux": smooth + max(LINUX_MS, 4 * spread)}
