"""The programs that keep the cores awake make way for all other programs."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from airmile.testbed.hosts import awake
from airmile.testbed.hosts.processes import Processes


def test_one_program_of_idle_priority_runs_on_each_core() -> None:
    with Processes(str, "none") as processes:
        awake.start(processes)
        started = list(processes._started)
        wanted = [(os.SCHED_IDLE, {core}) for core in sorted(os.sched_getaffinity(0))]
        until = time.monotonic() + 20
        found: list[tuple[int, set[int]]] = []
        while found != wanted and time.monotonic() < until:
            pids = [process.pid for process in started]
            found = [(os.sched_getscheduler(pid), os.sched_getaffinity(pid)) for pid in pids]
        assert found == wanted


@pytest.mark.skipif(
    not Path("/proc/self/autogroup").exists(), reason="this kernel groups no tasks by session"
)
def test_their_sessions_have_the_least_share() -> None:
    with Processes(str, "none") as processes:
        awake.start(processes)
        started = list(processes._started)
        until = time.monotonic() + 20
        shares: list[str] = []
        while shares != ["19"] * len(started) and time.monotonic() < until:
            shares = [_nice_of_session(process.pid) for process in started]
        assert shares == ["19"] * len(started)


def _nice_of_session(pid: int) -> str:
    return Path(f"/proc/{pid}/autogroup").read_text().split()[-1]
