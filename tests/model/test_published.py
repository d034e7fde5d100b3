"""Distributions through the three percentiles that the papers print."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from airmile.model import PUBLISHED, Percentiles, Scenario, read, what_if
from tests.support.share import cases

TABLE_I = {
    "eff14-3g": ((93, 151, 193), (237, 256, 277)),
    "eff14-3.5g": ((2601, 3521, 16272), (49, 50, 70)),
    "eff14-4g": ((4930, 5830, 57771), (36, 40, 43)),
    "lte13": ((569, 9185, 24229), (30, 70, 467)),
}
"""EFF14's Table I, its own columns and that of LTE13, in kbit/s and ms."""


@pytest.mark.parametrize(("name", "printed"), TABLE_I.items())
def test_what_is_drawn_has_the_printed_percentiles(
    name: str, printed: tuple[tuple[float, ...], tuple[float, ...]]
) -> None:
    inputs = read(name)
    found = (inputs.rates_bps / 1e3, inputs.rtts_s * 1e3)
    for values, percentiles in zip(found, printed, strict=True):
        assert np.percentile(values, [5, 50, 95]) == pytest.approx(percentiles, rel=1e-9)
    assert any("approximation" in note for note in inputs.notes)


def test_every_published_input_is_compared_with_its_table() -> None:
    assert set(PUBLISHED) == set(TABLE_I)


@cases(few=25, whole=200)
@given(st.floats(1e-6, 1e6), st.floats(1, 100), st.floats(1, 100))
def test_percentiles_are_hit_and_all_values_are_positive(
    low: float, up: float, further: float
) -> None:
    percentiles = (low, low * up, low * up * further)
    values = Percentiles(*percentiles).values()
    assert np.percentile(values, [5, 50, 95]) == pytest.approx(percentiles, rel=1e-9)
    assert (values > 0).all()
    assert (np.diff(values) >= 0).all()


def test_with_symmetric_percentiles_it_is_the_log_normal() -> None:
    values = Percentiles(1 / 3, 1, 3).values()
    sigma = np.log(3) / stats.norm.ppf(0.95)
    assert np.percentile(values, [1, 25, 60, 99]) == pytest.approx(
        stats.lognorm(sigma).ppf([0.01, 0.25, 0.6, 0.99]), rel=1e-9
    )
    assert values.mean() == pytest.approx(stats.lognorm(sigma).mean(), rel=5e-3)


def test_load_is_named_an_assumption_where_the_paper_prints_no_number() -> None:
    for name in ("eff14-3.5g", "eff14-4g"):
        inputs = read(name)
        assert inputs.loaded_rtts_s.size == inputs.rtts_s.size
        assert any("under load" in note and "no number" in note for note in inputs.notes)
    assert read("lte13").loaded_rtts_s.size == 0


def test_values_made_of_percentiles_have_no_interval() -> None:
    inputs = replace(read("eff14-4g"), sizes_bytes=np.array([1e4]), sizes_are_given=True)
    table = what_if(inputs, [Scenario(), Scenario("tfo")], draws=100)
    assert table["change_low_s"].to_pylist() == [None, None]
    assert table["change_mean_s"].to_pylist()[1] < 0
    measured = what_if(
        replace(inputs, of_percentiles=False), [Scenario(), Scenario("tfo")], draws=100
    )
    low, high = (measured[f"change_{end}_s"].to_pylist()[1] for end in ("low", "high"))
    assert low <= high < 0
