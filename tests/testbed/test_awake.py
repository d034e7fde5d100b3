"""Programs keep the cores awake and make way for all others."""

from __future__ import annotations

import os
import time

from airmile.testbed.hosts import awake
from airmile.testbed.hosts.processes import Processes


def test_one_program_of_idle_priority_runs_on_each_core() -> None:
    with Processes(str, "none") as processes:
        awake.start(processes)
        started = list(processes._started)
        until = time.monotonic() + 20
        policies: list[int] = []
        while policies != [os.SCHED_IDLE] * len(started) and time.monotonic() < until:
            policies = [os.sched_getscheduler(process.pid) for process in started]
        assert policies == [os.SCHED_IDLE] * len(os.sched_getaffinity(0))
        cores = [os.sched_getaffinity(process.pid) for process in started]
        assert sorted(core for own in cores for core in own) == sorted(os.sched_getaffinity(0))
