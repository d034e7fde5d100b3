"""Short downloads, each on a connection of its own (EFF14 section 3: 320 KiB)."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import asdict, dataclass

from airmile.testbed.workloads._client import Say, connect, get, together


@dataclass(frozen=True)
class Options:
    """How many of which sizes.

    Parameters
    ----------
    count : int
        In all.
    least_bytes, most_bytes : int
        Sizes are uniform between these.
    at_once : int
        How many run together.
    delay_s : float
        Before the first: what is in the background needs time to fill the link.
    gap_s : float
        From the end of one to the start of the next.
    seed : int
        Of the sizes.
    """

    count: int = 10
    least_bytes: int = 327_680
    most_bytes: int = 327_680
    at_once: int = 1
    delay_s: float = 0
    gap_s: float = 0.1
    seed: int = 1


def run(options: Options, say: Say) -> None:
    """Download them."""
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
