"""Keeps the cores from halting while a run goes on.

A core of a virtual machine that halts is given back late when its host has other guests: TTIs were
5 to 300 ms late on an idle machine, and 0.03 ms on the same one while other programs kept its cores
busy. The programs here have the priority SCHED_IDLE (sched(7)): they run only where nothing else
does, and make way at once.
"""

from __future__ import annotations

import os
import sys

from airmile.testbed.processes import Processes

_SPIN = (
    "import os, sys; os.sched_setaffinity(0, {int(sys.argv[1])}); "
    "os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))\n"
    "while True: pass"
)


def start(processes: Processes) -> None:
    """Start one for each core."""
    for core in sorted(os.sched_getaffinity(0)):
        processes.start([sys.executable, "-c", _SPIN, str(core)])
