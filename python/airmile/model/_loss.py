"""Completion time with losses, after Cardwell et al., "Modeling TCP Latency", INFOCOM 2000.

Cardwell's flow consists of slow start up to the first loss, the recovery, and a steady state at the
rate of Padhye et al. (SIGCOMM 1998). Two changes make it agree with EFF14's model when nothing is
lost: slow start takes as long as in that model, and the steady state is no faster than the link.
Each segment has an ACK (b = 1), as for senders that count bytes (RFC 3465). Equation numbers are
those of Cardwell.
"""

from __future__ import annotations

import numpy as np

from airmile.model._rounds import Array

MOST_LOSS_RATIO = 0.5
"""At this share of losses the expected wait for a SYN-ACK is infinite: each timeout doubles."""

FIRST_TIMEOUT_S = 1.0
"""Timeout of a SYN (RFC 6298 section 2.1) and of QUIC's first flight (RFC 9002 section 6.2.2)."""

LEAST_TIMEOUT_S = 0.2
"""Linux waits at least this long beyond the round trip; RFC 6298 section 2.4 requires 1 s."""

DUPLICATE_ACKS = 3
"""Duplicate ACKs that start fast retransmit (RFC 5681 section 3.2)."""


def completion_time_with_losses(
    begin_s: Array,
    segments: Array,
    segments_per_s: Array,
    rtt_s: Array,
    loss: Array,
    window: Array,
    idle_rounds: Array,
) -> Array:
    """Return the expected completion time of flows of `segments` segments, in seconds.

    `begin_s` is the time before the first segment arrives if nothing is lost. `idle_rounds` is the
    number of rounds in which the sender of a flow without losses idles. The server's first packet
    may be lost with every protocol (equation 4): data that overtake a SYN-ACK (Fast Open) or the
    ServerHello (0-RTT) cannot be used before it arrives (RFC 9293 section 3.10.7.3, RFC 9001
    section 5.7).
    """
    before = _segments_before_loss(segments, loss)
    slow_start = before / segments_per_s + _idle_time(
        segments_per_s, rtt_s, loss, window, idle_rounds
    )
    recovery = _recovery_time(segments, before, rtt_s, loss, window)
    rate = np.minimum(segments_per_s, _steady_rate(rtt_s, loss))
    # With no losses, rounding could leave a remainder above 0.
    left = np.where(loss == 0, 0.0, np.maximum(segments - before, 0.0))
    waits = FIRST_TIMEOUT_S * loss / (1 - 2 * loss)
    return np.asarray(begin_s + waits + slow_start + recovery + left / rate)


def _segments_before_loss(d: Array, p: Array) -> Array:
    """Return the expected number of segments before the first loss (equation 5).

    The paper adds the lost segment itself, so that a flow without losses would have d + 1 segments.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        lossy = _any_lost(d, p) * (1 - p) / p
    return np.where(p == 0, d, lossy)


def _idle_time(per_s: Array, rtt_s: Array, p: Array, window: Array, rounds: Array) -> Array:
    """Return the expected time that the sender idles in slow start before the first loss, in s.

    A round counts if every segment up to its end has arrived. Equation 15 counts the rounds of the
    expected number of segments instead; this count jumps where that number exceeds a window.
    """
    idle = np.zeros(np.broadcast_shapes(*(x.shape for x in (per_s, rtt_s, p, window, rounds))))
    for k in range(1, int(rounds.max(initial=0)) + 1):
        wait = rtt_s + 1 / per_s - 2.0 ** (k - 1) * window / per_s
        reached = np.exp(window * (2.0**k - 1) * np.log1p(-p))
        idle += np.where(k <= rounds, wait * reached, 0.0)
    return idle


def _recovery_time(d: Array, before: Array, rtt_s: Array, p: Array, window: Array) -> Array:
    """Return the expected time of the first loss recovery, in s (equations 11, 16 and 20)."""
    reached = before / 2 + window / 2
    timeout = _timeout_ratio(p, reached)
    return _any_lost(d, p) * (timeout * _timeout_wait(rtt_s, p) + (1 - timeout) * rtt_s)


def _timeout_ratio(p: Array, w: Array) -> Array:
    """Return the share of losses in a window of w that lead to a timeout (equation 17)."""
    w = np.maximum(w, DUPLICATE_ACKS)
    seen = 1 + (1 - _any_lost(DUPLICATE_ACKS, p)) * _any_lost(w - DUPLICATE_ACKS, p)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = seen * _any_lost(DUPLICATE_ACKS, p) / _any_lost(w, p)
    return np.where(p == 0, 0.0, np.minimum(1.0, ratio))


def _any_lost(count: Array | int, p: Array) -> Array:
    """Return 1 - (1 - p)^count, exact even for a p so small that 1 - p rounds to 1."""
    return np.asarray(-np.expm1(count * np.log1p(-p)))


def _timeout_wait(rtt_s: Array, p: Array) -> Array:
    """Return the expected wait of a series of doubling timeouts, in seconds (equations 18, 19)."""
    doubled = 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6
    return (rtt_s + LEAST_TIMEOUT_S) * doubled / (1 - p)


def _steady_rate(rtt_s: Array, p: Array) -> Array:
    """Return segments delivered per second in congestion avoidance (equations 22 and 23)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        w = 1 + np.sqrt(8 * (1 - p) / (3 * p) + 1)
        timeout = _timeout_ratio(p, w)
        sent = (1 - p) / p + w / 2 + timeout
        takes = rtt_s * (w / 2 + 1) + timeout * _timeout_wait(rtt_s, p)
        rate = sent / takes
    return np.where(p == 0, np.inf, rate)
