"""Losses: Cardwell et al., "Modeling TCP Latency", INFOCOM 2000, on a link of finite rate.

Their flow is slow start up to the first loss, its repair, and a steady state at the rate of
Padhye et al. (SIGCOMM 1998). Here slow start takes what the model without losses says, and the
steady state is no faster than the link; without losses it is that model. One ACK for each segment
(b = 1), as senders that count bytes behave (RFC 3465).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from airmile.model._rounds import Array

MOST_LOSS_RATIO = 0.5
"""From here on the expected wait for a SYN-ACK, which doubles each time, has no limit."""

SYN_TIMEOUT_S = 1.0
"""RFC 6298 section 2.1."""

LEAST_TIMEOUT_S = 0.2
"""Above the round trip: what Linux adds at least; RFC 6298 section 2.4 would wait a second."""

DUPLICATE_ACKS = 3
"""RFC 5681 section 3.2."""


def completion_time_with_losses(
    begin_s: Array,
    segments: Array,
    segments_per_s: Array,
    rtt_s: Array,
    loss: Array,
    window: Array,
    transfer_time: Callable[[Array], Array],
) -> Array:
    """Return the expected time of flows of so many segments.

    `begin_s` is the time before the first segment leaves, `transfer_time` what slow start takes
    without losses for a number of segments.
    """
    before = _segments_before_loss(segments, loss)
    repair = _repair_time(segments, before, rtt_s, loss, window)
    rate = np.minimum(segments_per_s, _steady_rate(rtt_s, loss))
    # What rounding leaves of a flow without losses is nothing, whatever the rate.
    left = np.where(loss == 0, 0.0, np.maximum(segments - before, 0.0))
    waits = np.where(begin_s > rtt_s, SYN_TIMEOUT_S * loss / (1 - 2 * loss), 0.0)
    return np.asarray(begin_s + waits + transfer_time(before) + repair + left / rate)


def _segments_before_loss(d: Array, p: Array) -> Array:
    """Return the segments expected before the first loss (section III-B).

    Theirs is one more, which stands for the lost one; then a flow without losses had d + 1.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        lossy = -np.expm1(d * np.log1p(-p)) * (1 - p) / p
    return np.where(p == 0, d, lossy)


def _repair_time(d: Array, before: Array, rtt_s: Array, p: Array, window: Array) -> Array:
    """Return the expected time of the first loss's repair (section III-C)."""
    any_loss = -np.expm1(d * np.log1p(-p))
    reached = before / 2 + window / 2
    timeout = _timeout_ratio(p, reached)
    return any_loss * (timeout * _timeout_wait(rtt_s, p) + (1 - timeout) * rtt_s)


def _timeout_ratio(p: Array, w: Array) -> Array:
    """Return the share of losses in a window of w that take a timeout (Padhye formula 24)."""
    kept = 1 - p
    w = np.maximum(w, DUPLICATE_ACKS)
    seen = 1 + kept**DUPLICATE_ACKS * (1 - kept ** (w - DUPLICATE_ACKS))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = seen * (1 - kept**DUPLICATE_ACKS) / (1 - kept**w)
    return np.where(p == 0, 0.0, np.minimum(1.0, ratio))


def _timeout_wait(rtt_s: Array, p: Array) -> Array:
    """Return the expected wait of a series of timeouts that double (Padhye formula 29)."""
    doubled = 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6
    return (rtt_s + LEAST_TIMEOUT_S) * doubled / (1 - p)


def _steady_rate(rtt_s: Array, p: Array) -> Array:
    """Return segments per second in congestion avoidance (Padhye formula 32, b = 1)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        w = 1 + np.sqrt(8 * (1 - p) / (3 * p) + 1)
        timeout = _timeout_ratio(p, w)
        sent = (1 - p) / p + w / 2 + timeout
        takes = rtt_s * (w / 2 + 1) + timeout * _timeout_wait(rtt_s, p)
        rate = sent / takes
    return np.where(p == 0, np.inf, rate)
