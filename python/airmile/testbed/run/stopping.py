"""Lets a process of a run end properly when it receives a signal."""

from __future__ import annotations

import signal
from collections.abc import Callable


def asked() -> Callable[[], bool]:
    """Handle SIGTERM and SIGINT from now on; return a function that says whether one has come."""
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    return lambda: stopped
