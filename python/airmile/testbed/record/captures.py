"""Takes the captures of a run with tcpdump: headers only, unless the experiment sets more."""

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
"""The capture points, from the phone to the server, each with its host and device.

The file of a capture is named after its point, as in `monitor.pcap`.
"""

SNAP_BYTES = 96
"""The number of bytes kept of each packet: headers with all TCP options, without payload."""

LEAST_SNAP_BYTES, MOST_SNAP_BYTES = 60, 262_144
"""The bounds of the bytes kept of each packet.

IPv4 and TCP headers without options need 60; the other is MAXIMUM_SNAPLEN of tcpdump.
"""


def checked(value: object) -> int:
    """Return how many bytes of each packet an experiment keeps, after checking the number.

    Raises
    ------
    UsageError
        The value is not a number of bytes, or is too small for the headers.
    """
    most = MOST_SNAP_BYTES
    if type(value) is not int or not LEAST_SNAP_BYTES <= value <= most:
        raise UsageError(
            f"snap_bytes = {value!r}", f"write bytes from {LEAST_SNAP_BYTES} to {most}"
        )
    return value


LINGER_S = 1.6
"""How long a capture continues after the workload, in s: tcpdump empties its ring once per s."""


def start(
    processes: Processes,
    file: Path,
    device: str,
    *,
    place: str | None,
    only: str = "ip",
    snap_bytes: int = SNAP_BYTES,
) -> subprocess.Popen[str]:
    """Start to capture the packets that pass a filter at a device of a host.

    Raises
    ------
    OutputError
        tcpdump does not start; the message has the last line of its errors.
    """
    arguments = ["tcpdump", "-i", device, "-s", str(snap_bytes), "-B", "16384"]
    # The child gets an open file, because its user has no access to the folder of the run.
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
    """Wait until tcpdump reports that it listens; warnings may precede this line."""
    assert capture.stderr is not None
    said = ""
    for line in capture.stderr:
        if "listening on" in line:
            return
        said = line.strip()
    raise OutputError(f"the capture of {device} did not begin: {said or 'tcpdump said nothing'}")


def stop(processes: Processes, capture: subprocess.Popen[str]) -> int:
    """End a capture and return the number of packets that it lost.

    Raises
    ------
    OutputError
        tcpdump does not report the number.
    """
    processes.stop(capture, signal.SIGINT)
    assert capture.stderr is not None
    lines = capture.stderr.read().strip().splitlines()
    for line in lines:
        if "dropped by kernel" in line:
            return int(line.split()[0])
    last = lines[-1] if lines else f"code {capture.returncode}"
    raise OutputError(f"a capture does not say what it lost: {last}")
