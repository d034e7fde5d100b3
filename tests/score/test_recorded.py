"""The quantities of the recorded runs that are exact, or within a known error."""

from __future__ import annotations

import json

import pytest

from airmile import _engine
from airmile.testbed.record.outcome import manifest_of
from airmile.testbed.scoring import Scored
from tests.score import kept

SETS = kept.EMU
RECORDED = [run.name for run in kept.RUNS]

PROMOTION_MS = 15
WINDOW_S = 0.6
"""The error of window-limited time: the kernel is sampled every 10 ms, and a reader that opens its
window in steps changes in between."""


def scored(name: str) -> Scored:
    return kept.scored(SETS / name)


def together() -> Scored:
    return sum((scored(name) for name in RECORDED), Scored())


@pytest.mark.parametrize("quantity", ["promotion delay", "promotion slices"])
def test_every_promotion_is_reported_and_none_is_invented(quantity: str) -> None:
    promotions = together().quantities[quantity]
    assert len(promotions.answered) == len(promotions.pairs) >= 7
    assert max(promotions.errors) <= PROMOTION_MS


def test_restarts_are_reported_gap_by_gap() -> None:
    restarts = together().quantities["restarts"]
    kinds = {pair.truth for pair in restarts.pairs}
    assert kinds >= {"none", "decayed"}
    assert restarts.right == len(restarts.pairs), restarts.pairs


def test_timeouts_are_found_where_they_are_and_only_there() -> None:
    for name in RECORDED:
        timeouts = scored(name).quantities["timeouts"]
        assert timeouts.right == len(timeouts.pairs), (name, timeouts.pairs)
    undesired = scored("t09_undesired_slow_start").quantities["timeouts"]
    assert sum(float(pair.truth) for pair in undesired.pairs) >= 1


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.parametrize("quantity", ["retransmissions", "upstream losses"])
def test_segments_are_counted_exactly(quantity: str, name: str) -> None:
    compared = scored(name).quantities[quantity]
    assert compared.right == len(compared.pairs), compared.pairs


def test_there_are_segments_to_count() -> None:
    for quantity in ("retransmissions", "upstream losses"):
        pairs = together().quantities[quantity].pairs
        assert sum(float(pair.truth) > 0 for pair in pairs) >= 2, quantity


@pytest.mark.parametrize("name", RECORDED)
def test_the_time_with_a_full_window(name: str) -> None:
    limited = scored(name).quantities["window-limited time"]
    assert len(limited.answered) == len(limited.pairs)
    assert max(limited.errors, default=0) <= WINDOW_S


def test_bandwidth_is_as_good_as_the_paper_says() -> None:
    # LTE13 section 6.2 has a mean error of 7.9 % over windows of one second.
    errors = together().quantities["bandwidth"].errors
    assert len(errors) >= 500
    assert sum(errors) / len(errors) <= 0.079


TOO_SHORT = {"t05_slow_start", "t14_handshakes", "t25_short_wakes"}
"""Sets whose flows have too few packets to estimate a tick."""


@pytest.mark.parametrize("name", RECORDED)
def test_the_tick_of_a_phone_is_the_one_that_it_had(name: str) -> None:
    settings = manifest_of(SETS / name)["experiment"]
    nominal = settings["timestamp_tick_ms"] or 1.0
    ticks = set(kept.analysed(SETS / name).flows["tick_nominal_ms"].to_pylist())
    assert ticks == ({None} if name in TOO_SHORT else {nominal})


NOT_TOLD = {
    # Only a modem log shows a cause.
    "handover",
    # The phone's capture point is before the emulated Qdisc; on a real phone it is after it.
    "device_queue",
    "undetermined",
}


def test_every_cause_that_a_capture_shows_is_among_them() -> None:
    causes = {cause["name"] for cause in json.loads(_engine.schema())["causes"]}
    seen: set[str] = set()
    for name in RECORDED:
        seen |= set(kept.analysed(SETS / name).slices["cause"].to_pylist())
    assert seen == causes - NOT_TOLD
