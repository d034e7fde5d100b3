"""What a tap can show of a label: the table of methods T9, by the labels of these runs."""

from __future__ import annotations

_UPSTREAM = frozenset({"upstream_path", "loss_over_upstream", "upstream_policed"})
"""Limits of the wired path, which only a monitor tells from the link."""

_QUEUE = frozenset({"link", "drain", "mixed_link_cwnd", "link_or_window", "loss_over_queue"})
"""Queues of the radio, which are before the tap, and unseen without timestamps, in some cases."""

_BEFORE = {"ue": "downlink", "monitor": "uplink", "server": "uplink"}
"""The direction of the data whose queue in the radio is before a tap."""


def shows(tap: str, label: str, direction: str | None, *, timestamps: bool) -> bool:
    """Say whether a tap can show what a label says.

    Parameters
    ----------
    tap, label : str
        The tap and the label.
    direction : str or None
        The direction of the data; None for requests and their answers.
    timestamps : bool
        Whether the hosts send timestamps (RFC 7323).

    Examples
    --------
    >>> [shows(tap, "upstream_path", "downlink", timestamps=True) for tap in ("ue", "monitor")]
    [False, True]
    >>> [shows(tap, "link", "downlink", timestamps=False) for tap in ("ue", "monitor")]
    [False, True]
    """
    if label in _UPSTREAM:
        return tap == "monitor"
    unseen = not timestamps and direction == _BEFORE[tap]
    return not (unseen and label in _QUEUE)
