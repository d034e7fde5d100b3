"""Ends a process of a run by a signal, when the run is over."""

from __future__ import annotations

import signal
from collections.abc import Callable


def asked() -> Callable[[], bool]:
    """Handle SIGTERM and SIGINT from now on; give a function that says whether one has come."""
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    return lambda: stopped
