"""What speaks for a window that grows."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._words import NBSP, count
from airmile.causes._declaration import Case


def evidence(case: Case) -> Iterator[str]:
    """Say with how much data in flight the server began."""
    first = case.flow["initial_window_bytes"]
    if case.downlink and first is not None:
        yield f"the server began with {count(first)}{NBSP}B in flight"
