"""The rule by which a published statement counts as reproduced (methods H7)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airmile.campaign.rule import LEAST, LEVEL, MARGIN, Outcome, Published, holm, outcome
from airmile.cli._testbed_campaign import MARGIN as OF_THE_COMMAND

ENDS = st.floats(-10, 10, allow_nan=False)
THIRD = Published(1 / 3, side=-1, no_effect=1)


@pytest.mark.parametrize(
    ("published", "interval", "expected"),
    [
        (THIRD, (0.26, 0.41), "reproduced"),
        (THIRD, (0.26, 0.43), "direction only"),
        (THIRD, (0.01, 0.99), "direction only"),
        (THIRD, (0.26, 1.01), "undecided"),
        (THIRD, (1.01, 2), "not"),
        (THIRD, (1.0, 2), "undecided"),
        (Published(7.2), (5.5, 8.9), "reproduced"),
        (Published(7.2), (5.3, 8.9), "undecided"),
        (Published(7.2), (9.1, 12), "not"),
        (Published(7.2), (1, 5.3), "not"),
        (Published(7.2), (1, 12), "undecided"),
        # This is within the margin of a small effect, but on the other side of no effect.
        (Published(1.1, side=1, no_effect=1), (0.9, 0.98), "not"),
        (Published(1.1, side=1, no_effect=1), (0.95, 1.05), "reproduced"),
        (Published(-0.5, side=-1, no_effect=0), (-0.6, -0.4), "reproduced"),
        (Published(-0.5, side=-1, no_effect=0), (-0.9, -0.1), "direction only"),
        (Published(None, side=1, no_effect=0), (0.1, 3), "direction only"),
        (Published(None, side=1, no_effect=0), (-3, -0.1), "not"),
        (Published(0.95, bound=1), (0.8, 4), "reproduced"),
        (Published(0.95, bound=1), (0.5, 0.7), "not"),
        (Published(0.1, bound=-1), (0, 0.05), "reproduced"),
        (Published(0.1, bound=-1), (0.2, 0.3), "not"),
        (Published(0), (0, 0), "reproduced"),
        (Published(0), (0.1, 0.2), "not"),
        (Published(7.2), (-math.inf, math.inf), "undecided"),
        (Published(7.2), (math.nan, math.nan), "undecided"),
    ],
)
def test_the_rule(published: Published, interval: tuple[float, float], expected: Outcome) -> None:
    assert outcome(published, interval, 20) == expected


def test_fewer_samples_than_the_statement_needs_are_too_few() -> None:
    assert outcome(THIRD, (0.3, 0.35), LEAST - 1) == "too few"
    assert outcome(THIRD, (0.3, 0.35), LEAST) == "reproduced"
    assert outcome(THIRD, (0.3, 0.35), 8, least=9) == "too few"
    assert outcome(THIRD, (0.3, 0.35), 9, least=9) == "reproduced"


def test_what_does_not_exclude_after_holm_is_no_direction() -> None:
    assert outcome(THIRD, (0.1, 0.9), 20, p_value=LEVEL) == "undecided"
    assert outcome(THIRD, (1.1, 1.9), 20, p_value=LEVEL) == "undecided"
    assert outcome(Published(7.2), (90, 91), 20, p_value=0.2) == "undecided"
    assert outcome(THIRD, (0.3, 0.35), 20, p_value=LEVEL) == "reproduced"


@given(
    value=st.one_of(st.none(), ENDS), side=st.sampled_from([-1, 0, 1]), no_effect=ENDS,
    bound=st.sampled_from([-1, 0, 1]), ends=st.tuples(ENDS, ENDS), n=st.integers(1, 40),
    p_value=st.floats(0, 1), margin=st.floats(0.01, 1),
)  # fmt: skip
def test_each_interval_has_the_outcome_that_its_words_say(
    value: float | None, side: int, no_effect: float, bound: int, ends: tuple[float, float],
    n: int, p_value: float, margin: float,
) -> None:  # fmt: skip
    if value is None and not side:
        return
    low, high = sorted(ends)
    published = Published(value, side, no_effect, bound)
    found = outcome(published, (low, high), n, p_value=p_value, margin=margin)
    decided = n >= LEAST and p_value < LEVEL
    if value is None:
        within = outside = False
    else:
        half = margin * abs(value)
        too_low, too_high = low < value - half, high > value + half
        within = not (too_low and bound >= 0) and not (too_high and bound <= 0)
        outside = (high < value - half and bound >= 0) or (low > value + half and bound <= 0)
    with_it = (side > 0 and low > no_effect) or (side < 0 and high < no_effect)
    against = (side > 0 and high < no_effect) or (side < 0 and low > no_effect)
    assert (found == "not") == (decided and (against or (outside and not side)))
    assert (found == "reproduced") == (n >= LEAST and within and found != "not")
    assert (found == "direction only") == (decided and with_it and not within)
    assert (found == "too few") == (n < LEAST)
    others = ("not", "reproduced", "direction only", "too few")
    assert (found == "undecided") == (found not in others)


def test_a_published_value_needs_what_judges_it() -> None:
    with pytest.raises(ValueError, match="no effect"):
        Published(1, side=1)
    with pytest.raises(ValueError, match="neither"):
        Published(None)


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_is_what_bonferroni_becomes_step_by_step(p_values: list[float]) -> None:
    known = list(zip(p_values, holm(p_values), strict=True))
    for p, a in known:
        # The adjusted p-value: the largest, over those not larger, of the value times its rank.
        steps = [q * sum(other >= q for other, _ in known) for q, _ in known if q <= p]
        assert a == pytest.approx(min(1, max(steps)))


def test_the_reference_is_no_effect_or_the_nearer_end_of_the_margin() -> None:
    assert THIRD.reference(5, 0.25) == 1
    assert Published(8).reference(20, 0.25) == 10
    assert Published(8).reference(2, 0.25) == 6
    assert Published(8, bound=-1).reference(2, 0.25) == 10
    assert Published(8, bound=1).reference(20, 0.25) == 6


def test_the_command_names_the_margin_of_the_rule() -> None:
    assert OF_THE_COMMAND == MARGIN
