"""The captures of a run: headers only, by tcpdump."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

from airmile.testbed.processes import CAPTURE_PRIORITY, Processes

SNAP_BYTES = 96
"""Headers with every TCP option, and nothing of the payload."""

LINGER_S = 1.6
"""tcpdump hands its ring over once a second: what came later would be missing at the end."""


def start(
    processes: Processes, file: Path, device: str, *, place: str | None, only: str = "ip"
) -> subprocess.Popen[str]:
    """Capture at a device of a place what the filter lets through."""
    arguments = ["tcpdump", "-Z", "root", "-i", device, "-s", str(SNAP_BYTES), "-B", "16384"]
    return processes.start(
        [*arguments, "-w", str(file), only],
        place=place,
        priority=CAPTURE_PRIORITY,
        stderr=subprocess.PIPE,
    )


def stop(processes: Processes, capture: subprocess.Popen[str]) -> int:
    """End a capture and tell how many packets it lost."""
    processes.stop(capture, signal.SIGINT)
    assert capture.stderr is not None
    for line in capture.stderr.read().splitlines():
        if "dropped by kernel" in line:
            return int(line.split()[0])
    return 0
