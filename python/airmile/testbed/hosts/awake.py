"""Keeps the cores of the machine from halting during a run.

When a core of a virtual machine halts and its host has other guests, the machine gets the core back
late: TTIs were 5 to 300 ms late on an idle machine, and 0.03 ms on the same machine with busy
cores. So a program with the priority SCHED_IDLE (sched(7)) runs on each core; it runs only when
nothing else does.
"""

from __future__ import annotations

import os

from airmile.testbed.hosts.processes import Processes


def start(processes: Processes) -> None:
    """Start a program that keeps each core busy."""
    for core in sorted(os.sched_getaffinity(0)):
        processes.python("airmile.testbed.hosts.spin", str(core))
