"""A timeout that no loss called for made the sender start again."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import RED
from airmile.causes import _losses
from airmile.causes._declaration import Case, Declaration


def advice(case: Case) -> Iterator[str]:
    """Say what lets the timer follow the queue."""
    yield (
        f"timeouts come while data still moves: the {case.sender}'s RTO does not follow the "
        "growing RTT; a kernel that samples RTT from SACK (Linux 3.12 or newer) avoids most of "
        "them"
    )


DECLARATION = Declaration(
    colour=RED,
    hatch="//",
    satisfies=frozenset({"rto_loss", "recovery"}),
    evidence=_losses.evidence,
    advice=advice,
    of_sender=True,
)
