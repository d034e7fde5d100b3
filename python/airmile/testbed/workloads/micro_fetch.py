"""Frequent fetches of single bytes, so that slow start is not restarted (BT19 section 5.3).

They keep a connection from going idle.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field

from airmile.testbed.experiment.options import POSITIVE
from airmile.testbed.workloads._client import Say, connect, get

BRIEF = {"count": 15}
"""Options of a short run, for `make testbed-smoke`."""


@dataclass(frozen=True)
class Options:
    """The number of fetches and the time between them.

    Parameters
    ----------
    count : int
        The number of fetches.
    gap_s : float
        The time from the end of one fetch to the start of the next.
    """

    count: int = field(default=50, metadata=POSITIVE)
    gap_s: float = 0.1


def run(options: Options, say: Say) -> None:
    """Fetch single bytes on one connection."""
    with connect() as connection:
        for number in range(options.count):
            say("download", number=number, **asdict(get(connection, "/bytes/1")))
            time.sleep(options.gap_s)
