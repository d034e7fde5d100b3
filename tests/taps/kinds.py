"""The runs of the third world, by kind and seed: plain transfers over paths of every sort."""

from __future__ import annotations

from collections.abc import Iterator

from tests.recorded.runs import Run
from tests.taps.access import changes, plans, policers, radios
from tests.taps.ends import applications, beside, clocks, windows
from tests.taps.plain import aqm, buffers, controls, loops

DEVELOPMENT, HELD_OUT = (2,), (3,)
"""Seeds. The odd one is held out: only its scores are looked at."""


def runs(seed: int) -> Iterator[Run]:
    """Give every run of a seed."""
    for make in (
        *(controls, buffers, loops, aqm),
        *(plans, policers, radios, changes),
        *(windows, applications, beside, clocks),
    ):
        yield from make(seed)
