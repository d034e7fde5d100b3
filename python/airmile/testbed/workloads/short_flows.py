"""Short downloads, each on its own connection (EFF14 section 3 has downloads of 320 KiB)."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import asdict, dataclass, field

from airmile.testbed.experiment.options import POSITIVE, THREADS
from airmile.testbed.workloads._client import Say, connect, get, together

BRIEF = {"count": 4}
"""Options of a short run, for `make testbed-smoke`."""


@dataclass(frozen=True)
class Options:
    """The number, the sizes and the times of the downloads.

    Parameters
    ----------
    count : int
        The number of downloads.
    least_bytes, most_bytes : int
        The bounds of the sizes, which are drawn uniformly.
    at_once : int
        The number of downloads at the same time.
    delay_s : float
        The time before the first download, in which workloads of the background fill the link.
    gap_s : float
        The time from the end of one download to the start of the next.
    seed : int
        The seed by which the sizes are drawn.
    """

    count: int = field(default=10, metadata=POSITIVE)
    least_bytes: int = field(default=327_680, metadata=POSITIVE)
    most_bytes: int = field(default=327_680, metadata=POSITIVE)
    at_once: int = field(default=1, metadata=THREADS)
    delay_s: float = 0
    gap_s: float = 0.1
    seed: int = 1

    def __post_init__(self) -> None:
        if self.least_bytes > self.most_bytes:
            raise ValueError(f"least_bytes = {self.least_bytes}: more than most_bytes")


def run(options: Options, say: Say) -> None:
    """Run all downloads, and wait for them."""
    chance = random.Random(options.seed)
    sizes = [chance.randint(options.least_bytes, options.most_bytes) for _ in range(options.count)]
    turns, lock = iter(enumerate(sizes)), threading.Lock()
    time.sleep(options.delay_s)

    def worker() -> None:
        while True:
            with lock:
                turn = next(turns, None)
            if turn is None:
                return
            with connect() as connection:
                fetched = get(connection, f"/bytes/{turn[1]}")
            say("download", number=turn[0], **asdict(fetched))
            time.sleep(options.gap_s)

    together([worker] * options.at_once)
