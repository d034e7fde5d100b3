"""The rule `exact` against a flow sent window by window, and properties of every flow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from airmile.model import completion_time, efficiency, optimal_time, rounds
from tests.model.round_by_round import Flow, flows, simulate
from tests.support.share import cases

ROUNDING = 1 + 1e-12


def takes(flow: Flow, **changed: Any) -> float:
    """Return the model's completion time."""
    return float(
        completion_time(flow.size_bytes, flow.rate_bps, flow.rtt_s, **{**flow.options, **changed})
    )


def test_the_simulation_sends_what_is_drawn_on_paper() -> None:
    """Seven segments of 1 s over a round trip of 3 s: one, then two, then four.

    The request arrives after two round trips, at 6 s. Segment 1 is sent from 6 to 7, its ACK is
    back at 10: a wait of 3 s. Segments 2 and 3 until 12; the first ACK at 14: a wait of 2 s. The
    last four until 18.
    """
    outcome = simulate(Flow(7, 8.0, 3.0, segment_bytes=1, initial_window=1))
    assert outcome.completion_s == 18
    assert list(outcome.waits_s) == [3, 2]


@cases(few=100, whole=2_000)
@given(flows)
def test_the_time_is_that_of_the_simulation(flow: Flow) -> None:
    assert takes(flow) == pytest.approx(float(simulate(flow).completion_s), rel=1e-9)


@cases(few=100, whole=2_000)
@given(flows)
def test_the_rounds_are_those_of_the_simulation(flow: Flow) -> None:
    segment_s = 8 * flow.segment_bytes * flow.flows / flow.rate_bps
    windows = np.log2((flow.rtt_s + segment_s) / (flow.initial_window * segment_s))
    # Where a window takes exactly a round trip, there is a round whose wait is 0.
    assume(abs(windows - round(windows)) > 1e-9)
    counted = rounds(flow.size_bytes, flow.rate_bps, flow.rtt_s, **flow.options)  # type: ignore[arg-type]
    assert counted == simulate(flow).idle_rounds


@cases(few=50, whole=500)
@given(flows)
def test_efficiency_is_a_share(flow: Flow) -> None:
    arguments: Any = (flow.size_bytes, flow.rate_bps, flow.rtt_s)
    options: Any = flow.options
    assert takes(flow) * ROUNDING >= float(optimal_time(*arguments, **options))
    assert 0 < float(efficiency(*arguments, **options)) <= ROUNDING


@cases(few=50, whole=500)
@given(flows, st.floats(1, 1e3))
def test_a_larger_object_a_longer_round_trip_and_a_slower_link_take_longer(
    flow: Flow, factor: float
) -> None:
    rest: Any = flow.options
    size, rate, rtt = flow.size_bytes, flow.rate_bps, flow.rtt_s
    least = takes(flow) / ROUNDING
    assert completion_time(size * factor, rate, rtt, **rest) >= least
    assert completion_time(size, rate, rtt * factor, **rest) >= least
    assert completion_time(size, rate / factor, rtt, **rest) >= least


@cases(few=50, whole=500)
@given(flows, st.integers(1, 100))
def test_a_larger_window_takes_no_longer_and_more_flows_no_less(flow: Flow, more: int) -> None:
    larger = takes(flow, initial_window=flow.initial_window + more)
    assert larger <= takes(flow) * ROUNDING
    assert takes(flow, flows=flow.flows + more) * ROUNDING >= takes(flow)


@cases(few=50, whole=500)
@given(flows)
def test_formula_1_counts_at_most_a_round_less_or_the_last_window(flow: Flow) -> None:
    """Its floor of log2(1 + x) is the exact count or one less; that of the object, one more."""
    arguments: Any = (flow.size_bytes, flow.rate_bps, flow.rtt_s)
    options: Any = flow.options
    difference = rounds(*arguments, **options) - rounds(*arguments, **options, rounds="eff14")
    assert difference in (-1, 0, 1)
