"""Means, ratios and quantiles with their intervals, compared with scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from airmile import _intervals as intervals

RANDOM = np.random.default_rng(19)


def test_a_mean_and_a_paired_difference_are_scipys() -> None:
    for n in (2, 6, 40):
        a, b = RANDOM.normal(5, 2, n), RANDOM.normal(4, 1, n)
        found = intervals.difference(list(a), list(b))
        wanted = stats.ttest_rel(a, b)
        low, high = wanted.confidence_interval(0.95)
        assert [found.low, found.high] == pytest.approx([low, high])
        assert found.p_value(0) == pytest.approx(wanted.pvalue)
        assert found.value == pytest.approx(np.mean(a - b))


def test_fiellers_interval_holds_what_its_own_test_does_not_refuse() -> None:
    for _ in range(200):
        b = RANDOM.normal(10, 2, 12)
        a = 1.4 * b + RANDOM.normal(0, 2, 12)
        found = intervals.ratio(list(a), list(b))
        assert found.value == pytest.approx(a.mean() / b.mean())
        for end in (found.low, found.high):
            assert found.p_value(end) == pytest.approx(0.05, abs=1e-6)
        assert found.p_value(1) == pytest.approx(stats.ttest_rel(a, b).pvalue, abs=1e-9)


def test_a_ratio_to_what_may_be_nothing_has_no_ends() -> None:
    found = intervals.ratio([1, 2, 3, 1, 2, 3], [-1, 1, -1, 1, -2, 2.1])
    assert (found.low, found.high) == (-math.inf, math.inf)


@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
@pytest.mark.parametrize("n", [6, 25, 120])
def test_ranks_cover_a_quantile_as_often_as_they_say(share: float, n: int) -> None:
    low, high = intervals._ranks(n, share)
    below = stats.binom(n, share)
    # X_(low + 1) is above the quantile if at most `low` values are below it.
    too_high = below.cdf(low) if low >= 0 else 0.0
    too_low = below.sf(high) if high < n else 0.0
    assert too_high <= 0.025
    assert too_low <= 0.025
    if low + 1 < n:
        assert below.cdf(low + 1) > 0.025
    assert high == 0 or high == n or below.sf(high - 1) > 0.025 or high - 1 <= low


def test_a_quantile_is_numpys_and_its_test_the_sign_test() -> None:
    values = list(RANDOM.lognormal(0, 1, 31))
    found = intervals.quantile(values, 0.5)
    assert found.value == pytest.approx(np.median(values))
    below = sum(each < 0.4 for each in values)
    assert found.p_value(0.4) == pytest.approx(stats.binomtest(below, 31, 0.5).pvalue)
    assert found.p_value(found.value) > 0.5


def test_equal_samples_are_certain_and_one_says_nothing() -> None:
    found = intervals.mean([2, 2, 2])
    assert (found.low, found.high, found.p_value(2), found.p_value(3)) == (2, 2, 1, 0)
    alone = intervals.mean([2])
    assert (alone.low, alone.high, alone.p_value(3)) == (-math.inf, math.inf, 1)
    assert intervals.ratio([2], [1]).low == -math.inf


def test_ninety_five_of_a_hundred_intervals_hold_the_mean() -> None:
    """Of 20,000 samples of 20 normal values, 94 to 96 % of the intervals contain the mean."""
    samples = RANDOM.normal(3, 1, (20_000, 20))
    half = intervals._t(20) * samples.std(axis=1, ddof=1) / math.sqrt(20)
    held = np.abs(samples.mean(axis=1) - 3) <= half
    assert 0.94 < held.mean() < 0.96


@pytest.mark.parametrize(
    ("ones", "low", "high"), [(0, 0, 0.3085), (8, 0.4439, 0.9748), (10, 0.6915, 1)]
)
def test_a_share_is_clopper_and_pearsons(ones: int, low: float, high: float) -> None:
    """The interval of a share is not empty if all samples agree: ten of ten prove no certainty."""
    found = intervals.share([1.0] * ones + [0.0] * (10 - ones))
    assert found.value == ones / 10
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


def test_the_p_value_of_a_share_is_the_exact_one() -> None:
    found = intervals.share([1.0] * 10)
    assert found.p_value(0.5) == pytest.approx(2 / 2**10)
    # The margin around a share may extend beyond 0 or 1.
    assert found.p_value(1.25) == 1
