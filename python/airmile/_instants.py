"""Differences of instants in whole nanoseconds, which 64 bits hold for 292 years.

Times of a damaged file may lie centuries apart. Numpy wraps a difference that does not fit, so that
two instants of 1684 and 2262 seem to be six years apart.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Times = npt.NDArray[np.int64]

_ENDS = np.iinfo(np.int64)

CENTURY_NS = 36_525 * 86_400 * 10**9
"""A hundred years in ns: the difference of two differences that are no longer than this fits."""


def apart(later_ns: Times, earlier_ns: Times | np.int64 | int) -> Times:
    """Return how far instants are after others, in ns, as Rust's `Instant` subtracts them.

    Parameters
    ----------
    later_ns, earlier_ns : array of int64, or one instant
        Instants in ns since 1970.

    Returns
    -------
    array of int64
        The differences. One that 64 bits do not hold becomes the nearest value that they hold.

    Examples
    --------
    >>> apart(np.array([3, -(2**63), 2**63 - 1]), np.array([1, 1, -1])).tolist()
    [2, -9223372036854775808, 9223372036854775807]
    """
    earlier = np.asarray(earlier_ns, dtype=np.int64)
    with np.errstate(over="ignore"):
        found = later_ns - earlier
    # Only operands of different signs overflow, and then the result has the sign of the second.
    wrapped = ((later_ns ^ earlier) & (later_ns ^ found)) < 0
    fits: Times = np.where(wrapped, np.where(later_ns < 0, _ENDS.min, _ENDS.max), found)
    return fits
