"""Requests at regular times on one connection (LTE13 section 6.3, figure 24)."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass

from airmile.testbed.workloads._client import Say, connect, get


@dataclass(frozen=True)
class Options:
    """How often.

    Parameters
    ----------
    count : int
        Requests.
    period_s : float
        From one to the next; one that is late follows at once.
    bytes : int
        Of each answer.
    """

    count: int = 5
    period_s: float = 3
    bytes: int = 1_000_000


def run(options: Options, say: Say) -> None:
    """Ask."""
    with connect() as connection:
        start = time.monotonic()
        for number in range(options.count):
            time.sleep(max(0.0, start + number * options.period_s - time.monotonic()))
            say("download", number=number, **asdict(get(connection, f"/bytes/{options.bytes}")))
