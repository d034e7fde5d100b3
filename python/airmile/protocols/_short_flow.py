"""EFF14's completion time of one flow, alone and without losses, as plain numbers.

`airmile.model` computes the same for arrays, with losses and other flows. But importing numpy takes
longer than a whole verdict. A test checks that both agree.
"""

from __future__ import annotations

import math

INITIAL_WINDOW = 10
"""The initial window in segments (RFC 6928 section 2), which EFF14's servers have."""

SEGMENT_BYTES = 1460
"""The payload in bytes of an Ethernet frame without TCP options: EFF14's S of 11 680 bits."""


def completion_s(size_bytes: float, rate_bps: float, rtt_s: float, *, handshake_rtts: int) -> float:
    """Return how long a flow takes, from its first packet to its last byte (methods I1).

    Parameters
    ----------
    size_bytes : float
        Size of the object in bytes, above 0.
    rate_bps : float
        Capacity of the link in bit/s; may be infinite.
    rtt_s : float
        Round trip in seconds; may be 0.
    handshake_rtts : int
        Number of round trips before the request can leave.

    Examples
    --------
    >>> round(completion_s(320 * 1024, 20e6, 0.040, handshake_rtts=1), 6)
    0.291944
    """
    segment_s = 8 * SEGMENT_BYTES / rate_bps
    rounds = _idle_rounds(8 * size_bytes, rate_bps, rtt_s)
    idle_s = rounds * (rtt_s + segment_s) - (2.0**rounds - 1) * INITIAL_WINDOW * segment_s
    return (handshake_rtts + 1) * rtt_s + 8 * size_bytes / rate_bps + idle_s


def _idle_rounds(size: float, rate: float, rtt_s: float) -> int:
    """Return the number of windows, except the last, that pass the link before their first ACK."""
    window = 8 * SEGMENT_BYTES * INITIAL_WINDOW
    mantissa, exponent = math.frexp(1 + size / window)
    by_size = max(exponent - (mantissa == 0.5) - 1, 0)
    windows = (rtt_s * rate if rtt_s else 0.0) / window + 1 / INITIAL_WINDOW
    if math.isinf(windows):
        return by_size
    return min(math.frexp(windows)[1], by_size) if windows >= 1 else 0
