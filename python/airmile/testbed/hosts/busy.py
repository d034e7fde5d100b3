"""Programs that keep the cores busy during a run, to measure how late the link then becomes."""

from __future__ import annotations

from airmile._errors import UsageError
from airmile.testbed.hosts.processes import Processes

MOST = 64


def checked(value: object) -> int:
    """Return the setting `busy` after checking it.

    Raises
    ------
    UsageError
        The value is not a number of programs.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST:
        raise UsageError(f"busy = {value!r}", f"write a whole number from 0 to {MOST}")
    return value


def start(processes: Processes, count: int) -> None:
    """Start `count` programs that keep a core busy with ordinary priority."""
    for _ in range(count):
        processes.python("airmile.testbed.hosts.spin")
