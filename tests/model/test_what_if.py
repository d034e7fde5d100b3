"""The effect of other protocols: the change, and its interval from few samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from airmile import UsageError
from airmile.model import Inputs, Scenario, completion_time, read, what_if

RATES, RTTS = np.array([2e6, 6e6, 20e6]), np.array([0.03, 0.05, 0.2])
BOTH = [Scenario(), Scenario("tfo")]


def inputs(**changed: Any) -> Inputs:
    """Return three flows of a given size, with a kernel of width 0."""
    return Inputs("three", **{
        **{"rates_bps": RATES, "rtts_s": RTTS, "rate_of_rtt_bps": RATES, "bandwidth": "none"},
        **{"sizes_bytes": np.array([1e4]), "sizes_are_given": True},
        **changed,
    })  # fmt: skip


def interval(table: pa.Table, row: int = 1) -> tuple[float | None, float | None]:
    """Return the ends of the interval of a scenario's change."""
    return table["change_low_s"][row].as_py(), table["change_high_s"][row].as_py()


@pytest.mark.parametrize("paired", [False, True])
def test_the_change_is_that_of_the_formula(paired: bool) -> None:
    """Fast Open saves a round trip: its mean is that of the samples."""
    table = what_if(inputs(), BOTH, paired=paired, draws=40_000)
    error = 5 * RTTS.std() / 200
    assert table["change_mean_s"][1].as_py() == pytest.approx(-RTTS.mean(), abs=error)
    assert table["faster_ratio"].to_pylist() == [0, 1]
    takes = completion_time(1e4, RATES, RTTS, transport="tfo")
    if paired:
        assert table["completion_time_mean_s"][1].as_py() == pytest.approx(takes.mean(), abs=error)


@pytest.mark.parametrize("paired", [False, True])
def test_half_of_the_resamples_of_two_hold_one_value_throughout(paired: bool) -> None:
    """A quarter of the resamples has only the smaller value: more than the tails exclude."""
    two: Any = {"rates_bps": RATES[:2], "rtts_s": RTTS[:2], "rate_of_rtt_bps": RATES[:2]}
    low, high = interval(what_if(inputs(**two), BOTH, paired=paired, draws=400))
    assert [low, high] == pytest.approx([-0.05, -0.03])


def test_many_samples_are_trusted_as_the_mean_of_them_is() -> None:
    """The saved round trip is the mean of 400, with 1.96 s/sqrt(400) on either side."""
    rtts = np.random.default_rng(4).gamma(9, 0.01, 400)
    low, high = interval(what_if(inputs(rtts_s=rtts), BOTH, draws=20_000))
    assert low is not None and high is not None
    # 200 resamples give the ends to a tenth; the draws add another 400/20000.
    assert high - low == pytest.approx(2 * 1.96 * rtts.std() / 20, rel=0.3)
    assert low < -rtts.mean() < high


def test_sizes_that_were_measured_are_drawn_anew_and_chosen_ones_are_not() -> None:
    """A window of 32 helps only the larger one; with one rate and round trip only sizes vary."""
    near = 1 + np.array([0.0, 1e-9])
    sizes: Any = {
        "rates_bps": 5e7 * near,
        "rtts_s": 0.1 * near,
        "sizes_bytes": np.array([1e3, 1e5]),
    }
    windows = [Scenario(), Scenario("tcp", 32)]
    given = what_if(inputs(**sizes), windows, draws=2000)
    low, high = interval(given)
    assert low is not None and high is not None
    assert high - low < 0.15 * -given["change_mean_s"][1].as_py()
    low, high = interval(what_if(inputs(**sizes, sizes_are_given=False), windows, draws=2000))
    assert high == 0
    assert low == pytest.approx(2 * given["change_mean_s"][1].as_py(), rel=0.1)


def test_percentiles_are_no_samples_and_have_no_interval() -> None:
    paper = read("eff14-4g")
    table = what_if(inputs(**_of(paper), of_percentiles=True), BOTH, draws=100)
    assert [interval(table, row) for row in (0, 1)] == [(None, None)] * 2
    assert paper.of_percentiles and not inputs().of_percentiles
    assert table["change_mean_s"][1].as_py() < 0


def _of(source: Inputs) -> dict[str, Any]:
    return {"rates_bps": source.rates_bps, "rtts_s": source.rtts_s}


BAD: list[tuple[dict[str, Any], str]] = [
    ({"seed": -1}, "seed is -1"),
    ({"draws": 0}, "draws is 0"),
    ({"loss_ratio": 0.5}, "loss_ratio is 0.5"),
]


@pytest.mark.parametrize(("bad", "says"), BAD, ids=[says for _, says in BAD])
def test_the_error_names_the_argument(bad: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        what_if(inputs(), BOTH, **bad)


def test_the_error_names_the_size_that_was_given() -> None:
    with pytest.raises(UsageError, match=r"sizes_bytes\[1\] is 0"):
        what_if(inputs(sizes_bytes=np.array([1e3, 0.0])), BOTH)
    with pytest.raises(UsageError, match="no scenario"):
        what_if(inputs(), [])
