"""Records the state of TCP senders at every segment that they receive.

Run as ``python -m airmile.testbed.record.probe``.

The arguments are a folder to work in, the file to write, and the inodes of the three namespaces
(server, core, phone). The probe prints READY when it records, and a report as JSON after SIGTERM.
Without clang, bpftool, libbpf's headers or BTF it prints the reason; the run continues without it.

Everything that the probe loads ends with the process. It briefly pins objects in a file system that
is mounted in a mount namespace of its own.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from airmile.testbed.hosts import clang, programs, ringbuf
from airmile.testbed.hosts.namespaces import PLACES
from airmile.testbed.hosts.processes import Processes
from airmile.testbed.hosts.sockets import CA_STATES
from airmile.testbed.run import stopping

COLUMNS = (
    "t_unix,event,place,sport,dport,cwnd,ssthresh,srtt_us,snd_nxt,snd_una,snd_wnd,rcv_wnd,"
    "packets_out,total_retrans,ca_state"
)
EVENTS = ("received", "retransmitted", "ca_state")

_RECORD = struct.Struct("=Q14I")
_RING_BYTES = 1 << 22
_PROGRAMS = {
    "received": "tcp_probe",
    "retransmitted": "tcp_retransmit_skb",
    "state": "tcp_cong_state_set",
}
"""The programs in probe.bpf.c, each with its tracepoint."""

_PERIOD_S = 0.05

PRIORITY = 3
"""The priority of SCHED_FIFO, below that of the processes that the probe observes."""


def start(
    processes: Processes, namespaces: Iterable[Path], work: Path, out: Path
) -> subprocess.Popen[str]:
    """Start the probe; :func:`ready` waits until it records or has printed why it cannot.

    The path of the folder to work in must not contain a dot, which bpftool does not accept.
    """
    inodes = [str(namespace.stat().st_ino) for namespace in namespaces]
    module = programs.python("airmile.testbed.record.probe")
    return processes.start(
        ["unshare", "--mount", *module, str(work), str(out), *inodes],
        stdout=subprocess.PIPE,
        priority=PRIORITY,
        root=True,
    )


def ready(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Wait for the first line of the probe, and return the manifest's entry about the probe."""
    assert process.stdout is not None
    said = process.stdout.readline().strip()
    if said == "READY":
        return {"present": True}
    return {"present": False, "why": said or f"the probe ended with code {process.wait()}"}


def finish(processes: Processes, process: subprocess.Popen[str]) -> dict[str, Any]:
    """End the probe, and return the manifest's entry about the probe."""
    processes.stop(process, signal.SIGTERM)
    assert process.stdout is not None
    said = process.stdout.read().strip()
    if not said:
        return {"present": False, "why": f"the probe broke off with code {process.returncode}"}
    return {"present": True, **json.loads(said)}


def main(work: Path, out: Path, inodes: list[int]) -> None:
    """Record the state of senders until SIGTERM."""
    stopped = stopping.asked()
    try:
        ring, lost, attached = _load(work, inodes)
    except (clang.MissingError, OSError) as error:
        _say(str(error))
        return
    _say("READY")
    places = dict(zip(inodes, PLACES, strict=True))
    since_boot_ns = time.time_ns() - time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    count = 0
    with out.open("w") as file:
        file.write(COLUMNS + "\n")
        while not stopped():
            time.sleep(_PERIOD_S)
            count += _drain(ring, places, since_boot_ns, file)
    _say(json.dumps({"records": count, "lost": ringbuf.counter(lost), "programs": len(attached)}))


def line(record: bytes, places: dict[int, str], since_boot_ns: int) -> str:
    """Return a record as a line of CSV, with empty columns where the event has no value."""
    time_ns, event, inode, sport, dport, *rest, state = _RECORD.unpack(record)
    stamp = (time_ns + since_boot_ns) // 1_000
    name = CA_STATES[state] if EVENTS[event] == "ca_state" and state < len(CA_STATES) else ""
    numbers = ",".join(str(value) for value in rest)
    seconds = f"{stamp // 1_000_000}.{stamp % 1_000_000:06d}"
    return f"{seconds},{EVENTS[event]},{places[inode]},{sport},{dport},{numbers},{name}\n"


def _load(work: Path, inodes: list[int]) -> tuple[ringbuf.Ring, int, list[int]]:
    """Compile, load and attach the programs; bpftool hands them over as pinned objects."""
    clang.check()
    source = work / "probe.o"
    pins = work / "bpf"
    names = ("SERVER_NS", "CORE_NS", "PHONE_NS")
    clang.compile_source("probe.bpf.c", source, dict(zip(names, inodes, strict=True)))
    pins.mkdir()
    clang.tool("mount", "-t", "bpf", "bpf", str(pins))
    try:
        # One folder further down, because bpftool mounts a file system over the parent of this one.
        within = pins / "probe"
        clang.tool("bpftool", "prog", "loadall", str(source), str(within), "pinmaps", str(within))
        attached = [
            ringbuf.attach(tracepoint, ringbuf.pinned(within / name))
            for name, tracepoint in _PROGRAMS.items()
        ]
        ring = ringbuf.Ring(ringbuf.pinned(within / "records"), _RING_BYTES)
        lost = ringbuf.pinned(within / "lost")
    finally:
        clang.tool("umount", str(pins))
        source.unlink()
        pins.rmdir()
    return ring, lost, attached


def _drain(ring: ringbuf.Ring, places: dict[int, str], since_boot_ns: int, file: IO[str]) -> int:
    count = 0
    for record in ring.records():
        file.write(line(record, places, since_boot_ns))
        count += 1
    return count


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), Path(sys.argv[2]), [int(inode) for inode in sys.argv[3:6]])
    except BrokenPipeError:
        # The runner was killed: the interpreter would print an error when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
