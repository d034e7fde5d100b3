"""The cause `lte_downlink`: a standing queue before the radio downlink."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import BLUE
from airmile._words import NBSP
from airmile.causes import _queue
from airmile.causes._declaration import Case, Declaration

NOTICEABLE_MS = 50
"""A shorter queueing delay, in ms, hardly affects other traffic of the phone; our choice."""


def advice(case: Case) -> Iterator[str]:
    """Yield advice for a link that is full."""
    yield (
        f"the {case.link} is full: send fewer bytes (bitrate, compression, caching) or accept the "
        "rate; neither a faster server nor a larger window would help"
    )
    extra, whole = _queue.extra_ms(case)
    if extra is not None and extra >= NOTICEABLE_MS:
        added = f"adds {extra:.0f}{NBSP}ms to" if whole else "delays"
        yield (
            f"the standing queue {added} everything else the phone does: a "
            "sender that keeps queues short (BBR), or fewer parallel transfers, avoids it"
        )


DECLARATION = Declaration(
    colour=BLUE,
    satisfies=frozenset({"link"}),
    evidence=_queue.evidence,
    advice=advice,
    words_unproven="access link, downlink",
)
