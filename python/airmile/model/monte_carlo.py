"""Efficiency of each flow size, over rates and round trips drawn from measurements."""

from __future__ import annotations

from typing import Unpack

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from airmile._arguments import whole
from airmile._errors import UsageError
from airmile.model import _arguments as check
from airmile.model._case import Case, Options
from airmile.model.density import Density

Array = NDArray[np.float64]

DRAWS = 10_000
BAND = (5, 95)
"""The percentiles of the draws in the columns `low` and `high`."""


def monte_carlo(
    rates_bps: ArrayLike,
    rtts_s: ArrayLike,
    sizes_bytes: ArrayLike,
    *,
    draws: int = DRAWS,
    paired: bool = False,
    seed: int = 0,
    bandwidth: str = "eff14",
    loaded_rtts_s: ArrayLike | None = None,
    **options: Unpack[Options],
) -> pa.Table:
    """Compute efficiency and completion time for each flow size (EFF14 section V, methods I2).

    Rates and round trips are drawn from the measurements.

    Parameters
    ----------
    rates_bps : array_like
        Measured capacities, in bit/s.
    rtts_s : array_like
        Measured round trips without load, in seconds.
    sizes_bytes : array_like
        Sizes of flows, in bytes.
    draws : int
        Number of pairs of rate and round trip to draw; every size uses the same pairs.
    paired : bool
        Whether the k-th rate and the k-th round trip were measured together and are drawn together.
    seed : int
        Seed of the random numbers; the same seed gives the same table.
    bandwidth : str
        Width of the kernel, one of `airmile.model.BANDWIDTHS`.
    loaded_rtts_s : array_like, optional
        Round trips while other flows run. The flow has these; the optimal time uses `rtts_s`.
        `flows` is the number of flows that share the link.
    **options
        The arguments of `airmile.model.Options`.

    Returns
    -------
    pyarrow.Table
        One row per size: mean, 5th and 95th percentile of the efficiency and of the completion
        time.

    Raises
    ------
    UsageError
        Samples are too few, all equal or not positive; a size is 0; `paired` samples differ in
        number; `unloaded_rtt_s` and `loaded_rtts_s` are both given.

    Examples
    --------
    >>> table = monte_carlo([4e6, 6e6, 20e6], [0.03, 0.04, 0.06], [1e4, 1e6], seed=1)
    >>> [round(mean, 2) for mean in table["efficiency_mean"].to_pylist()]
    [0.55, 0.88]
    """
    sizes = check.positive("sizes_bytes", sizes_bytes, "bytes").ravel()
    if sizes.size == 0:
        raise UsageError("sizes_bytes is empty", "give at least one size")
    draws = whole("draws", draws, 1)
    rng = np.random.default_rng(whole("seed", seed, 0))
    rates = Density.of(rates_bps, bandwidth, name="rates_bps")
    rtts = Density.of(rtts_s, bandwidth, name="rtts_s")
    rate, rtt = draw_both(rng, rates, rtts, draws, paired=paired)
    if loaded_rtts_s is not None:
        if options.get("unloaded_rtt_s") is not None:
            raise UsageError(
                "unloaded_rtt_s and loaded_rtts_s are both given",
                "leave out unloaded_rtt_s: rtts_s takes its place",
            )
        loaded = Density.of(loaded_rtts_s, bandwidth, name="loaded_rtts_s").draw(rng, draws)
        options = {**options, "unloaded_rtt_s": rtt}
        rtt = loaded
    return _table(sizes, [_size(size, rate, rtt, options) for size in sizes], draws)


def draw_both(
    rng: np.random.Generator, rates: Density, rtts: Density, draws: int, *, paired: bool
) -> tuple[Array, Array]:
    """Draw rates and round trips; if `paired`, a rate and the round trip measured with it."""
    if not paired:
        return rates.draw(rng, draws), rtts.draw(rng, draws)
    if rates.samples.size != rtts.samples.size:
        raise UsageError(
            f"paired: {rates.samples.size} rates_bps, but {rtts.samples.size} rtts_s",
            "give one round trip for each rate, or paired=False",
        )
    which = rng.integers(rates.samples.size, size=draws)
    return rates.around(rng, which), rtts.around(rng, which)


def _size(size: float, rate: Array, rtt: Array, options: Options) -> tuple[Array, Array]:
    """Return mean, low and high of efficiency and of completion time for one size."""
    case = Case.of(size, rate, rtt, options)
    takes = case.completion_time()
    return _summary(case.optimal_time() / takes), _summary(takes)


def _summary(values: Array) -> Array:
    return np.array([values.mean(), *np.percentile(values, BAND)])


def _table(sizes: Array, rows: list[tuple[Array, Array]], draws: int) -> pa.Table:
    efficiency, takes = (np.array([row[which] for row in rows]) for which in (0, 1))
    names = ("mean", "low", "high")
    return pa.table(
        {
            "size_bytes": sizes,
            **{f"efficiency_{name}": efficiency[:, k] for k, name in enumerate(names)},
            **{f"completion_time_{name}_s": takes[:, k] for k, name in enumerate(names)},
            "draws": pa.array(np.full(sizes.size, draws), pa.int64()),
        }
    )
