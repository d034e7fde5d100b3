"""The links of the cases: loops and rates that depend on the seed."""

from __future__ import annotations

import random
from typing import Any

from tests.everyday.kinds import cellular, path
from tests.recorded.runs import Table, drawn


def chosen(seed: int, *names: object, **more: Any) -> tuple[Table, random.Random]:
    """Give a link for a case, an LTE cell or a plain path, and a generator for what else varies."""
    chance = drawn(seed, *names)
    loop_ms = chance.choice([25, 45, 80, 140])
    if (loop_ms > 40 and chance.random() < 0.6) or more:
        return cellular(max(45, loop_ms), **more), chance
    return path(loop_ms, down_mbps=chance.choice([10, 30, 80]), up_mbps=15), chance
