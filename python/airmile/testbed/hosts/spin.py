"""A program that only keeps a core busy: ``python -m airmile.testbed.hosts.spin [CORE]``.

With CORE the program stays on that core, with the priority SCHED_IDLE (sched(7)).
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from airmile.testbed.hosts import rights

AUTOGROUP = Path("/proc/self/autogroup")
"""The nice value of the session's share of the processor (sched(7), "The autogroup feature")."""


def main(*cores: int) -> None:
    """Use processor time until the process is ended."""
    if cores:
        os.sched_setaffinity(0, cores)
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    while True:
        pass


def _give_way() -> None:
    """Give the session of this process the least share of the processor.

    Linux first shares the processor among sessions, by their nice values. SCHED_IDLE alone would
    only give way to processes of the same session. A session that other processes share is not
    changed.
    """
    if os.getsid(0) == os.getpid():
        # Kernels without the feature have no such file.
        with suppress(OSError):
            AUTOGROUP.write_text("19")


if __name__ == "__main__":
    if sys.argv[1:]:
        # This must precede the change of user, after which the file belongs to root.
        _give_way()
    rights.become()
    main(*map(int, sys.argv[1:]))
