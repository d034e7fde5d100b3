"""The adjustment of p-values for several comparisons at once (Holm 1979)."""

from __future__ import annotations

import numpy as np

from airmile.comparison.inference._arrays import Array


def holm(p_values: Array) -> Array:
    """Return p-values that are adjusted for all comparisons of a family.

    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    count = p_values.shape[-1]
    order = np.argsort(p_values, axis=-1, kind="stable")
    scaled = np.take_along_axis(p_values, order, -1) * np.arange(count, 0, -1)
    rising = np.minimum(np.maximum.accumulate(scaled, axis=-1), 1.0)
    found = np.empty_like(rising)
    np.put_along_axis(found, order, rising, -1)
    return found
