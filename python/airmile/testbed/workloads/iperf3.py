"""iperf3 with its own report: TCP or UDP, download or upload."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from airmile.testbed.experiment.options import PORT, POSITIVE
from airmile.testbed.hosts import rights
from airmile.testbed.workloads._client import SERVER, Say

NEEDS = ("iperf3",)

BRIEF = {"seconds": 2}
"""Options of a short run, for `make testbed-smoke`."""


@dataclass(frozen=True)
class Options:
    """The options of iperf3.

    Parameters
    ----------
    seconds : int
        The duration.
    reverse : bool
        Whether the server sends (download); false: the phone sends (upload).
    parallel : int
        The number of connections at the same time.
    udp : bool
        Whether iperf3 uses UDP instead of TCP.
    bps : float
        The rate of each connection; 0: as fast as possible with TCP, 1 Mbit/s (the default of
        iperf3) with UDP.
    port : int
        The port of the iperf3 server, which serves one client at a time.
    """

    seconds: int = field(default=10, metadata=POSITIVE)
    reverse: bool = True
    parallel: int = field(default=1, metadata={**POSITIVE, "most": 128})
    udp: bool = False
    bps: float = 0
    port: int = field(default=5201, metadata={**PORT, **POSITIVE})


def uplink(options: Options) -> bool:
    """Return whether the data goes to the server."""
    return not options.reverse


def server(options: Options, _: Path) -> list[str]:
    """Return the command of the server; it uses IPv4, because only IPv4 senders are recorded."""
    return ["iperf3", "-4", "-s", "-p", str(options.port)]


def server_port(options: Options) -> int:
    """Return the port of the server."""
    return options.port


def run(options: Options, say: Say) -> None:
    """Run the client of iperf3, and report what it measured."""
    done = subprocess.run(
        _command(options),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        preexec_fn=rights.dying(),
    )
    report = json.loads(done.stdout or "{}")
    if done.returncode:
        raise OSError(report.get("error", f"iperf3 ended with code {done.returncode}"))
    say("iperf3", report=report)


def _command(options: Options) -> list[str]:
    return [
        *("iperf3", "-c", SERVER, "-p", str(options.port), "-J"),
        *("-t", str(options.seconds), "-P", str(options.parallel)),
        *(["-R"] if options.reverse else []),
        *(["-u"] if options.udp else []),
        *(["-b", f"{options.bps:.0f}"] if options.bps else []),
    ]
