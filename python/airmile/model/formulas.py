"""Completion time, optimal time and efficiency of short flows (EFF14 section V, methods I1).

Every argument may be a number or an array; arrays broadcast as in numpy.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airmile.model._case import Case, Options


def completion_time(
    size_bytes: ArrayLike, rate_bps: ArrayLike, rtt_s: ArrayLike, **options: Unpack[Options]
) -> NDArray[np.float64]:
    """Return the duration of a flow in seconds, from its first packet to its last byte.

    Parameters
    ----------
    size_bytes : array_like
        Size of the object, in bytes.
    rate_bps : array_like
        Capacity of the link, in bit/s; may be infinite.
    rtt_s : array_like
        Round trip that the flow has, in seconds; may be 0.
    **options
        The arguments of `airmile.model.Options`.

    Returns
    -------
    ndarray
        Seconds, in the shape to which the arguments broadcast.

    Raises
    ------
    UsageError
        An argument is not a number, is not positive, or has a shape that does not broadcast; the
        error names it.

    Notes
    -----
    L_S = 2 R + O/C + P (R + S/C) - (2^P - 1) I S/C (EFF14 formula 1), with C/N for N flows.

    Examples
    --------
    EFF14's flow of 320 KiB at 20 Mbit/s and 40 ms:

    >>> float(completion_time(320 * 1024, 20e6, 0.040).round(6))
    0.291944
    >>> float(completion_time(320 * 1024, 20e6, 0.040, rounds="eff14").round(6))
    0.27472
    >>> completion_time(320 * 1024, 20e6, 0.040, initial_window=[10, 20, 32]).round(3)
    array([0.292, 0.257, 0.236])
    """
    return Case.of(size_bytes, rate_bps, rtt_s, options).completion_time()


def optimal_time(
    size_bytes: ArrayLike, rate_bps: ArrayLike, rtt_s: ArrayLike, **options: Unpack[Options]
) -> NDArray[np.float64]:
    """Return the duration with an ideal protocol, in seconds.

    An ideal protocol needs one round trip, after which the link is full. Arguments, shape and
    errors are those of `completion_time`; window, transport and losses have no effect.

    Notes
    -----
    L_O = R_O + N O/C, with the round trip without load R_O.

    Examples
    --------
    >>> float(optimal_time(320 * 1024, 20e6, 0.040).round(6))
    0.171072
    """
    return Case.of(size_bytes, rate_bps, rtt_s, options).optimal_time()


def efficiency(
    size_bytes: ArrayLike, rate_bps: ArrayLike, rtt_s: ArrayLike, **options: Unpack[Options]
) -> NDArray[np.float64]:
    """Return the optimal time divided by the completion time: 1 if the link is never idle.

    Arguments, shape and errors are those of `completion_time`. On a link of infinite rate and
    with a round trip of 0 both times are 0 and the efficiency is nan.

    Examples
    --------
    >>> float(efficiency(320 * 1024, 20e6, 0.040).round(6))
    0.585975
    """
    case = Case.of(size_bytes, rate_bps, rtt_s, options)
    with np.errstate(invalid="ignore"):
        return np.asarray(case.optimal_time() / case.completion_time())


def rounds(
    size_bytes: ArrayLike, rate_bps: ArrayLike, rtt_s: ArrayLike, **options: Unpack[Options]
) -> NDArray[np.int64]:
    """Return P, the number of rounds in which the sender waits for ACKs while the link is idle.

    Arguments, shape and errors are those of `completion_time`.

    Examples
    --------
    >>> int(rounds(320 * 1024, 20e6, 0.040))
    3
    """
    return Case.of(size_bytes, rate_bps, rtt_s, options).rounds().astype(np.int64)
