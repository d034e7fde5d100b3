"""The cause `slow_start_restart`: the window grows again after the sender was idle for an RTO."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import GREEN
from airmile.causes import _start
from airmile.causes._declaration import Case, Declaration


def advice(case: Case) -> Iterator[str]:
    """Yield advice on the sender's setting of the restart."""
    proxy = (
        ", and at a proxy between (fetch the same object over another port to find one)"
        if case.downlink
        else ""
    )
    yield (
        "the sender restarts after each pause: set net.ipv4.tcp_slow_start_after_idle=0 at "
        f"the {case.sender}{proxy}"
    )


DECLARATION = Declaration(
    colour=GREEN,
    hatch="xx",
    satisfies=frozenset({"cwnd_or_path"}),
    evidence=_start.evidence,
    advice=advice,
    of_sender=True,
)
