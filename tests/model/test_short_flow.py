"""The completion time in plain numbers equals the one that `airmile.model` computes."""

from __future__ import annotations

import math
import random

from airmile import model
from airmile.protocols._short_flow import completion_s


def test_it_is_that_of_the_model() -> None:
    random.seed(14)
    for _ in range(2000):
        size = 10 ** random.uniform(0, 9)
        rate = random.choice([10 ** random.uniform(3, 10), math.inf])
        rtt_s = random.choice([10 ** random.uniform(-4, 1), 0.0])
        transport = random.choice(list(model.TRANSPORTS.values()))
        ours = completion_s(size, rate, rtt_s, handshake_rtts=transport.handshake_rtts)
        theirs = model.completion_time(size, rate, rtt_s, transport=transport.name)
        assert ours == float(theirs), (size, rate, rtt_s, transport.name)
