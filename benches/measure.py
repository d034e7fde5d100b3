"""Runs one process and measures its cost."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """The cost of a process: wall time, CPU time of all threads, and peak memory."""

    wall_s: float
    user_s: float
    system_s: float
    peak_bytes: int
    exit_code: int

    @property
    def cpu_s(self) -> float:
        """CPU time in seconds, including that of the system for the process."""
        return self.user_s + self.system_s


def cost(words: list[str], folder: Path, feed: list[str] | None = None) -> Cost:
    """Run a command until it ends; if `feed` is given, the command reads its output.

    The output of the command is discarded. The measured peak includes the memory of this process,
    which a child has for a moment. So this module imports nothing large.
    """
    feeder = (
        subprocess.Popen(feed, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) if feed else None
    )
    begun = time.monotonic()
    process = subprocess.Popen(
        words,
        cwd=folder,
        stdin=feeder.stdout if feeder else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    if feeder and feeder.stdout:
        feeder.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.monotonic() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if feeder:
        feeder.wait()
    return Cost(wall_s, usage.ru_utime, usage.ru_stime, usage.ru_maxrss * 1024, process.returncode)
