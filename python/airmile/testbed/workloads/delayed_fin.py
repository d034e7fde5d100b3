"""A download whose server closes long after the last byte: the FIN wakes the radio (methods A6)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from airmile.testbed.experiment.options import POSITIVE
from airmile.testbed.workloads._client import Say, connect, get

BRIEF = {"fin_s": 2}
"""Options of a short run, for `make testbed-smoke`."""


@dataclass(frozen=True)
class Options:
    """The options of the answer and the delay.

    Parameters
    ----------
    bytes : int
        The size of the answer.
    fin_s : float
        The time from the last byte of the answer to the FIN.
    """

    bytes: int = field(default=100_000, metadata=POSITIVE)
    fin_s: float = 15


def run(options: Options, say: Say) -> None:
    """Download, and wait until the server closes the connection."""
    with connect() as connection:
        fetched = get(connection, f"/late-fin/{options.bytes}/{options.fin_s}")
        say("download", **asdict(fetched))
        connection.recv(1)
        say("closed")
