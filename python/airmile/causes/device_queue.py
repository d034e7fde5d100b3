"""A queue stands inside the phone, above the modem."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import BLUE
from airmile.causes import _queue
from airmile.causes._declaration import Case, Declaration


def advice(case: Case) -> Iterator[str]:
    """Say how to keep the queue out of the phone."""
    yield (
        "the queue stands inside the phone: limit its send buffer (SO_SNDBUF, "
        "TCP_NOTSENT_LOWAT) so that the data waits in the application"
    )


DECLARATION = Declaration(
    colour=BLUE,
    hatch="xx",
    satisfies=frozenset({"link"}),
    evidence=_queue.evidence,
    advice=advice,
)
