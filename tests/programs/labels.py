"""The labels of the truth, and the causes that are right under each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from airmile import causes
from tests.recorded.tally import NONE, UNDETERMINED
from tests.taps import labels

_LINK = causes.links()

OWN: Mapping[str, frozenset[str]] = {
    # The server had read a request, and had not yet begun its answer.
    "server_thinks": frozenset({"sender_app"}),
    # Both applications were silent, and nothing was on its way.
    "silent": frozenset({"sender_app", "idle", NONE}),
    # A request or its answer, of a few packets, was on its way.
    "transit": _LINK | {"round_trip", "promotion_delay"},
    "handshake": frozenset({"handshake_dns"}),
    "promotion": frozenset({"handshake_dns", "promotion_delay"}),
    # What the application had written waited in its own host for an ACK.
    "held": frozenset({UNDETERMINED, "round_trip"}),
    # A timer sent again what was lost.
    "timer": frozenset({"loss_recovery", "undesired_slow_start"}),
    # A router dropped what exceeded a rate.
    "policer": _LINK
    | {"loss_recovery", "upstream_path", "congestion_window", "slow_start"}
    | {"slow_start_restart", "undesired_slow_start"},
}

RESTS = frozenset({"silent"})
"""Labels of time that no headline is about."""


@cache
def fitting(label: str) -> frozenset[str]:
    """Return the causes that fit a label, or any of several with bars between them.

    A question mark follows a label that the capture point cannot show.

    >>> sorted(fitting("handshake|server_thinks"))
    ['handshake_dns', 'sender_app']
    """
    each = label.replace("?", "").split("|")
    return frozenset().union(*(OWN.get(one) or labels.fitting(one) for one in each))
