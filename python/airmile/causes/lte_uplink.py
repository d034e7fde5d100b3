"""The cause `lte_uplink`: a standing queue before the radio uplink."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import BLUE
from airmile.causes import _queue
from airmile.causes._declaration import Case, Declaration


def advice(case: Case) -> Iterator[str]:
    """Yield advice for a link that is full."""
    yield f"the {case.link} is full: send less at once, or later; larger buffers only add delay"


DECLARATION = Declaration(
    colour=BLUE,
    hatch="//",
    satisfies=frozenset({"link"}),
    evidence=_queue.evidence,
    advice=advice,
    words_unproven="access link, uplink",
)
