"""The cause `upstream_path`: the path beyond the capture point lost or delayed packets."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import PURPLE
from airmile._words import counted
from airmile.causes._declaration import Case, Declaration, milliseconds


def evidence(case: Case) -> Iterator[str]:
    """Yield the losses before the capture point, and the round trip to the server."""
    lost = case.way("upstream_losses")
    if lost and case.downlink:
        yield f"{counted(lost, 'packet')} lost before the capture point"
    if case.flow["upstream_rtt_ms"]:
        yield f"round trip to the server {milliseconds(case.flow['upstream_rtt_ms'])}"


def advice(case: Case) -> Iterator[str]:
    """Yield advice on a second capture that would show more."""
    yield "the path between capture point and server delays data: capture at the server as well"


DECLARATION = Declaration(
    colour=PURPLE,
    satisfies=frozenset({"cwnd_or_path"}),
    evidence=evidence,
    advice=advice,
)
