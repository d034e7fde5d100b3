"""How many seeds decide a statement: what is computed is what the tests themselves can reach."""

from __future__ import annotations

import itertools

import pytest

from airmile._intervals import Estimate, quantile, share
from airmile.campaign.design import Estimator
from airmile.campaign.needs import decides, effect, least, spread
from airmile.campaign.rule import LEAST, LEVEL, MARGIN, Outcome, Published, outcome

HALF = Published(0.5, side=-1, no_effect=1)
"""A change to a half, in this direction."""


def ended(published: Published, found: Estimate, family: int) -> Outcome:
    """Return the outcome of samples whose p-value is the smallest of its family."""
    p_value = min(1.0, family * found.p_value(published.reference(found.value, MARGIN)))
    interval = (found.low, found.high)
    return outcome(published, interval, found.n, p_value=p_value, margin=MARGIN)


def of_medians(published: Published, n: int, family: int) -> set[Outcome]:
    """Return the outcomes of n equal samples, wherever they lie."""
    values = [x / 20 for x in range(41)]
    return {ended(published, quantile([value] * n, 0.5), family) for value in values}


@pytest.mark.parametrize(("family", "wanted"), [(1, 6), (2, 7), (3, 7), (6, 8), (22, 10)])
def test_a_sign_test_needs_more_seeds_in_a_larger_family(family: int, wanted: int) -> None:
    assert least(HALF, "median", family, MARGIN) == wanted
    assert least(HALF, "change", family, MARGIN) == wanted
    assert {"reproduced", "not"} <= of_medians(HALF, wanted, family)
    if wanted > LEAST:
        assert "not" not in of_medians(HALF, wanted - 1, family)


@pytest.mark.parametrize("family", [1, 4])
def test_all_runs_of_a_share_need_an_interval_within_the_margin(family: int) -> None:
    every = Published(1)
    n = least(every, "share", family, MARGIN)
    assert n == 13
    assert ended(every, share([1.0] * n), family) == "reproduced"
    assert ended(every, share([0.0] * n), family) == "not"
    assert ended(every, share([1.0] * (n - 1)), family) == "undecided"


def test_over_ninety_five_percent_of_runs_need_dozens() -> None:
    """The exact interval of n of n begins at 0.025 ** (1 / n)."""
    over = Published(0.95, bound=1)
    n = least(over, "share", 1, 0.0001)
    assert n is not None
    assert 0.025 ** (1 / n) >= 0.95 * 0.9999 > 0.025 ** (1 / (n - 1))
    assert n == 72


def test_a_share_that_any_number_of_runs_would_leave_open_has_no_number() -> None:
    assert least(Published(0.001), "share", 1, 0.1) is None


@pytest.mark.parametrize("bound", [-1, 0, 1])
@pytest.mark.parametrize("estimator", ["p5", "p95"])
def test_a_percentile_needs_samples_beyond_it(estimator: Estimator, bound: int) -> None:
    """None of n samples lies beyond the 5th percentile with 0.95 ** n.

    A bound asks for one end only, but what is to reproduce it or to refute it lies beyond.
    """
    assert least(Published(10, bound=bound), estimator, 1, MARGIN) == 72
    assert 2 * 0.95**72 < LEVEL <= 2 * 0.95**71


@pytest.mark.parametrize("estimator", ["mean", "difference", "ratio"])
def test_students_test_has_no_least_p_value(estimator: Estimator) -> None:
    assert least(HALF, estimator, 30, MARGIN) == LEAST


def test_more_seeds_never_undecide_a_sign_test() -> None:
    found = [decides(HALF, "median", n, 9, MARGIN) for n in range(LEAST, 40)]
    assert all(b or not a for a, b in itertools.pairwise(found))


def test_the_spread_is_where_students_interval_is_as_wide_as_the_margin() -> None:
    from airmile._intervals import mean

    most = spread(Published(10), "mean", 6, MARGIN)
    assert most is not None
    # Six samples of this standard deviation: three on either side of the mean.
    aside = 10 * most * (5 / 6) ** 0.5
    found = mean([10 - aside] * 3 + [10 + aside] * 3)
    assert (found.low, found.high) == pytest.approx((7.5, 12.5))
    assert spread(Published(10, bound=1), "mean", 6, MARGIN) is None
    assert spread(Published(10), "median", 6, MARGIN) is None


def test_the_effect_is_where_students_test_reaches_the_level_of_the_family() -> None:
    from airmile._intervals import difference

    for family in (1, 5):
        least_effect = effect(HALF, "difference", 8, family)
        assert least_effect is not None
        # Eight differences of this mean, with a standard deviation of one.
        aside = (7 / 8) ** 0.5
        pairs = [least_effect - aside] * 4 + [least_effect + aside] * 4
        found = difference(pairs, [0.0] * 8)
        assert family * found.p_value(0) == pytest.approx(LEVEL)
    assert effect(HALF, "change", 8, 1) is None
    assert effect(Published(10), "mean", 8, 1) is None
