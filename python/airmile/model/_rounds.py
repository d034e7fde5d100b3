"""EFF14's model of slow start: the number of rounds in which the sender idles, and their delay.

The symbols are the paper's: O object size (bits), C capacity (bit/s), R round trip (s), S segment
size (bits), I initial window (segments), P the number of rounds with idling: rounds in which the
window has passed the link before its first ACK returns.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rounds = Literal["exact", "eff14", "as_printed"]

RULES: tuple[Rounds, ...] = get_args(Rounds)


def idle_rounds(o: Array, c: Array, r: Array, s: Array, i: Array, rule: Rounds) -> Array:
    """Return P, the number of rounds in which the sender idles.

    `exact` counts the windows of 2^(k-1) I segments that take less time than R + S/C. The last
    window does not count, because the sender has no more data after it. Formula 1 of the paper
    (`eff14`) takes the floor of log2(1 + x) in both places; this omits a round on most links on
    which the link rather than the size limits P (methods I1).
    """
    window = i * s
    # x = (R + S/C) / (I S/C), rearranged so that an infinite C gives no inf/inf.
    with np.errstate(invalid="ignore"):
        bits_in_flight = np.where(r == 0, 0.0, r * c)
    x = bits_in_flight / window + 1 / i
    windows = 1 + o / window
    if rule == "exact":
        by_link = np.where(x < 1, 0.0, _floor_log2(x) + 1)
        # An object far below one window makes `windows` round to 1, whose logarithm is 0.
        return np.minimum(by_link, np.maximum(_ceil_log2(windows) - 1, 0.0))
    return np.minimum(_floor_log2(1 + x), _floor_log2(windows))


def slow_start_delay(c: Array, r: Array, s: Array, i: Array, p: Array) -> Array:
    """Return the total time that the sender idles, in seconds: P (R + S/C) - (2^P - 1) I S/C."""
    segment_s = s / c
    return p * (r + segment_s) - (np.exp2(p) - 1) * i * segment_s


def _floor_log2(x: Array) -> Array:
    """Return the floor of log2(x), exactly, from the binary exponent of the float."""
    _, exponent = np.frexp(x)
    return np.where(np.isinf(x), np.inf, exponent - 1.0)


def _ceil_log2(x: Array) -> Array:
    mantissa, exponent = np.frexp(x)
    return np.where(mantissa == 0.5, exponent - 1.0, exponent.astype(float))
