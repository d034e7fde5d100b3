"""A download whose rate the server limits, as an application would."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from airmile.testbed.experiment.options import POSITIVE
from airmile.testbed.workloads._client import Say, connect, get

BRIEF = {"bytes": 1_000_000, "bps": 3e6}
"""Options of a short run, for `make testbed-smoke`."""


@dataclass(frozen=True)
class Options:
    """The size of the download and the server's rate.

    Parameters
    ----------
    bytes : int
        The size of the download.
    bps : float
        The rate at which the server writes.
    chunk_ms : float
        The time between two writes of the server.
    """

    bytes: int = field(default=3_000_000, metadata=POSITIVE)
    bps: float = field(default=3e6, metadata=POSITIVE)
    chunk_ms: float = field(default=10, metadata={**POSITIVE, "most": 100})


def run(options: Options, say: Say) -> None:
    """Download one file."""
    with connect() as connection:
        path = f"/paced/{options.bytes}/{options.bps:.0f}/{options.chunk_ms}"
        say("download", **asdict(get(connection, path)))
