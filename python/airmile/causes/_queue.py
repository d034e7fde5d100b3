"""What speaks for a standing queue, whichever of the three places it stands in."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._words import rate
from airmile.causes._declaration import Case, milliseconds


def evidence(case: Case) -> Iterator[str]:
    """Tell how long packets waited, and what the link could carry."""
    extra = case.flow["self_inflicted_delay_ms"]
    # At the phone it is the uplink's data that is timed, elsewhere the downlink's.
    timed = case.downlink != (case.vantage == "ue")
    if extra is not None and extra > 0 and timed:
        yield f"packets waited {milliseconds(extra)} more than in an empty network, on average"
    carried = case.flow["bandwidth_bps" if case.downlink else "ul_bandwidth_bps"]
    if carried is not None:
        yield f"the link could carry about {rate(carried)}"
