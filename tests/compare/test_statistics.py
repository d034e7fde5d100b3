"""The statistics compared with other programs, and a short calibration (methods I3)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from airmile.comparison._difference import MEAN, MEDIAN, of_pairs
from airmile.comparison._groups import Group
from airmile.comparison._pairing import Pairs
from airmile.comparison.inference import effect, means, needed, serial, signs
from airmile.comparison.inference._arrays import Array
from tests.compare import batches, calibrate, oracles
from tests.compare.scenarios import SCENARIOS, Scenario, normal
from tests.compare.scenarios import serial as series

FEW = 25
REPETITIONS = 1500
SHORT = [
    *("mean, normal, n = 20", "mean, log-normal 0.5, n = 100"),
    *("mean of pairs, normal, n = 20", "median of pairs, normal, n = 12"),
    *("Welch, equal spreads, n = 5 and 5", "rank sums, normal, n = 20 and 20"),
    *("Holm, 3 groups in pairs, n = 8", "mean of pairs, autocorrelation 0.3, n = 20"),
]


@pytest.mark.parametrize("name", oracles.scipys())
def test_statistics_are_those_of_scipy(name: str) -> None:
    error = oracles.scipys()[name]
    limit = 5.0 if "random" in name else 1e-4 if "nct)" in name else 1e-9
    assert max(map(error, oracles.samples(FEW, seed=2))) <= limit


def test_statistics_are_those_of_r() -> None:
    worst = oracles.rs(oracles.read(oracles.RECORDED))
    assert len(worst) == 8
    assert max(worst.values()) <= 1e-9, worst


@pytest.mark.parametrize(
    "scenario", [each for each in SCENARIOS if each.name in SHORT], ids=lambda each: each.name
)
def test_intervals_and_tests_hold_over_made_samples(scenario: Scenario) -> None:
    found = scenario.run(np.random.default_rng(20), REPETITIONS)
    for quantity, (low, high) in scenario.wanted.items():
        margin = 3.5 * np.sqrt(0.05 * 0.95 / REPETITIONS)
        assert low - margin <= found[quantity] <= high + margin, quantity


def test_there_are_as_many_short_scenarios_as_are_named() -> None:
    assert {each.name for each in SCENARIOS} >= set(SHORT)


@pytest.mark.parametrize("estimate", [MEAN, MEDIAN])
@pytest.mark.parametrize("n", [6, 12, 20])
@pytest.mark.parametrize("draw", [normal, lambda *a: series(0.7, *a)], ids=["alone", "series"])
def test_many_at_once_are_as_one_by_one(
    estimate: str, n: int, draw: Callable[[int, np.random.Generator, int], Array]
) -> None:
    rows = draw(n, np.random.default_rng(3), 12)
    judge = batches.paired_means if estimate == MEAN else batches.paired_medians
    together = judge(rows)
    for place, row in enumerate(rows):
        alone = of_pairs(*_groups(row), _pairs(row), "x", "", estimate)
        assert together.p_value[place] == pytest.approx(alone.p_value, abs=1e-12)
        low = -np.inf if alone.low is None else alone.low
        high = np.inf if alone.high is None else alone.high
        assert (together.low[place], together.high[place]) == pytest.approx((low, high), abs=1e-9)


def _groups(differences: Array) -> tuple[Group, Group]:
    a, b = (
        Group(name, values, tuple(range(values.size)), (None,) * values.size, values.size, {},
              "iteration", True)
        for name, values in (("A", np.arange(1.0, differences.size + 1)), ("B", differences))
    )  # fmt: skip
    return a, b


def _pairs(differences: Array) -> Pairs:
    zeros = np.zeros(differences.size)
    return Pairs(zeros, differences, zeros.astype(np.int64), 0)


def test_the_same_data_give_the_same_interval() -> None:
    values = np.random.default_rng(1).lognormal(size=30)
    assert means.studentised(values) == means.studentised(values.copy())


def test_an_interval_of_mostly_equal_values_is_bounded() -> None:
    low, high = means.studentised(np.array([0.0] * 19 + [1.0]))
    assert np.isfinite([low, high]).all()


def test_large_samples_are_drawn_in_portions() -> None:
    values = np.random.default_rng(1).normal(5, 1, 30_000)
    low, high = means.studentised(values)
    t_low, t_high = means.student(values)
    assert (low, high) == pytest.approx((t_low, t_high), abs=2e-3)
    assert float(signs.p_value(values - 5)) > 0.01


def test_an_effective_n_only_lowers_n() -> None:
    series_of = np.zeros(40, np.int64)
    alternating = np.tile([1.0, -1.0], 20) + np.random.default_rng(1).normal(0, 0.1, 40)
    found = serial.of(alternating, series_of)
    assert found.correlation is not None and found.correlation < -0.5
    assert (found.effective_n, found.blocks) == (40.0, None)
    walk = np.cumsum(np.random.default_rng(1).normal(size=40))
    assert serial.of(walk, series_of).effective_n < 10


def test_neighbours_of_two_drives_are_not_compared() -> None:
    values = np.array([1.0, 2.0, 3.0, 9.0, 8.0, 7.0])
    split = serial.autocorrelation(values, np.array([0, 0, 0, 1, 1, 1]))
    assert float(split) != pytest.approx(float(serial.autocorrelation(values)))
    of_block = serial.blocks(np.array([0] * 5 + [1] * 4), 3)
    assert of_block.tolist() == [0, 0, 0, 0, 0, 1, 1, 1, 1]


def test_a_difference_of_nothing_takes_endless_trials() -> None:
    assert needed.pairs(1e-9, 1.0) is None
    assert needed.pairs(10.0, 1.0) == 3


def test_what_is_done_is_kept(tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    counted: list[int] = []

    def compute() -> list[calibrate.Line]:
        counted.append(1)
        return [("a", "b", 0.5, 0.0, 1.0)]

    first = calibrate._remembered(kept, "one", compute)
    assert calibrate._remembered(kept, "one", compute) == first
    assert len(counted) == 1


def test_an_effect_whose_interval_cannot_be_computed_has_none() -> None:
    walk, close = np.linspace(1.0, 2.0, 20), np.linspace(0.0, 1e-8, 7)
    too_few = effect.paired(walk, serial.effective_n(20, serial.LARGEST))
    assert (too_few.low, too_few.high) == (None, None)
    beyond = effect.unpaired(close, close + 1)
    assert (beyond.low, beyond.high) == (None, None)


@pytest.mark.parametrize("n", [3, 6, 40])
def test_the_interval_of_an_effect_holds_it(n: int) -> None:
    values = np.random.default_rng(n).normal(1, 1, n)
    found = effect.paired(values, n)
    assert found.low is not None and found.high is not None
    assert found.low < found.value < found.high
