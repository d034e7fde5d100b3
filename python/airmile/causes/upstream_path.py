"""The path between capture point and server lost packets, delayed or throttled them."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import PURPLE
from airmile._words import counted
from airmile.causes._declaration import Case, Declaration, milliseconds


def evidence(case: Case) -> Iterator[str]:
    """Say what was lost before the capture point, and how far the server is."""
    lost = case.way("upstream_losses")
    if lost and case.downlink:
        yield f"{counted(lost, 'packet')} lost before the capture point"
    if case.flow["upstream_rtt_ms"]:
        yield f"round trip to the server {milliseconds(case.flow['upstream_rtt_ms'])}"


def advice(case: Case) -> Iterator[str]:
    """Say where a second capture would show more."""
    yield "the path between capture point and server holds data up: capture at the server as well"


DECLARATION = Declaration(
    colour=PURPLE,
    satisfies=frozenset({"cwnd_or_path"}),
    evidence=evidence,
    advice=advice,
)
