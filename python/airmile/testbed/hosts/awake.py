"""Keeps the cores from halting while a run goes on.

A virtual machine gets a core that has halted back late when its host has other guests: TTIs were 5
to 300 ms late on an idle machine, and 0.03 ms on the same one while other programs kept its cores
busy. These programs have the priority SCHED_IDLE (sched(7)), so they run only where nothing else
does.
"""

from __future__ import annotations

import os

from airmile.testbed.hosts.processes import Processes


def start(processes: Processes) -> None:
    """Start one such program for each core."""
    for core in sorted(os.sched_getaffinity(0)):
        processes.python("airmile.testbed.hosts.spin", str(core))
