"""What speaks for a standing queue, whichever of the three places it stands in."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._words import rate
from airmile.causes._declaration import Case, milliseconds

RECOVERING_RATIO = 0.05
"""Where losses are repaired for more of the time, packets whose ACKs a hole swallowed are missing
in the mean, which then is said to be that of the others; our choice."""


def extra_ms(case: Case) -> tuple[float | None, bool]:
    """Return what packets waited more than in an empty network, and whether that is of all."""
    whole = (case.flow["recovering_ratio"] or 0) <= RECOVERING_RATIO
    return case.flow["self_inflicted_delay_ms"], whole


def evidence(case: Case) -> Iterator[str]:
    """Say how long packets waited, and what the link could carry."""
    extra, whole = extra_ms(case)
    # At the phone it is the uplink's data that is timed, elsewhere the downlink's.
    timed = case.downlink != (case.vantage == "ue")
    if extra is not None and extra > 0 and timed:
        which = "packets" if whole else "outside of loss recovery packets"
        yield f"{which} waited {milliseconds(extra)} more than in an empty network, on average"
    carried = case.flow["bandwidth_bps" if case.downlink else "ul_bandwidth_bps"]
    if carried is not None:
        yield f"the link could carry about {rate(carried)}"
