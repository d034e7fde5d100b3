"""The cause `congestion_window`: it limits the sender, in congestion avoidance or below."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import GREEN
from airmile.causes import _hidden_queue, _in_flight
from airmile.causes._declaration import Case, Declaration


def evidence(case: Case) -> Iterator[str]:
    """Yield the largest number of bytes in flight, and how short a queue would be hidden."""
    yield from _in_flight.evidence(case, "congestion_window")
    yield from _hidden_queue.evidence(case, "congestion_window")


def advice(case: Case) -> Iterator[str]:
    """Yield advice on where to look for the reason of the small window."""
    yield (
        f"the {case.sender} holds back although no queue shows the {case.link} full: look for "
        "losses or delay upstream that shrank its window, and try another congestion control"
    )


DECLARATION = Declaration(
    colour=GREEN,
    hatch="//",
    satisfies=frozenset({"cwnd_or_path"}),
    evidence=evidence,
    advice=advice,
    of_sender=True,
)
