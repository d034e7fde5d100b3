"""Efficiency over drawn rates and round trips (EFF14 section V, methods I2)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from airmile.model import PUBLISHED, Density, completion_time, efficiency, monte_carlo, read
from airmile.model.monte_carlo import draw_both

RATES, RTTS = np.array([2e6, 6e6, 20e6]), np.array([0.03, 0.05, 0.2])
SIZES = [1e3, 36e3, 1e6]


def test_pairs_without_a_kernel_are_the_measured_flows() -> None:
    """There are nine pairs if they are independent, three if not, each equally often."""
    for paired in (False, True):
        table = monte_carlo(
            RATES, RTTS, SIZES, bandwidth="none", draws=90_000, paired=paired, seed=3
        )
        rate, rtt = (RATES, RTTS) if paired else np.array(np.meshgrid(RATES, RTTS)).reshape(2, 9)
        for row, size in zip(table.to_pylist(), SIZES, strict=True):
            for name, function in (("efficiency_{}", efficiency), ("completion_time_{}_s", _takes)):
                exact = function(size, rate, rtt)
                error = 5 * exact.std() / np.sqrt(90_000)
                assert row[name.format("mean")] == pytest.approx(exact.mean(), abs=error)
                # A ninth or a third of the draws has the least value, and as many the largest.
                assert row[name.format("low")] == pytest.approx(exact.min(), rel=1e-12)
                assert row[name.format("high")] == pytest.approx(exact.max(), rel=1e-12)


def _takes(*arguments: Any) -> Any:
    return completion_time(*arguments)


def test_the_table_says_what_was_drawn() -> None:
    table = monte_carlo(RATES, RTTS, SIZES, draws=500)
    assert table["size_bytes"].to_pylist() == SIZES
    assert table["draws"].to_pylist() == [500] * 3
    for row in table.to_pylist():
        assert row["efficiency_low"] < row["efficiency_mean"] < row["efficiency_high"]
        assert row["completion_time_low_s"] < row["completion_time_mean_s"]
        assert row["completion_time_mean_s"] < row["completion_time_high_s"]


def test_the_seed_decides_the_table() -> None:
    first, again, other = (
        monte_carlo(RATES, RTTS, SIZES, draws=200, seed=seed) for seed in (5, 5, 6)
    )
    assert first.equals(again)
    assert not first.equals(other)


def test_every_size_sees_the_same_draws() -> None:
    together = monte_carlo(RATES, RTTS, SIZES, draws=200, seed=5).to_pylist()
    assert together[1:2] == monte_carlo(RATES, RTTS, SIZES[1], draws=200, seed=5).to_pylist()


def test_paired_draws_come_from_the_kernels_of_one_flow() -> None:
    rates, rtts = Density(np.array([1.0, 2, 3]), 1e-4), Density(np.array([10.0, 20, 30]), 1e-4)
    rate, rtt = draw_both(np.random.default_rng(1), rates, rtts, 300, paired=True)
    assert rtt == pytest.approx(10 * rate, abs=0.02)
    assert set(rate.round(2)) == {1, 2, 3}
    rate, rtt = draw_both(np.random.default_rng(1), rates, rtts, 300, paired=False)
    assert len({(a, b) for a, b in zip(rate.round(2), rtt.round(2), strict=True)}) == 9


def test_pairs_jitter_by_themselves() -> None:
    wide = Density(np.array([100.0, 101.0]), 5.0)
    rate, rtt = draw_both(np.random.default_rng(1), wide, wide, 5000, paired=True)
    assert abs(np.corrcoef(rate, rtt)[0, 1]) < 0.05


def test_under_load_the_flow_sees_the_loaded_and_the_ideal_the_unloaded_round_trip() -> None:
    """The distributions are narrow: 4 Mbit/s, 50 ms without load and 250 ms with it, two flows."""

    def near(value: float) -> np.ndarray:
        return np.array([value, value * (1 + 1e-9)])

    table = monte_carlo(near(4e6), near(0.05), [1e5], loaded_rtts_s=near(0.25), flows=2, draws=50)
    exact = efficiency(1e5, 4e6, 0.25, unloaded_rtt_s=0.05, flows=2)
    assert table["efficiency_mean"][0].as_py() == pytest.approx(float(exact), rel=1e-6)


def test_options_reach_the_model() -> None:
    options: Any = {
        "initial_window": 3, "transport": "tls1.3", "rounds": "eff14", "loss_ratio": 0.01
    }  # fmt: skip
    near = np.array([5e6, 5e6 * (1 + 1e-9)]), np.array([0.1, 0.1 * (1 + 1e-9)])
    table = monte_carlo(*near, [1e5], draws=20, **options)
    exact = completion_time(1e5, 5e6, 0.1, **options)
    assert table["completion_time_mean_s"][0].as_py() == pytest.approx(float(exact), rel=1e-6)


@pytest.mark.parametrize("rule", ["exact", "eff14"])
def test_with_the_papers_percentiles_4g_is_less_efficient_and_load_reverses_that(rule: Any) -> None:
    """EFF14 section V: Figures 5 and 6 at sizes up to its 320 KiB."""
    sizes = np.geomspace(2e4, 320 * 1024, 8)
    alone, loaded = {}, {}
    for name in ("eff14-3.5g", "eff14-4g"):
        inputs = read(name)
        given: Any = {"draws": 2000, "bandwidth": inputs.bandwidth, "rounds": rule}
        alone[name] = _mean(monte_carlo(inputs.rates_bps, inputs.rtts_s, sizes, **given))
        given |= {"loaded_rtts_s": inputs.loaded_rtts_s, "flows": 2}
        loaded[name] = _mean(monte_carlo(inputs.rates_bps, inputs.rtts_s, sizes, **given))
    older, newer = "eff14-3.5g", "eff14-4g"
    assert (alone[newer] < alone[older]).all()
    assert (loaded[newer] > loaded[older]).all()
    assert (loaded[older] < alone[older]).all()
    assert (loaded[newer] > alone[newer]).all()
    assert {older, newer} < set(PUBLISHED)


def _mean(table: Any) -> np.ndarray:
    return np.asarray(table["efficiency_mean"])
