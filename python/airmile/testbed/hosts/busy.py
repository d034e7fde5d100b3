"""Programs that only keep the cores busy beside a run, to see how late the link becomes."""

from __future__ import annotations

from airmile._errors import UsageError
from airmile.testbed.hosts.processes import Processes

MOST = 64


def checked(value: object) -> int:
    """Check the setting `busy`.

    Raises
    ------
    UsageError
        It is not a number of programs.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST:
        raise UsageError(f"busy = {value!r}", f"a whole number from 0 to {MOST}")
    return value


def start(processes: Processes, count: int) -> None:
    """Start this number of programs, with ordinary priority."""
    for _ in range(count):
        processes.python("airmile.testbed.hosts.spin")
