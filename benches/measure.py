"""One process, and what it cost."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """What a process took: seconds, CPU seconds of all its threads, most memory at a time."""

    wall_s: float
    user_s: float
    system_s: float
    peak_bytes: int
    exit_code: int

    @property
    def cpu_s(self) -> float:
        """CPU seconds, the system's for it included."""
        return self.user_s + self.system_s


def cost(words: list[str], folder: Path, feed: list[str] | None = None) -> Cost:
    """Run a command to its end; `feed` is one whose output it reads.

    What it prints goes nowhere. The peak can not be less than this process's own memory, which a
    child has for a moment, so nothing large is imported here.
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
