"""Throughputs and round trips that papers published as percentiles.

Papers print three percentiles instead of samples. The distribution here is half a log-normal on
either side of the median, each through the outer percentile of its side. It is positive and has the
three percentiles; everything between and beyond them is an approximation.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

POINTS = 1001
"""The number of equally likely values that represent a distribution.

With 1001 values the 5th, 50th and 95th percentile are among them.
"""

OUTER = 0.95
"""The upper outer percentile, the 95th, as a share; the lower one is the 5th."""


@dataclass(frozen=True)
class Percentiles:
    """The 5th, 50th and 95th percentile of a quantity.

    Examples
    --------
    >>> values = Percentiles(30, 70, 467).values()
    >>> np.percentile(values, [5, 50, 95]).round()
    array([ 30.,  70., 467.])
    """

    p5: float
    p50: float
    p95: float

    @property
    def points(self) -> tuple[float, float, float]:
        """The three percentiles, in ascending order."""
        return self.p5, self.p50, self.p95

    def values(self) -> Array:
        """Return 1001 equally likely values of the distribution, in ascending order."""
        share = np.linspace(0, 1, POINTS)
        # The first and the last value represent half a step each and lie in its middle.
        share[[0, -1]] = share[1] / 4, 1 - share[1] / 4
        normal = np.array([NormalDist().inv_cdf(each) for each in share])
        outer = NormalDist().inv_cdf(OUTER)
        low, high = np.log(self.p50 / self.p5) / outer, np.log(self.p95 / self.p50) / outer
        return np.asarray(self.p50 * np.exp(np.where(normal < 0, low, high) * normal))


@dataclass(frozen=True)
class Published:
    """The percentiles that a study printed for one technology.

    Attributes
    ----------
    name : str
        The value of ``--from`` that selects it.
    title : str
        The name in reports.
    source : str
        The paper and its table.
    downlink_kbps, rtt_ms : Percentiles
        TCP throughput in kbit/s, and round trip of the handshake in ms.
    loaded_rtt_ms : Percentiles, optional
        Round trip of the handshake while one other flow runs, in ms.
    loaded_source : str
        The source of `loaded_rtt_ms`.
    """

    name: str
    title: str
    source: str
    downlink_kbps: Percentiles
    rtt_ms: Percentiles
    loaded_rtt_ms: Percentiles | None = None
    loaded_source: str = ""


_EFF14 = "EFF14 Table I (runs A and B: most of its throughputs are of 320 KiB flows, and low)"
_ALL = (
    Published(
        "eff14-3g", "EFF14, 3G", _EFF14, Percentiles(93, 151, 193), Percentiles(237, 256, 277)
    ),
    Published(
        "eff14-3.5g", "EFF14, 3.5G", _EFF14,
        Percentiles(2601, 3521, 16272), Percentiles(49, 50, 70),
        # Figure 2c draws this distribution; the paper prints no number for it.
        Percentiles(100, 250, 600),
        "assumed: section IV says that it shifts right and widens, and prints no number",
    ),
    Published(
        "eff14-4g", "EFF14, 4G", _EFF14,
        Percentiles(4930, 5830, 57771), Percentiles(36, 40, 43), Percentiles(36, 40, 43),
        "as without load: section IV calls it largely insensitive to load, and prints no number",
    ),
    Published(
        "lte13", "LTE13, LTE", "LTE13 Table 1 (flows above 1 MB)",
        Percentiles(569, 9185, 24229), Percentiles(30, 70, 467),
    ),
)  # fmt: skip

PUBLISHED: dict[str, Published] = {published.name: published for published in _ALL}
"""The published throughputs and round trips, by the name that ``--from`` takes."""
