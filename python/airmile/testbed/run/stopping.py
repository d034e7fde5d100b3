"""How a process of a run is told that the run is over."""

from __future__ import annotations

import signal
from collections.abc import Callable


def asked() -> Callable[[], bool]:
    """Take SIGTERM and SIGINT from now on, and give a function that tells whether one has come."""
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    return lambda: stopped
