"""Random samples with a known truth, and what must hold over many of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from airmile.comparison.inference import effect, means
from airmile.comparison.inference._arrays import LEVEL, Array
from airmile.comparison.inference.several import holm
from tests.compare import batches
from tests.compare.batches import Test

Generator = np.random.Generator
Found = dict[str, float]
"""Shares of samples, by the name of what they share."""


@dataclass(frozen=True)
class Scenario:
    """Samples, what is measured over them, and the range in which each share must lie."""

    name: str
    run: Callable[[Generator, int], Found]
    wanted: dict[str, tuple[float, float]]


def normal(n: int, random: Generator, count: int) -> Array:
    """Draw from the normal distribution."""
    return random.standard_normal((count, n))


def log_normal(sigma: float, n: int, random: Generator, count: int) -> Array:
    """Draw from a log-normal distribution that is shifted to a mean of 0."""
    return np.asarray(random.lognormal(0.0, sigma, (count, n)) - np.exp(sigma**2 / 2))


def serial(rho: float, n: int, random: Generator, count: int) -> Array:
    """Draw series with an autocorrelation (AR(1)), from their stationary distribution."""
    found = random.standard_normal((count, n))
    for at in range(1, n):
        found[:, at] = rho * found[:, at - 1] + np.sqrt(1 - rho**2) * found[:, at]
    return found


Draw = Callable[[Generator, int], Array]


def _coverage(draw: Draw, random: Generator, count: int) -> Found:
    rows = draw(random, count)
    low, high = batches.mean_interval(rows)
    t_low, t_high = means.student(rows)
    return {
        "coverage": float(((low <= 0) & (high >= 0)).mean()),
        "coverage of Student's t": float(((t_low <= 0) & (t_high >= 0)).mean()),
    }


def _tested(test: Test, draws: Sequence[Draw], random: Generator, count: int) -> Found:
    """Return the share of rejections, and of claims: a claim also needs an interval without 0."""
    rows = [draw(random, count) for draw in draws]
    rejected = test.p_values(*rows) <= LEVEL
    claimed = ~test.judged(*(each[rejected] for each in rows)).covers(0.0)
    return {"rejected": float(rejected.mean()), "claimed": float(claimed.sum()) / count}


def _covered(test: Test, draws: Sequence[Draw], random: Generator, count: int) -> Found:
    """Return the share of intervals that contain the true difference."""
    found = test.judged(*(draw(random, count) for draw in draws))
    return {"coverage": float(found.covers(0.0).mean())}


def _family(n: int, groups: int, random: Generator, count: int) -> Found:
    """Compare every two groups in pairs; return the share of samples with any claim."""
    rows = [normal(n, random, count) for _ in range(groups)]
    twos = [rows[b] - rows[a] for a in range(groups) for b in range(a + 1, groups)]
    adjusted = holm(np.stack([batches.PAIRED_MEANS.p_values(each) for each in twos], axis=1))
    rejected = adjusted <= LEVEL
    claimed = np.zeros(count, bool)
    for place, each in enumerate(twos):
        some = rejected[:, place]
        if some.any():
            claimed[some] |= ~batches.PAIRED_MEANS.judged(each[some]).covers(0.0)
    return {"rejected": float(rejected.any(axis=1).mean()), "claimed": float(claimed.mean())}


def _effects(random: Generator, count: int) -> Found:
    """Return coverage of true effects of 0.5 deviations: 20 pairs, and 20 against 30 samples."""
    pairs = [effect.paired(row + 0.5, 20.0) for row in normal(20, random, count)]
    groups = [
        effect.unpaired(a, b + 0.5)
        for a, b in zip(normal(20, random, count), normal(30, random, count), strict=True)
    ]
    return {
        "coverage d_z": float(np.mean([_holds_half(each) for each in pairs])),
        "coverage Hedges' g": float(np.mean([_holds_half(each) for each in groups])),
    }


def _holds_half(found: effect.Effect) -> bool:
    return found.low is not None and found.high is not None and found.low <= 0.5 <= found.high


COVERED = {"coverage": (0.94, 0.96)}
TEST = {"rejected": (0.04, 0.06)}
SMALL = {"rejected": (0.0, 0.06), "claimed": (0.0, 0.06)}
SERIES = {"rejected": (0.0, 0.08), "claimed": (0.0, 0.08)}

PAIRED = (("mean", batches.PAIRED_MEANS), ("median", batches.PAIRED_MEDIANS))


def _doubled(draw: Draw) -> Draw:
    return lambda random, count: 2 * draw(random, count)


def _two_log_normals(random: Generator, count: int) -> Array:
    return log_normal(0.5, 40, random, count) - log_normal(0.5, 40, random, count)


SCENARIOS = (
    Scenario("mean, normal, n = 20", partial(_coverage, partial(normal, 20)), COVERED),
    Scenario(
        "mean, log-normal 0.5, n = 100", partial(_coverage, partial(log_normal, 0.5, 100)), COVERED
    ),
    Scenario(
        "mean, log-normal 1, n = 100", partial(_coverage, partial(log_normal, 1.0, 100)),
        {"coverage": (0.93, 0.97)},
    ),
    *(
        Scenario(
            f"{what} of pairs, normal, n = {n}", partial(_tested, test, [partial(normal, n)]),
            {**(TEST if n >= 20 else SMALL), "claimed": (0.0, 0.06)},
        )
        for what, test in PAIRED
        for n in (6, 8, 12, 20, 40)
    ),
    *(
        Scenario(
            f"Welch, {kind}, n = {n} and {m}",
            partial(_tested, batches.WELCH, [partial(normal, n), draw(partial(normal, m))]),
            {**(TEST if n >= 20 else SMALL), "claimed": (0.0, 0.06)},
        )
        for kind, draw in (("equal spreads", lambda draw: draw), ("spreads 1 and 2", _doubled))
        for n, m in ((5, 5), (6, 12), (20, 20), (20, 40))
    ),
    *(
        Scenario(
            f"rank sums, normal, n = {n} and {m}",
            partial(_tested, batches.RANK_SUMS, [partial(normal, n), partial(normal, m)]),
            {**(TEST if n >= 20 else SMALL), "claimed": (0.0, 0.06)},
        )
        for n, m in ((5, 5), (20, 20), (20, 40))
    ),
    Scenario(
        "Welch, log-normal 0.5, n = 100 and 100",
        partial(_tested, batches.WELCH, [partial(log_normal, 0.5, 100)] * 2), TEST,
    ),
    Scenario(
        "difference of means, log-normal 0.5, n = 100 and 100",
        partial(_covered, batches.WELCH, [partial(log_normal, 0.5, 100)] * 2), COVERED,
    ),
    Scenario(
        "difference of means, spreads 1 and 2, n = 20 and 40",
        partial(_covered, batches.WELCH, [partial(normal, 20), _doubled(partial(normal, 40))]),
        COVERED,
    ),
    Scenario(
        "median of pairs, log-normal 0.5 each, n = 40",
        partial(_covered, batches.PAIRED_MEDIANS, [_two_log_normals]), {"coverage": (0.94, 0.97)},
    ),
    Scenario(
        "shift by rank sums, log-normal 0.5, n = 20 and 40",
        partial(
            _covered, batches.RANK_SUMS,
            [partial(log_normal, 0.5, 20), partial(log_normal, 0.5, 40)],
        ), COVERED,
    ),
    *(
        Scenario(f"Holm, {groups} groups in pairs, n = {n}", partial(_family, n, groups), SMALL)
        for groups, n in ((3, 8), (3, 20), (4, 20))
    ),
    *(
        Scenario(
            f"{what} of pairs, autocorrelation 0.3, n = {n}",
            partial(_tested, test, [partial(serial, 0.3, n)]), SERIES,
        )
        for what, test in PAIRED
        for n in (20, 40, 100)
    ),
    Scenario(
        "effects of 0.5 deviations", _effects,
        {"coverage d_z": (0.94, 0.96), "coverage Hedges' g": (0.94, 0.96)},
    ),
)  # fmt: skip
"""All scenarios, in the order of the table."""
