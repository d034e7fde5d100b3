"""ICMP echo requests (HWY18 takes the mean of three before each trial)."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field

from airmile.testbed.experiment.options import POSITIVE
from airmile.testbed.hosts import rights
from airmile.testbed.workloads._client import SERVER, Say

NEEDS = ("ping",)

WAIT_S = 10
"""How long to wait for an answer, in s: a radio that wakes up with a full queue is slow."""

_REPLY = re.compile(r"icmp_seq=(\d+) .*time=([\d.]+) ms")

BRIEF = {"count": 3, "gap_s": 0.5}
"""Options of a short run, for `make testbed-smoke`."""


@dataclass(frozen=True)
class Options:
    """The number, the interval and the size of the echo requests.

    Parameters
    ----------
    count : int
        The number of requests.
    gap_s : float
        The time from one request to the next; only root may send them faster (ping(8)).
    bytes : int
        The size of the data in each request.
    """

    count: int = field(default=3, metadata=POSITIVE)
    gap_s: float = field(default=1, metadata={"least": 0.002})
    bytes: int = field(default=56, metadata={"most": 65_507})


def run(options: Options, say: Say) -> None:
    """Send the requests; a request without an answer is counted and is not an error."""
    words = ["ping", "-n", "-c", str(options.count), "-i", f"{options.gap_s:g}"]
    words += ["-s", str(options.bytes), "-W", str(WAIT_S), SERVER]
    answered = 0
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, preexec_fn=rights.dying()
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if reply := _REPLY.search(line):
                answered += 1
                say("reply", sequence=int(reply[1]), rtt_ms=float(reply[2]))
    # ping returns 1 if a request has no answer; any other code above 0 is an error (ping(8)).
    if process.returncode not in (0, 1):
        raise OSError(f"ping ended with code {process.returncode}")
    say("pings", sent=options.count, answered=answered)
