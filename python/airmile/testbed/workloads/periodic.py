"""Requests at regular intervals, a few on each connection (LTE13 section 7.2, figure 24)."""

from __future__ import annotations

import random
import time
from dataclasses import asdict, dataclass, field

from airmile.testbed.experiment.options import POSITIVE
from airmile.testbed.workloads._client import Say, connect, get

BRIEF = {"count": 3, "period_s": 1, "least_bytes": 300_000, "most_bytes": 300_000}
"""Options of a short run, for `make testbed-smoke`."""


@dataclass(frozen=True)
class Options:
    """The number, the interval and the size of the requests.

    Parameters
    ----------
    count : int
        The number of requests.
    period_s : float
        The time from one request to the next; a late request follows at once.
    least_bytes, most_bytes : int
        The bounds of the sizes, which are drawn uniformly.
    requests_each : int
        The number of requests on a connection before a new one is made.
    seed : int
        The seed by which the sizes are drawn.
    """

    count: int = field(default=5, metadata=POSITIVE)
    period_s: float = 3
    least_bytes: int = field(default=1_000_000, metadata=POSITIVE)
    most_bytes: int = field(default=4_000_000, metadata=POSITIVE)
    requests_each: int = field(default=2, metadata=POSITIVE)
    seed: int = 1

    def __post_init__(self) -> None:
        if self.least_bytes > self.most_bytes:
            raise ValueError(f"least_bytes = {self.least_bytes}: more than most_bytes")


def run(options: Options, say: Say) -> None:
    """Send the requests at their times."""
    chance = random.Random(options.seed)
    start = time.monotonic()
    for first in range(0, options.count, options.requests_each):
        time.sleep(max(0.0, start + first * options.period_s - time.monotonic()))
        with connect() as connection:
            for number in range(first, min(first + options.requests_each, options.count)):
                time.sleep(max(0.0, start + number * options.period_s - time.monotonic()))
                size = chance.randint(options.least_bytes, options.most_bytes)
                say("download", number=number, **asdict(get(connection, f"/bytes/{size}")))
