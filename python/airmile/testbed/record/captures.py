"""The captures of a run, by tcpdump: headers only, unless the experiment wants more."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from airmile._errors import OutputError, UsageError
from airmile.testbed.hosts import rights
from airmile.testbed.hosts.processes import CAPTURE_PRIORITY, Processes

Point = Literal["ue", "monitor", "server"]

POINTS: Mapping[Point, tuple[str, str]] = {
    "ue": ("phone", "u0"),
    "monitor": ("core", "r0"),
    "server": ("server", "s0"),
}
"""The place and the device of each capture point, from the phone to the server.

A capture is called like its point, as in `monitor.pcap`.
"""

SNAP_BYTES = 96
"""Headers with every TCP option, and nothing of the payload."""

LEAST_SNAP_BYTES, MOST_SNAP_BYTES = 60, 262_144
"""Headers of IPv4 and TCP without options; what tcpdump takes at most (MAXIMUM_SNAPLEN)."""


def checked(value: object) -> int:
    """Check how much of each packet an experiment wants.

    Raises
    ------
    UsageError
        It is no number of bytes, or too small for the headers.
    """
    most = MOST_SNAP_BYTES
    if type(value) is not int or not LEAST_SNAP_BYTES <= value <= most:
        raise UsageError(f"snap_bytes = {value!r}", f"bytes from {LEAST_SNAP_BYTES} to {most}")
    return value


LINGER_S = 1.6
"""tcpdump hands its ring over once a second: what came later would be missing at the end."""


def start(
    processes: Processes,
    file: Path,
    device: str,
    *,
    place: str | None,
    only: str = "ip",
    snap_bytes: int = SNAP_BYTES,
) -> subprocess.Popen[str]:
    """Capture at a device of a place what the filter lets through.

    Raises
    ------
    OutputError
        It does not capture; the message has tcpdump's last words.
    """
    arguments = ["tcpdump", "-i", device, "-s", str(snap_bytes), "-B", "16384"]
    # Handed over open: the folder of the run need not let another user in.
    with file.open("wb") as packets:
        capture = processes.start(
            [*arguments, "-w", "-", only],
            place=place,
            priority=CAPTURE_PRIORITY,
            keep=[rights.NET_RAW],
            stdout=packets,
            stderr=subprocess.PIPE,
        )
    _begun(capture, device)
    return capture


def _begun(capture: subprocess.Popen[str], device: str) -> None:
    """Wait until it says that it listens; warnings may come before."""
    assert capture.stderr is not None
    said = ""
    for line in capture.stderr:
        if "listening on" in line:
            return
        said = line.strip()
    raise OutputError(f"the capture of {device} did not begin: {said or 'tcpdump said nothing'}")


def stop(processes: Processes, capture: subprocess.Popen[str]) -> int:
    """End a capture and tell how many packets it lost.

    Raises
    ------
    OutputError
        It does not say how many.
    """
    processes.stop(capture, signal.SIGINT)
    assert capture.stderr is not None
    lines = capture.stderr.read().strip().splitlines()
    for line in lines:
        if "dropped by kernel" in line:
            return int(line.split()[0])
    last = lines[-1] if lines else f"code {capture.returncode}"
    raise OutputError(f"a capture does not say what it lost: {last}")
