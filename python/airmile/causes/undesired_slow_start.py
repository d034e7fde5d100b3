"""The cause `undesired_slow_start`: a slow start after a timeout without a loss."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import RED
from airmile.causes import _losses
from airmile.causes._declaration import Case, Declaration


def evidence(case: Case) -> Iterator[str]:
    """Yield what was retransmitted, and how often it happened."""
    yield from _losses.evidence(case, "undesired_slow_start")


def advice(case: Case) -> Iterator[str]:
    """Yield advice that makes the RTO follow the queueing delay."""
    yield (
        f"timeouts occur while data still move: the {case.sender}'s RTO does not follow the "
        "growing RTT; a kernel that samples RTT from SACK (Linux 3.12 or newer) avoids most of "
        "them"
    )


DECLARATION = Declaration(
    colour=RED,
    hatch="//",
    satisfies=frozenset({"rto_loss", "recovery"}),
    evidence=evidence,
    advice=advice,
    of_sender=True,
)
