"""An upload whose rate the phone limits, as for a live stream."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from airmile.testbed.experiment.options import POSITIVE
from airmile.testbed.server import paced
from airmile.testbed.workloads._client import Say, connect, post

BRIEF = {"bytes": 250_000, "bps": 1e6}
"""Options of a short run, for `make testbed-smoke`."""


@dataclass(frozen=True)
class Options:
    """The size of the upload and the phone's rate.

    Parameters
    ----------
    bytes : int
        The size of the upload.
    bps : float
        The rate at which the phone writes.
    chunk_ms : float
        The time between two writes of the phone.
    """

    bytes: int = field(default=1_000_000, metadata=POSITIVE)
    bps: float = field(default=1e6, metadata=POSITIVE)
    chunk_ms: float = field(default=20, metadata={**POSITIVE, "most": 100})


def uplink(_: Options) -> bool:
    """Return that the data goes to the server."""
    return True


def run(options: Options, say: Say) -> None:
    """Upload one body."""
    with connect() as connection:

        def send() -> None:
            paced(connection.sendall, options.bytes, options.bps, options.chunk_ms)

        say("upload", **asdict(post(connection, options.bytes, send)))
