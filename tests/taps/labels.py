"""Which causes fit a label, which of them is the narrowest, and which labels are finer."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from airmile import causes
from tests.recorded.tally import NONE, UNDETERMINED, class_of, satisfies

Causes = frozenset[str]

_LINK = causes.links()
_GROWTH = frozenset({"slow_start", "slow_start_restart", "congestion_window"})
_LOSS = frozenset({"loss_recovery", "undesired_slow_start"})

FINER: Mapping[str, Causes] = {
    # The sender had nothing in flight and nothing to send in the whole bin.
    "silent": causes.fitting("idle_or_app") | {NONE},
    # All that the application wrote is in flight, and waits in a queue that does not empty.
    "drain": _LINK | {"sender_app", "idle", NONE},
    # The window has room and the application more to write, but its socket takes no more.
    "send_buffer": frozenset({"sender_app", "congestion_window"}),
    "slow_start": frozenset({"slow_start", "slow_start_restart", "undesired_slow_start"}),
    "congestion_window": frozenset({"congestion_window"}),
    # BBR keeps no threshold, so its kernel does not show which of them it is.
    "window_growth": _GROWTH,
    "upstream_path": frozenset({"upstream_path"}),
    "zero_window": frozenset({"receiver_app", "receive_window"}),
    # A link whose queue never empties is the bottleneck even while the sender recovers.
    "loss_over_upstream": _LOSS | {"upstream_path"},
    # A policer has no queue: the sender sees its losses, and a window that they cut.
    "policed": _LINK | _LOSS | {"congestion_window"},
    "upstream_policed": _LOSS | {"congestion_window", "upstream_path"},
}
"""The causes that fit the labels of this set; those of other labels are in `recorded.tally`."""

NARROWEST: Mapping[str, Causes] = {
    "idle_or_app": frozenset({"sender_app", "idle", NONE}),
    "drain": _LINK,
    "send_buffer": frozenset({"sender_app"}),
    "slow_start": frozenset({"slow_start", "slow_start_restart"}),
    "zero_window": frozenset({"receiver_app"}),
    "loss_over_queue": _LINK,
    "loss_over_upstream": frozenset({"upstream_path"}),
    "policed": _LINK,
    "upstream_policed": frozenset({"upstream_path"}),
}
"""The causes that name no more than the label does, where others fit too."""

_WAYS = {
    "downlink": frozenset({"lte_downlink"}),
    "uplink": frozenset({"lte_uplink", "device_queue"}),
}

RESTS = frozenset({"idle", "silent", "between", "unknown"})
"""Labels of time that no headline is about."""


@cache
def fitting(label: str) -> Causes:
    """Return the causes that fit a label.

    >>> sorted(fitting("upstream_path")), sorted(fitting("rwnd"))
    (['upstream_path'], ['receive_window', 'receiver_app'])
    """
    if label in FINER:
        return FINER[label]
    return frozenset(
        cause
        for cause in (*causes.every(), NONE)
        if cause != UNDETERMINED and satisfies(class_of(cause), label)
    )


@cache
def narrowest(label: str, direction: str | None) -> Causes:
    """Return the causes that fit a label exactly, for data of a direction; None: of any.

    >>> sorted(narrowest("link", "uplink")), sorted(narrowest("policed", "downlink"))
    (['device_queue', 'lte_uplink'], ['lte_downlink'])
    """
    found = NARROWEST.get(label, fitting(label))
    others = _LINK - _WAYS.get(direction or "", _LINK)
    return found - others or found
