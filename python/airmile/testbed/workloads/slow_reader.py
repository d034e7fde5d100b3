"""A phone that reads slowly or pauses, so that its window closes (LTE13 section 7.2, figure 23)."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field

from airmile.testbed.experiment.options import POSITIVE, STALLS
from airmile.testbed.workloads._client import Say, connect, get

READ_BYTES, SLOW_READ_BYTES = 16_384, 2_048
"""Bytes read at once by a fast and by a slow phone; a few bytes open the window gradually."""

BRIEF = {"bytes": 2_000_000, "stalls": [[700_000, 0.6], [1_400_000, 0.5]]}
"""Options of a short run, for `make testbed-smoke`."""


@dataclass(frozen=True)
class Options:
    """The download, and where the phone stops reading or reads slowly.

    Parameters
    ----------
    bytes : int
        The size of the download.
    receive_buffer : int
        SO_RCVBUF of the phone in bytes: about the receive window that it offers at first.
    stalls : list of (int, float)
        Pairs of a number of bytes and a time in seconds: after that many bytes the phone stops
        reading for that time.
    fast_bytes : int
        The number of bytes after which the phone reads at `slow_bps`; 0: never.
    slow_bps : float
        The rate at which the phone then reads.
    rest_bytes : int
        The number of last bytes that stay in the receive buffer until `rest_at_s`, as in a player
        that needs them only then; reading them opens the window again.
    rest_at_s : float
        When the phone begins to read the last bytes, in seconds after the request.
    hold_s : float
        How long the phone keeps the connection open after the last byte.
    """

    bytes: int = field(default=10_000_000, metadata=POSITIVE)
    receive_buffer: int = 200_000
    stalls: list[tuple[int, float]] = field(
        metadata=STALLS,
        default_factory=lambda: [(2_000_000, 1.0), (5_000_000, 1.5), (8_000_000, 0.7)],
    )
    fast_bytes: int = 0
    slow_bps: float = field(default=300_000, metadata=POSITIVE)
    rest_bytes: int = 0
    rest_at_s: float = 0
    hold_s: float = 0


def run(options: Options, say: Say) -> None:
    """Download with the pauses of the reader."""
    begun = time.monotonic()
    left = _stalls(options)

    def pause(got: int) -> None:
        if left and got >= left[0][0]:
            _, seconds, until_s = left.pop(0)
            seconds = max(seconds, until_s - (time.monotonic() - begun))
            say("stops_reading", at_bytes=got, seconds=seconds)
            time.sleep(seconds)
        elif options.fast_bytes and got >= options.fast_bytes:
            time.sleep(SLOW_READ_BYTES * 8 / options.slow_bps)

    def at_once(got: int) -> int:
        return SLOW_READ_BYTES if 0 < options.fast_bytes <= got else READ_BYTES

    with connect(options.receive_buffer) as connection:
        path = f"/bytes/{options.bytes}"
        fetched = get(connection, path, read_bytes=at_once, on_bytes=pause)
        say("download", **asdict(fetched))
        time.sleep(options.hold_s)


def _stalls(options: Options) -> list[tuple[int, float, float]]:
    """Return after which bytes the phone stops, for how many seconds, and until which time."""
    stalls = [(after, seconds, 0.0) for after, seconds in options.stalls]
    if options.rest_bytes:
        rest = max(options.bytes - options.rest_bytes, 0)
        stalls.append((rest, 0.0, options.rest_at_s))
    return sorted(stalls)
