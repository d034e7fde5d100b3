"""Completion time, optimal time, efficiency and rounds (EFF14 section V, methods I1)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from airmile.model import completion_time, efficiency, optimal_time, rounds

SIZE, RATE, RTT = 320 * 1024, 20e6, 0.040
"""EFF14's object; O/C is 131.072 ms, S/C 0.584 ms, the optimal time 171.072 ms."""


@pytest.mark.parametrize(
    ("window", "rule", "idle", "takes"),
    [
        # 2 R + O/C + P (R + S/C) - (2^P - 1) I S/C, with P as the rule counts it.
        (10, "eff14", 2, 0.211072 + 2 * 0.040584 - 3 * 0.00584),
        (10, "exact", 3, 0.211072 + 3 * 0.040584 - 7 * 0.00584),
        (3, "eff14", 4, 0.211072 + 4 * 0.040584 - 15 * 0.001752),
        (3, "exact", 5, 0.211072 + 5 * 0.040584 - 31 * 0.001752),
    ],
)
def test_a_flow_of_320_kib_by_both_rules(window: int, rule: Any, idle: int, takes: float) -> None:
    options: Any = {"initial_window": window, "rounds": rule}
    assert rounds(SIZE, RATE, RTT, **options) == idle
    assert completion_time(SIZE, RATE, RTT, **options) == pytest.approx(takes, rel=1e-9)
    assert efficiency(SIZE, RATE, RTT, **options) == pytest.approx(0.171072 / takes, rel=1e-9)


def test_the_worked_figures_of_methods() -> None:
    found = [
        (
            float(completion_time(SIZE, RATE, RTT, **each)),
            float(efficiency(SIZE, RATE, RTT, **each)),
        )
        for each in _both_rules_both_windows()
    ]
    expected = [(0.274720, 0.622714), (0.291944, 0.585975), (0.347128, 0.492821)]
    assert np.round(found, 6).tolist() == [list(pair) for pair in [*expected, (0.359680, 0.475623)]]


def _both_rules_both_windows() -> list[Any]:
    return [
        {"initial_window": window, "rounds": rule}
        for window in (10, 3)
        for rule in ("eff14", "exact")
    ]


def test_two_flows_halve_the_link_in_both_times() -> None:
    """O N/C is 262.144 ms and S N/C 1.168 ms; both rules count two rounds."""
    takes = 0.08 + 0.262144 + 2 * 0.041168 - 3 * 0.01168
    for rule, ideal in (("exact", 0.302144), ("eff14", 0.302144), ("as_printed", 0.04 + 0.065536)):
        options: Any = {"flows": 2, "rounds": rule}
        assert rounds(SIZE, RATE, RTT, **options) == 2
        assert completion_time(SIZE, RATE, RTT, **options) == pytest.approx(takes, rel=1e-9)
        assert optimal_time(SIZE, RATE, RTT, **options) == pytest.approx(ideal, rel=1e-9)
        assert efficiency(SIZE, RATE, RTT, **options) == pytest.approx(ideal / takes, rel=1e-9)


def test_the_ideal_protocol_sees_the_round_trip_without_load() -> None:
    options: Any = {"flows": 2, "unloaded_rtt_s": 0.05}
    assert optimal_time(SIZE, RATE, 0.25, **options) == pytest.approx(0.05 + 0.262144, rel=1e-9)
    assert completion_time(SIZE, RATE, 0.25, **options) == completion_time(
        SIZE, RATE, 0.25, flows=2
    )


def test_the_rules_agree_where_the_object_fits_the_first_window() -> None:
    sizes = np.array([1e-3, 1, 1460, 14600])
    for rule in ("exact", "eff14"):
        options: Any = {"rounds": rule}
        assert rounds(sizes[:-1], RATE, RTT, **options).tolist() == [0, 0, 0]
        assert completion_time(sizes[:-1], RATE, RTT, **options) == pytest.approx(
            0.08 + sizes[:-1] * 8 / RATE, rel=1e-9
        )
    # Exactly one window: the sender need not wait for an ACK, but formula 1 waits.
    assert rounds(14600, RATE, RTT) == 0
    assert rounds(14600, RATE, RTT, rounds="eff14") == 1


@pytest.mark.parametrize("windows", [1, 2, 3, 10, 30])
@pytest.mark.parametrize(("segment", "window"), [(1460, 10), (1448, 3), (1337, 1), (536, 32)])
def test_a_byte_more_than_whole_windows_takes_a_round_more(
    windows: int, segment: int, window: int
) -> None:
    size = segment * window * (2**windows - 1)
    options: Any = {"segment_bytes": segment, "initial_window": window}
    assert rounds([size, size + 1], np.inf, 1.0, **options).tolist() == [windows - 1, windows]


@pytest.mark.parametrize("doublings", [1, 2, 7, 40])
def test_a_link_of_a_power_of_two_windows_per_round_trip(doublings: int) -> None:
    """With I = 1 and S/C = 1 s a window of R + 1 segments is the first to fill the round trip."""
    rtt = 2.0**doublings - 1
    found = rounds(1e18, 8.0, [rtt - 0.25, rtt, rtt + 0.25], **_BYTE)
    assert found.tolist() == [doublings, doublings + 1, doublings + 1]
    # In the round with the tie the sender waits for 0 s.
    before, at = completion_time(1e18, 8.0, [np.nextafter(rtt, 0), rtt], **_BYTE)
    assert at == pytest.approx(before, rel=1e-12)


_BYTE: Any = {"segment_bytes": 1, "initial_window": 1}


def test_a_link_without_limit_leaves_round_trips_alone() -> None:
    # 224 segments take the windows 10, 20, 40, 80 and 160, so there are four waits.
    assert completion_time(SIZE, np.inf, RTT) == pytest.approx(6 * RTT, rel=1e-12)
    assert efficiency(SIZE, np.inf, RTT) == pytest.approx(1 / 6, rel=1e-12)
    assert completion_time(SIZE, 1e15, RTT) == pytest.approx(6 * RTT, rel=1e-6)


def test_without_a_round_trip_the_link_is_never_idle() -> None:
    for size in (1, 14600, SIZE, 1e12):
        assert efficiency(size, RATE, 0.0, initial_window=1) == 1
        assert completion_time(size, RATE, 1e-12) == pytest.approx(size * 8 / RATE, rel=1e-3)
    assert np.isnan(efficiency(SIZE, np.inf, 0.0))


def test_a_huge_window_leaves_two_round_trips() -> None:
    for window in (225, 1e6, 1e15):
        assert rounds(SIZE, RATE, RTT, initial_window=window) == 0
        assert completion_time(SIZE, RATE, RTT, initial_window=window) == pytest.approx(0.211072)


def test_arrays_broadcast_as_numpy_does() -> None:
    sizes, rates = np.array([[1e3], [1e5], [1e7]]), np.array([1e6, 1e7, 1e8, np.inf])
    windows = np.array([3, 10]).reshape(2, 1, 1)
    for function in (completion_time, optimal_time, efficiency, rounds):
        table = function(sizes, rates, 0.05, initial_window=windows)
        assert table.shape == ((3, 4) if function is optimal_time else (2, 3, 4))
        one = function(1e5, 1e7, 0.05, initial_window=10)
        assert one.shape == ()
        assert table[..., 1, 1].ravel()[-1] == one
    assert rounds(sizes, rates, 0.05).dtype == np.int64
    assert completion_time([], 1e6, 0.05).shape == (0,)


def test_the_efficiency_of_4g_is_below_that_of_3g_and_its_time_is_shorter() -> None:
    """Medians of EFF14's Table I: what section V says about Figure 5."""
    slow, fast = (3.521e6, 0.050), (5.830e6, 0.040)
    for size in (1e4, 3e4, 1e5, 1e6):
        assert efficiency(size, *fast) < efficiency(size, *slow)
        assert completion_time(size, *fast) < completion_time(size, *slow)
