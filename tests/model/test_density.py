"""Kernel densities, and samples drawn from them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from airmile import UsageError
from airmile.model import BANDWIDTHS, Density

Array = NDArray[np.float64]

SAMPLES = np.random.default_rng(7).normal(50.0, 6.0, 40)
SKEWED = np.random.default_rng(8).lognormal(2.0, 1.0, 30)


def book_width(name: str, x: Array) -> float:
    """Return the width by the formula of its source."""
    if name == "eff14":
        return float(np.std(x, ddof=1) / np.sqrt(x.size))
    if name == "scott":
        return float(np.std(x, ddof=1) * x.size ** (-1 / 5))
    spread = min(np.std(x, ddof=1), stats.iqr(x) / 1.34)
    return float(0.9 * spread * x.size ** (-1 / 5))


@pytest.mark.parametrize("name", ["eff14", "scott", "silverman"])
@pytest.mark.parametrize("samples", [SAMPLES, SKEWED], ids=["even", "skewed"])
def test_the_density_is_that_of_scipy(name: str, samples: Array) -> None:
    points = np.linspace(samples.min() / 2, samples.max() * 1.2, 302).reshape(2, 151)
    width = book_width(name, samples)
    density = Density.of(samples, name)
    assert density.bandwidth == pytest.approx(width, rel=1e-12)
    expected = stats.gaussian_kde(samples, bw_method=width / samples.std(ddof=1))(points.ravel())
    assert density.at(points) == pytest.approx(expected.reshape(2, 151), rel=1e-9)


def test_scotts_width_is_scipys_own() -> None:
    assert Density.of(SAMPLES, "scott").at([45.0, 50.0]) == pytest.approx(
        stats.gaussian_kde(SAMPLES, "scott")([45.0, 50.0]), rel=1e-9
    )


def test_silvermans_width_where_half_of_the_samples_are_equal() -> None:
    """The quartiles are equal and would give no width, so only the deviation counts."""
    samples = np.array([1.0, 5, 5, 5, 5, 5, 9])
    width = 0.9 * samples.std(ddof=1) * 7**-0.2
    assert Density.of(samples, "silverman").bandwidth == pytest.approx(width, rel=1e-12)


@pytest.mark.parametrize("name", ["eff14", "scott", "silverman"])
@pytest.mark.parametrize(("median", "spread"), [(0.1, 1.0), (5.0, 1.0), (30.0, 0.2)])
def test_draws_are_of_the_kernels_within_what_was_measured(
    name: str, median: float, spread: float
) -> None:
    samples = median * np.exp(spread * np.random.default_rng(5).standard_normal(25))
    density = Density.of(samples, name)
    draws = density.draw(np.random.default_rng(6), 20_000)
    assert (draws > 0).all()
    low, high, width = samples.min(), samples.max(), density.bandwidth
    kernels = stats.truncnorm((low - samples) / width, (high - samples) / width, samples, width)
    error = draws.std() / np.sqrt(draws.size)
    assert draws.mean() == pytest.approx(kernels.mean().mean(), abs=5 * error)
    variance = (kernels.var() + kernels.mean() ** 2).mean() - kernels.mean().mean() ** 2
    assert draws.std() == pytest.approx(np.sqrt(variance), rel=0.05)
    grid = np.linspace(low, high, 400)
    known = kernels.cdf(grid[:, None]).mean(axis=1)
    found = np.searchsorted(np.sort(draws), grid, side="right") / draws.size
    # Kolmogorov and Smirnov's bound for one in a million: sqrt(ln(2e6) / 2 / n).
    assert np.abs(known - found).max() < np.sqrt(np.log(2e6) / 2 / draws.size)


def test_the_seed_decides_the_draws() -> None:
    density = Density.of(SAMPLES)
    first, again, other = (density.draw(np.random.default_rng(seed), 50) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_draws_from_single_samples_are_samples() -> None:
    draws = Density.of(SAMPLES, "none").draw(np.random.default_rng(0), 2000)
    assert set(draws) == set(SAMPLES)
    with pytest.raises(UsageError, match="bandwidth='none'"):
        Density.of(SAMPLES, "none").at(1.0)


def test_a_draw_around_a_sample_is_of_its_kernel() -> None:
    density = Density.of([1000.0, 1001.0, 5000.0])
    which = np.array([2, 0, 2])
    assert np.abs(density.around(np.random.default_rng(0), which) - [5000, 1000, 5000]).max() < (
        6 * density.bandwidth
    )
    narrow = Density(np.array([1.0, 2.0]), 1e-6)
    picked = np.random.default_rng(1).integers(2, size=100)
    assert narrow.around(np.random.default_rng(2), picked) == pytest.approx(picked + 1.0, abs=1e-4)


def test_every_width_that_has_a_name_is_tested() -> None:
    assert set(BANDWIDTHS) == {"eff14", "scott", "silverman", "none"}
