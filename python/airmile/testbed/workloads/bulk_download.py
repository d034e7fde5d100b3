"""A workload of downloads that are as fast as possible."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from functools import partial

from airmile.testbed.experiment.options import PORT, POSITIVE, THREADS
from airmile.testbed.workloads._client import Say, connect, get, together

BRIEF = {"bytes": 4_000_000}
"""Options of a short run, for `make testbed-smoke`."""


@dataclass(frozen=True)
class Options:
    """The options of the downloads.

    Parameters
    ----------
    bytes : int
        The size of each download.
    seconds : float
        The time after which a download is cut off; 0: never.
    flows : int
        The number of downloads at the same time.
    stagger_s : float
        The time between the starts of two downloads.
    receive_buffer : int
        SO_RCVBUF of the phone in bytes; 0: the kernel's own tuning.
    congestion_control : str
        The server's congestion control for the downloads; empty: that of its host.
    port : int
        The port of the server: 80, 443 or 7777; 0: its ordinary port.
    """

    bytes: int = field(default=20_000_000, metadata=POSITIVE)
    seconds: float = 0
    flows: int = field(default=1, metadata=THREADS)
    stagger_s: float = 0
    receive_buffer: int = 0
    congestion_control: str = ""
    port: int = field(default=0, metadata=PORT)


def run(options: Options, say: Say) -> None:
    """Run all downloads, and wait for them."""
    control = options.congestion_control
    path = f"/bytes/{options.bytes}" + (f"?control={control}" if control else "")

    def one(number: int) -> None:
        time.sleep(number * options.stagger_s)
        until = time.time() + options.seconds if options.seconds else None
        with connect(options.receive_buffer, options.port) as connection:
            fetched = get(connection, path, until=until)
        say("download", number=number, **asdict(fetched))

    together(partial(one, number) for number in range(options.flows))
