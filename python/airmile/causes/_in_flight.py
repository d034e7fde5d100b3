"""The largest number of bytes in flight, as the evidence of two causes names it."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._words import NBSP, count
from airmile.causes._declaration import Case


def evidence(case: Case) -> Iterator[str]:
    """Yield how many bytes were in flight at most; next to the receiver nothing shows that."""
    most = case.way("in_flight_max_bytes")
    if most and not case.at_receiver:
        yield f"at most {count(most)}{NBSP}B in flight{case.whose}"
