"""The cause `lte_uplink`: a standing queue before the radio uplink."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import BLUE
from airmile.causes import _queue
from airmile.causes._declaration import Case, Declaration


def evidence(case: Case) -> Iterator[str]:
    """Yield the evidence of the queue; that of a download's data says nothing of its ACKs."""
    if not case.downlink:
        yield from _queue.evidence(case)


def advice(case: Case) -> Iterator[str]:
    """Yield advice for a link that is full."""
    if case.downlink:
        yield (
            "the phone's own data fill its uplink, in which its requests and the ACKs of its "
            "downloads wait: send less at once, or later"
        )
    else:
        yield f"the {case.link} is full: send less at once, or later; larger buffers only add delay"


DECLARATION = Declaration(
    colour=BLUE,
    hatch="//",
    satisfies=frozenset({"link"}),
    evidence=evidence,
    advice=advice,
    words_unproven="access link, uplink",
)
