"""The cause `receiver_app`: the receiving application did not read in time."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import ORANGE
from airmile._words import counted, seconds, size
from airmile.causes._declaration import Case, Declaration

SLOW = "most of the receiver's buffer stays full"
"""How the reason of a slice begins whose reader is slow but has not stopped."""


def evidence(case: Case) -> Iterator[str]:
    """Yield how much of its buffer a slow reader left, and for how long the window was closed."""
    is_slow = (case.flow.get("reasons") or {}).get("receiver_app", "").startswith(SLOW)
    if is_slow and (offered := case.way("offered_max_bytes")):
        yield (
            f"less than half of the {size(offered)} that the {case.receiver} once offered was free"
        )
    told = case.back("zero_windows")
    closed_s = case.flow["zero_window_s" if case.downlink else "ul_zero_window_s"]
    if told:
        whole = f" for {seconds(closed_s)} in all" if closed_s else ""
        yield f"the {case.receiver}'s window was closed{whole}, as {counted(told, 'packet')} said"


def advice(case: Case) -> Iterator[str]:
    """Yield advice on the application that reads too slowly."""
    if case.downlink:
        yield "the application on the phone reads too slowly: look for work done between two reads"
    else:
        yield (
            "the server's application reads the upload too slowly: look for work done between two "
            "reads (writing to disk, scanning, passing it on)"
        )


DECLARATION = Declaration(
    colour=ORANGE,
    hatch="//",
    satisfies=frozenset({"rwnd", "idle_or_app"}),
    evidence=evidence,
    advice=advice,
    of_sender=True,
)
