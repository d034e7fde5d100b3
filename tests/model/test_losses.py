"""Losses (Cardwell et al. 2000): limits, expectations, and the steady state of Padhye et al."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from airmile.model import TRANSPORTS, _loss, completion_time
from tests.model.round_by_round import Flow, flows, simulate
from tests.support.share import cases

RATIOS = np.array([0.0, 1e-6, 1e-5, 1e-4, 1e-3, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4])


@cases(few=50, whole=500)
@given(flows)
def test_few_losses_are_none_in_the_limit(flow: Flow) -> None:
    arguments: Any = (flow.size_bytes, flow.rate_bps, flow.rtt_s)
    options: Any = flow.options
    without = completion_time(*arguments, **options)
    rare = completion_time(*arguments, **options, loss_ratio=[1e-15, 1e-18, 1e-30, 1e-200])
    assert rare == pytest.approx(np.full(4, without), rel=1e-6)


@cases(few=50, whole=500)
@given(flows, st.sampled_from(["exact", "eff14", "as_printed"]))
def test_no_loss_beside_losses_is_as_alone(flow: Flow, rule: Any) -> None:
    arguments: Any = (flow.size_bytes, flow.rate_bps, flow.rtt_s)
    options: Any = {**flow.options, "rounds": rule}
    mixed = completion_time(*arguments, **options, loss_ratio=[0.01, 0.0, 0.3])
    assert mixed[1] == pytest.approx(float(completion_time(*arguments, **options)), rel=1e-9)
    assert np.isfinite(mixed).all()


@cases(few=50, whole=500)
@given(
    st.integers(1, 10**8),
    st.floats(1e5, 1e9),
    st.floats(0, 1.0),
    st.integers(1, 50),
    st.sampled_from(list(TRANSPORTS)),
)
def test_more_losses_take_longer(
    size: int, rate: float, rtt: float, window: int, transport: str
) -> None:
    """To a thousandth everywhere, and strictly on round trips below 100 ms from one in a thousand.

    A rare loss that ends a slow start of many rounds may save a little more than its recovery
    costs, because the steady state has its full rate at once: a simplification of the model, and
    Cardwell's.
    """
    found = completion_time(
        size, rate, rtt, loss_ratio=RATIOS, initial_window=window, transport=transport
    )
    assert (np.diff(found) > -1e-3 * found[:-1]).all()
    if rtt < 0.1:
        assert (np.diff(found[RATIOS >= 0.001]) > 0).all()


def test_segments_before_the_first_loss() -> None:
    rng = np.random.default_rng(1)
    for segments, loss in ((1, 0.3), (10, 0.1), (200, 0.01), (1000, 0.001)):
        lost = rng.random((20_000, segments)) < loss
        before = np.where(lost.any(axis=1), lost.argmax(axis=1), segments)
        error = before.std() / np.sqrt(before.size)
        found = _loss._segments_before_loss(np.array(float(segments)), np.array(loss))
        assert found == pytest.approx(before.mean(), abs=4 * error)


@pytest.mark.parametrize("loss", [0.001, 0.02, 0.2])
def test_slow_start_up_to_the_first_loss_is_the_mean_of_simulated_ones(loss: float) -> None:
    """The data before the loss are an object of their own; a wait counts when its round is whole.

    If the loss is just after a window, its ACKs are waited for, too.
    """
    flow = Flow(100 * 1460, 10e6, 0.1, initial_window=5)
    segments = np.arange(101)
    waits = simulate(flow).waits_s
    ends = 5 * (2.0 ** np.arange(1, len(waits) + 1) - 1)
    waited = [
        float(sum(w for w, end in zip(waits, ends, strict=True) if end <= n)) for n in segments
    ]
    before = np.minimum(np.random.default_rng(2).geometric(loss, 200_000) - 1, 100)
    times = np.array(waited)[before]
    per_s, rtt, p = np.array(10e6 / 11680), np.array(0.1), np.array(loss)
    found = _loss._idle_time(per_s, rtt, p, np.array(5.0), np.array(float(len(waits))))
    assert found == pytest.approx(times.mean(), abs=4 * times.std() / np.sqrt(times.size))


@pytest.mark.parametrize("loss", [0.0005, 0.005, 0.05, 0.3])
def test_a_very_large_object_moves_at_the_rate_of_congestion_avoidance(loss: float) -> None:
    """Padhye et al. 1998, throughput with one ACK for each segment, as Cardwell's equation 22."""
    rtt, timeout = 0.08, 0.28
    window = 1 + np.sqrt(8 * (1 - loss) / (3 * loss) + 1)
    kept = (1 - loss) ** np.arange(0, 4)
    # In a window with a loss, fewer than three segments arrive before or after the loss.
    share = min(
        1.0,
        (1 - kept[3])
        * (1 + kept[3] * (1 - (1 - loss) ** (window - 3)))
        / (1 - (1 - loss) ** window),
    )
    backoff = 1 + sum(2 ** (k - 1) * loss**k for k in range(1, 7))
    delivered = (1 - loss) / loss + window / 2 + share
    takes = rtt * (window / 2 + 1) + share * timeout * backoff / (1 - loss)
    size = 1e13
    found = size / 1460 / completion_time(size, np.inf, rtt, loss_ratio=loss)
    assert found == pytest.approx(delivered / takes, rel=1e-5)


def test_the_steady_state_is_no_faster_than_the_link() -> None:
    assert completion_time(1e12, 1e5, 0.01, loss_ratio=1e-4) == pytest.approx(8e7, rel=1e-5)


def test_a_lost_first_answer_waits_whatever_the_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    """RFC 6298: a second, doubled each time; p/(1 - 2p) seconds on average.

    This includes a SYN-ACK with Fast Open: data that overtake it are dropped (RFC 9293 section
    3.10.7.3).
    """

    def times() -> list[float]:
        return [
            float(completion_time(1460, 1e6, 0.05, loss_ratio=0.2, transport=name))
            for name in TRANSPORTS
        ]

    waiting = np.array(times())
    monkeypatch.setattr(_loss, "FIRST_TIMEOUT_S", 0.0)
    assert waiting - times() == pytest.approx(np.full(len(TRANSPORTS), 0.2 / 0.6), rel=1e-9)
    rng = np.random.default_rng(3)
    waits = 2.0 ** (rng.geometric(1 - 0.05, 200_000) - 1) - 1
    error = waits.std() / np.sqrt(waits.size)
    assert pytest.approx(waits.mean(), abs=4 * error) == 0.05 / 0.9
