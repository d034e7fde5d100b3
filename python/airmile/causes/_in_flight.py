"""The bytes in flight while a cause limited a flow, as the evidence of two causes names them."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._words import NBSP, count
from airmile.causes._declaration import Case


def evidence(case: Case, cause: str) -> Iterator[str]:
    """Yield how many bytes were in flight; next to the receiver nothing shows that.

    The flow's greatest number is not that of the cause: while losses are repaired it counts what
    arrived behind a hole (methods C1).
    """
    most = (case.flow.get("in_flight_bytes") or {}).get(cause)
    if most and not case.at_receiver:
        yield f"up to {count(most)}{NBSP}B in flight{case.whose}"
