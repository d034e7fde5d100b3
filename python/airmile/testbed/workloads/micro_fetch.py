"""Single bytes, often: they keep a connection from going idle, so that slow start is not restarted
(BT19 section 5.3).
"""  # noqa: D205

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field

from airmile.testbed.experiment.options import POSITIVE
from airmile.testbed.workloads._client import Say, connect, get

BRIEF = {"count": 15}
"""Options of a short run, for `make testbed-smoke`."""


@dataclass(frozen=True)
class Options:
    """The number and the distance of the fetches.

    Parameters
    ----------
    count : int
        The number of fetches.
    gap_s : float
        The time from the end of one to the start of the next.
    """

    count: int = field(default=50, metadata=POSITIVE)
    gap_s: float = 0.1


def run(options: Options, say: Say) -> None:
    """Fetch single bytes on one connection."""
    with connect() as connection:
        for number in range(options.count):
            say("download", number=number, **asdict(get(connection, "/bytes/1")))
            time.sleep(options.gap_s)
