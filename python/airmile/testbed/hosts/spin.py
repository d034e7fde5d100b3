"""A program that only keeps a core busy: ``python -m airmile.testbed.hosts.spin [CORE]``.

With a core it stays on that one, with the priority SCHED_IDLE (sched(7)).
"""

from __future__ import annotations

import os
import sys

from airmile.testbed.hosts import rights


def main(*cores: int) -> None:
    """Spin until the process is ended."""
    if cores:
        os.sched_setaffinity(0, cores)
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    while True:
        pass


if __name__ == "__main__":
    rights.become()
    main(*map(int, sys.argv[1:]))
