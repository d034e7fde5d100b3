"""A phone that stops reading now and then: its window closes (LTE13 section 6.3, figure 23)."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field

from airmile.testbed.workloads._client import Say, connect, get


@dataclass(frozen=True)
class Options:
    """Where it stops.

    Parameters
    ----------
    bytes : int
        In all.
    receive_buffer : int
        SO_RCVBUF, bytes.
    stalls : list of (int, float)
        After so many bytes, for so many seconds.
    """

    bytes: int = 10_000_000
    receive_buffer: int = 200_000
    stalls: list[tuple[int, float]] = field(
        default_factory=lambda: [(2_000_000, 1.0), (5_000_000, 1.5), (8_000_000, 0.7)]
    )


def run(options: Options, say: Say) -> None:
    """Download with pauses."""
    left = list(options.stalls)

    def stall(got: int) -> None:
        if left and got >= left[0][0]:
            _, seconds = left.pop(0)
            say("stops_reading", at_bytes=got, seconds=seconds)
            time.sleep(seconds)

    with connect(options.receive_buffer) as connection:
        fetched = get(connection, f"/bytes/{options.bytes}", read_bytes=16_384, on_bytes=stall)
    say("download", **asdict(fetched))
