"""The runs, by kind and seed."""

from __future__ import annotations

from collections.abc import Iterator

from tests.physics.changing import ack_outages, flows, loops, rates
from tests.physics.opening import silences, uploads
from tests.physics.steady import links, queues, same_rate
from tests.physics.tails import tails
from tests.recorded.runs import Run

DEVELOPMENT, HELD_OUT = (2, 4), (1, 3)
"""Seeds. Odd seeds are held out: only their scores are looked at."""


def runs(seed: int) -> Iterator[Run]:
    """Give every run of a seed."""
    for make in (
        *(links, queues, same_rate, loops, ack_outages, tails),
        *(flows, rates, uploads, silences),
    ):
        yield from make(seed)
