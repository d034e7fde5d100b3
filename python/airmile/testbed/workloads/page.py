"""Web pages: an index, then many objects over a few connections."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import asdict, dataclass, field

from airmile.testbed.experiment.options import POSITIVE, THREADS
from airmile.testbed.workloads._client import Say, connect, get, together

BRIEF = {"pages": 1, "objects": 20, "think_s": 0}
"""Options of a short run, for `make testbed-smoke`."""


@dataclass(frozen=True)
class Options:
    """The options of the pages and their objects.

    Parameters
    ----------
    pages : int
        The number of pages, one after the other.
    objects : int
        The number of objects on each page.
    median_bytes : int
        The median size of an object; the sizes are log-normal.
    connections : int
        The number of connections at the same time.
    think_s : float
        The time between two pages.
    seed : int
        The seed by which the sizes are drawn.
    """

    pages: int = field(default=3, metadata=POSITIVE)
    objects: int = field(default=30, metadata={**POSITIVE, "most": 10_000})
    median_bytes: int = field(default=12_000, metadata=POSITIVE)
    connections: int = field(default=6, metadata=THREADS)
    think_s: float = 1
    seed: int = 1


def run(options: Options, say: Say) -> None:
    """Load the pages one after the other."""
    chance = random.Random(options.seed)
    for number in range(options.pages):
        began = time.time()
        sizes = [
            int(chance.lognormvariate(0, 1.2) * options.median_bytes) + 200
            for _ in range(options.objects)
        ]
        with connect() as connection:
            say("download", number=0, **asdict(get(connection, "/bytes/30000")))
        _objects(sizes, options.connections, say)
        say("page", number=number, seconds=time.time() - began)
        time.sleep(options.think_s)


def _objects(sizes: list[int], connections: int, say: Say) -> None:
    """Load objects over several connections; each connection takes the next object."""
    turns, lock = iter(enumerate(sizes, 1)), threading.Lock()

    def worker() -> None:
        with connect() as connection:
            while True:
                with lock:
                    turn = next(turns, None)
                if turn is None:
                    return
                say("download", number=turn[0], **asdict(get(connection, f"/bytes/{turn[1]}")))

    together([worker] * connections)
