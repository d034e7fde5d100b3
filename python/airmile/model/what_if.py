"""What measured users would gain from a larger initial window, Fast Open or QUIC."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from airmile._arguments import whole
from airmile._errors import UsageError
from airmile.model import _arguments as check
from airmile.model._case import Options
from airmile.model.density import BANDWIDTHS, Density
from airmile.model.formulas import completion_time
from airmile.model.inputs import Inputs
from airmile.model.monte_carlo import DRAWS, draw_both
from airmile.model.transports import named
from airmile.protocols._short_flow import INITIAL_WINDOW

Array = NDArray[np.float64]

RESAMPLES = 200
"""The number of bootstrap resamples for a confidence interval; our choice."""

CONFIDENCE = 0.95

FASTER_S = 0.001
"""The least gain that counts as faster, in seconds; captures are not more precise."""


@dataclass(frozen=True)
class Scenario:
    """A protocol and an initial window with which the flows are computed.

    Examples
    --------
    >>> Scenario("tls1.3", 20).title
    'TLS 1.3, IW 20'
    """

    transport: str = "tcp"
    initial_window: int = INITIAL_WINDOW

    @property
    def title(self) -> str:
        """The scenario's name in reports."""
        return f"{named(self.transport).title}, IW {self.initial_window}"

    def options(self, loss_ratio: float = 0.0) -> Options:
        """Return the scenario as arguments of the model's formulas."""
        return {
            "transport": self.transport,
            "initial_window": self.initial_window,
            "loss_ratio": loss_ratio,
        }


def what_if(
    inputs: Inputs,
    scenarios: Sequence[Scenario],
    *,
    paired: bool = False,
    draws: int = DRAWS,
    seed: int = 0,
    loss_ratio: float = 0.0,
) -> pa.Table:
    """Compare scenarios over the flows of a source.

    A flow is a size, a rate and a round trip, each drawn from the measured samples; all scenarios
    have the same flows. The confidence interval of the mean change is a bootstrap over the samples.
    It covers the error from few samples, if these are independent, but not the error of the model.
    The percentiles of a paper are not samples, so they give no interval.

    Parameters
    ----------
    inputs : Inputs
        The result of :func:`airmile.model.read`.
    scenarios : sequence of Scenario
        The scenarios; the first is the one with which the others are compared.
    paired : bool
        Whether the rate and the round trip of a flow are drawn together.
    draws : int
        Number of flows drawn.
    seed : int
        Seed of the random numbers.
    loss_ratio : float
        Share of the server's segments that is lost.

    Returns
    -------
    pyarrow.Table
        One row per scenario: mean, median and 95th percentile of the completion time, the mean
        change from the first scenario with its 95 % interval (null without samples), and the share
        of flows that get faster.

    Raises
    ------
    Missing
        A group has too few samples.
    UsageError
        There is no scenario, or an argument or sample is out of range; the error names it.

    Examples
    --------
    >>> inputs = Inputs(
    ...     "three flows",
    ...     rates_bps=np.array([4e6, 6e6, 20e6]),
    ...     rtts_s=np.array([0.03, 0.04, 0.06]),
    ...     sizes_bytes=np.array([3e3, 4e4, 1e6]),
    ... )
    >>> table = what_if(inputs, [Scenario(), Scenario("tfo")])
    >>> [round(change, 3) for change in table["change_mean_s"].to_pylist()]
    [0.0, -0.044]
    """
    if not scenarios:
        raise UsageError("no scenario", "give at least one")
    draws = whole("draws", draws, 1)
    rng = np.random.default_rng(whole("seed", seed, 0))
    run = _times(scenarios, loss_ratio)
    flows = _measured(inputs, paired=paired)
    width = inputs.bandwidth
    times = run(_draw(rng, flows, width, draws, paired=paired))
    if inputs.of_percentiles:
        return _table(scenarios, times, None)
    anew = _resamples(rng, flows, paired=paired, sizes_are_given=inputs.sizes_are_given)
    means = [run(_draw(rng, each, width, draws, paired=paired)).mean(axis=1) for each in anew]
    return _table(scenarios, times, np.array(means))


Flows = tuple[Array, Array, Array]
"""The sizes, rates and round trips of a set of flows."""


def _times(scenarios: Sequence[Scenario], loss_ratio: float) -> Callable[[Flows], Array]:
    """Return a function that gives a row of completion times for each scenario."""

    def times(flows: Flows) -> Array:
        each = [completion_time(*flows, **one.options(loss_ratio)) for one in scenarios]
        return np.stack(each)

    return times


def _measured(inputs: Inputs, *, paired: bool) -> Flows:
    rates, rtts = inputs.pairs() if paired else inputs.groups("rates_bps", "rtts_s")
    for name, values in (("rates_bps", rates), ("rtts_s", rtts)):
        Density.of(values, inputs.bandwidth, name=name)
    return check.positive("sizes_bytes", inputs.group("sizes_bytes"), "bytes"), rates, rtts


def _draw(rng: np.random.Generator, flows: Flows, width: str, count: int, *, paired: bool) -> Flows:
    sizes, *both = flows
    # A resample may hold one value only; the width is then 0 and every draw equals the value.
    rates, rtts = (Density(values, BANDWIDTHS[width](values)) for values in both)
    rate, rtt = draw_both(rng, rates, rtts, count, paired=paired)
    return rng.choice(sizes, count), rate, rtt


def _resamples(
    rng: np.random.Generator, flows: Flows, *, paired: bool, sizes_are_given: bool
) -> Iterator[Flows]:
    """Yield the resamples of a bootstrap, each as large as the original."""
    sizes, rates, rtts = flows
    for _ in range(RESAMPLES):
        of_rate = rng.integers(rates.size, size=rates.size)
        of_rtt = of_rate if paired else rng.integers(rtts.size, size=rtts.size)
        some = sizes if sizes_are_given else rng.choice(sizes, sizes.size)
        yield some, rates[of_rate], rtts[of_rtt]


def _interval(means: Array | None) -> tuple[Array | None, Array | None]:
    """Return the ends of the interval of each scenario's change; `means` has a row per resample."""
    if means is None:
        return None, None
    tail = 50 * (1 - CONFIDENCE)
    low, high = np.percentile(means - means[:, :1], [tail, 100 - tail], axis=0)
    return low, high


def _table(scenarios: Sequence[Scenario], times: Array, means: Array | None) -> pa.Table:
    change = times - times[0]
    low, high = (
        pa.nulls(len(scenarios), pa.float64()) if end is None else end for end in _interval(means)
    )
    median, late = np.percentile(times, [50, 95], axis=1)
    return pa.table(
        {
            "scenario": [scenario.title for scenario in scenarios],
            "transport": [scenario.transport for scenario in scenarios],
            "initial_window": pa.array([each.initial_window for each in scenarios], pa.int64()),
            "completion_time_mean_s": times.mean(axis=1),
            "completion_time_p50_s": median,
            "completion_time_p95_s": late,
            "change_mean_s": change.mean(axis=1),
            "change_low_s": low,
            "change_high_s": high,
            "change_ratio": times.mean(axis=1) / times[0].mean() - 1,
            "faster_ratio": (change <= -FASTER_S).mean(axis=1),
        }
    )
