"""iperf3: TCP or UDP, down or up, with its own report."""

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
        The number of connections at once.
    udp : bool
        UDP instead of TCP.
    bps : float
        The rate of each; 0: as fast as possible with TCP, iperf3's 1 Mbit/s with UDP.
    port : int
        The port of its server, which serves one client at a time.
    """

    seconds: int = field(default=10, metadata=POSITIVE)
    reverse: bool = True
    parallel: int = field(default=1, metadata={**POSITIVE, "most": 128})
    udp: bool = False
    bps: float = 0
    port: int = field(default=5201, metadata={**PORT, **POSITIVE})


def uplink(options: Options) -> bool:
    """Say whether the data goes up."""
    return not options.reverse


def server(options: Options, _: Path) -> list[str]:
    """Give the command of its server, which uses IPv4, as the record of senders does."""
    return ["iperf3", "-4", "-s", "-p", str(options.port)]


def server_port(options: Options) -> int:
    """Give the server's port."""
    return options.port


def run(options: Options, say: Say) -> None:
    """Run the client, and report what it measured."""
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
