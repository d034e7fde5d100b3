"""Fitting the clocks of two captures: packets whose clocks and delays are known (methods G9)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from airmile.answers.pair import hull, steps
from airmile.answers.pair.clocks import STEEPEST, Mask
from tests.support.share import cases

Times = npt.NDArray[np.int64]
START = 1_800_000_000 * 10**9


@dataclass(frozen=True)
class Shared:
    """Packets at two capture points; `forward` marks those that passed the first point first."""

    first: Times
    second: Times
    forward: Mask
    offset_s: npt.NDArray[np.float64]


def shared(
    seed: int, *, offset_s: float = 0.0, drift: float = 0.0,
    least_ms: tuple[float, float] = (9, 12), queue_ms: tuple[float, float] = (30, 5),
    span_s: float = 60.0, packets: int = 4000, step: tuple[float, float] = (1.0, 0.0),
) -> Shared:  # fmt: skip
    """Send packets both ways over a path whose delays are a least delay and a queue.

    `step` is when the second clock is set, as a share of the time, and by how many seconds.
    """
    draw = np.random.default_rng(seed)
    sent = np.sort(draw.uniform(0, span_s, packets))
    forward = draw.random(packets) < 0.4
    delay = np.where(
        forward,
        least_ms[0] + draw.exponential(queue_ms[0], packets),
        least_ms[1] + draw.exponential(queue_ms[1], packets),
    )
    passed = sent + delay / 1e3
    true_first, true_second = np.where(forward, sent, passed), np.where(forward, passed, sent)
    offset = offset_s + drift * (true_first - span_s / 2)
    offset = offset + np.where(true_first > step[0] * span_s, step[1], 0.0)
    first = START + np.round(true_first * 1e9).astype(np.int64)
    second = START + np.round((true_second + offset) * 1e6).astype(np.int64) * 1000
    # Rows are in the order of the second capture, which a change of its clock does not affect.
    order = np.argsort(true_second, kind="stable")
    return Shared(first[order], second[order], forward[order], offset[order])


@cases(few=10, whole=100)
@given(
    seed=st.integers(0, 10**6),
    offset_s=st.sampled_from([0.0, -0.3, 12.5, -7200.0, 86_400.0]),
    drift_ppm=st.floats(-200, 200),
    least_ms=st.tuples(st.floats(0.05, 60), st.floats(0.05, 60)),
    queue_ms=st.tuples(st.floats(0.1, 200), st.floats(0.1, 20)),
    span_s=st.floats(3, 600),
)
def test_the_offset_lies_within_its_uncertainty(
    seed: int, offset_s: float, drift_ppm: float, least_ms: tuple[float, float],
    queue_ms: tuple[float, float], span_s: float,
) -> None:  # fmt: skip
    packets = shared(
        seed, offset_s=offset_s, drift=drift_ppm * 1e-6, least_ms=least_ms, queue_ms=queue_ms,
        span_s=span_s,
    )  # fmt: skip
    found, left_out, _ = steps.clocks(packets.first, packets.second, packets.forward)
    assert len(found) == 1 and not left_out.any()
    clock = found[0]
    at_origin = np.interp(clock.origin_ns, packets.first, packets.offset_s)
    shown = clock.base_ns / 1e9 + clock.offset_s
    assert abs(shown - at_origin) <= clock.uncertainty_s + 2e-6
    # The path has least delays, of which only the sum and the queue are uncertain.
    assert clock.room_s * 1e3 >= sum(least_ms) - 0.01


def test_the_drift_lies_within_its_uncertainty_nearly_always() -> None:
    """The error bound follows from the scatter of least delays: it holds in 95 % of cases."""
    inside = 0
    for seed in range(100):
        drift = (seed % 9 - 4) * 50e-6
        packets = shared(seed, drift=drift, offset_s=5.0, span_s=30.0 + seed)
        clock = steps.clocks(packets.first, packets.second, packets.forward)[0][0]
        inside += abs(clock.slope - drift) <= clock.slope_uncertainty
        assert abs(clock.slope - drift) < 20e-6
        assert clock.slope_uncertainty < 60e-6
    assert inside >= 95


def test_little_time_shows_no_drift() -> None:
    packets = shared(1, span_s=0.5, packets=60, drift=100e-6)
    clock = steps.clocks(packets.first, packets.second, packets.forward)[0][0]
    assert clock.slope_uncertainty >= STEEPEST


@pytest.mark.parametrize("step_s", [0.2, -0.5, 3600.0, -86_400.0])
@pytest.mark.parametrize("when", [0.1, 0.5, 0.93])
def test_a_clock_that_was_set_is_found(step_s: float, when: float) -> None:
    packets = shared(3, offset_s=1.0, drift=50e-6, step=(when, step_s))
    found, _, _ = steps.clocks(packets.first, packets.second, packets.forward)
    assert len(found) == 2
    for clock in found:
        true = np.interp(clock.origin_ns, packets.first, packets.offset_s)
        assert abs(clock.base_ns / 1e9 + clock.offset_s - true) <= clock.uncertainty_s + 2e-6
    last = packets.first[found[0].rows.stop - 1]
    assert (last - START) / 1e9 == pytest.approx(when * 60, abs=1.0)


def test_one_wrong_pair_is_no_step() -> None:
    packets = shared(4)
    second = packets.second.copy()
    second[2000] -= 3 * 10**9 if packets.forward[2000] else -3 * 10**9
    found, left_out, _ = steps.clocks(packets.first, second, packets.forward)
    assert len(found) == 1
    assert np.flatnonzero(left_out).tolist() == [2000]


@pytest.mark.parametrize(("forward_is_up", "sign"), [(True, 1), (False, -1)])
def test_the_nearer_capture_is_known_even_if_a_clock_was_set(
    forward_is_up: bool, sign: int
) -> None:
    packets = shared(5, offset_s=100.0, step=(0.5, -7.0))
    up = packets.forward if forward_is_up else ~packets.forward
    found = steps.between(packets.first, packets.second, up)
    assert found is not None and found * sign > 0.021


def test_one_direction_alone_shows_no_round_trip() -> None:
    packets = shared(6)
    chosen = packets.forward
    assert steps.between(packets.first[chosen], packets.second[chosen], chosen[chosen]) is None


@cases(few=15, whole=150)
@given(seed=st.integers(0, 10**6), size=st.sampled_from([1, 2, 3, 50, 20_000]))
def test_the_hull_lies_under_every_point_and_touches(seed: int, size: int) -> None:
    draw = np.random.default_rng(seed)
    time, value = draw.uniform(-5, 5, size), draw.exponential(1, size)
    corner_time, corner_value = hull.lower(time, value)
    assert (value >= np.interp(time, corner_time, corner_value) - 1e-12).all()
    points = set(zip(time.tolist(), value.tolist(), strict=True))
    assert set(zip(corner_time.tolist(), corner_value.tolist(), strict=True)) <= points
    slopes = np.diff(corner_value) / np.diff(corner_time)
    assert (np.diff(slopes) > 0).all()
