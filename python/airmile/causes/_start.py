"""The evidence of a growing congestion window."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._words import NBSP, count
from airmile.causes._declaration import Case


def evidence(case: Case) -> Iterator[str]:
    """Yield the initial window of the server."""
    first = case.flow["initial_window_bytes"]
    if case.downlink and first is not None:
        yield f"the server began with {count(first)}{NBSP}B in flight"
