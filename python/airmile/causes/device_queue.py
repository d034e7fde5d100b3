"""The cause `device_queue`: a standing queue inside the phone, above the modem."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import BLUE
from airmile.causes import _queue
from airmile.causes._declaration import Case, Declaration


def advice(case: Case) -> Iterator[str]:
    """Yield advice to keep the queue short."""
    yield (
        "the queue is inside the phone: limit its send buffer (SO_SNDBUF, TCP_NOTSENT_LOWAT) so "
        "that the data wait in the application"
    )


DECLARATION = Declaration(
    colour=BLUE,
    hatch="xx",
    satisfies=frozenset({"link"}),
    evidence=_queue.evidence,
    advice=advice,
)
