"""The evidence of a standing queue, for the three causes that are queues."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._words import rate
from airmile.causes._declaration import Case, milliseconds

RECOVERING_RATIO = 0.05
"""The share of time in loss recovery above which the delay is reported differently.

Packets behind a hole have no RTT sample, so the mean is then that of the other packets; our choice.
"""


def extra_ms(case: Case) -> tuple[float | None, bool]:
    """Return the mean queueing delay in ms, and whether it covers all packets."""
    whole = (case.flow["recovering_ratio"] or 0) <= RECOVERING_RATIO
    return case.flow["self_inflicted_delay_ms"], whole


def evidence(case: Case) -> Iterator[str]:
    """Yield the queueing delay and the available bandwidth."""
    extra, whole = extra_ms(case)
    # On the phone, round trips are measured with uplink data, elsewhere with downlink data.
    timed = case.downlink != (case.vantage == "ue")
    if extra is not None and extra > 0 and timed:
        which = "packets" if whole else "outside of loss recovery packets"
        yield f"{which} waited {milliseconds(extra)} more than in an empty network, on average"
    carried = case.flow["bandwidth_bps" if case.downlink else "ul_bandwidth_bps"]
    if carried is not None:
        yield f"while data queued, the link carried about {rate(carried)}"
