"""Periods of requests, compared with random scripts whose periods are known (methods F2)."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from airmile.answers import derived, periodic
from airmile.answers._series import Series, series
from tests.support.made import at, dataset, flow, transfer

SEEDS = range(40)


def player(
    draw: random.Random, period_s: float, count: int, *, jitter: float = 0.0, missing: float = 0.0
) -> list[float]:
    """Return the times of requests, each a period after the one before, give or take a share."""
    time_s, times_s = draw.uniform(0, period_s), []
    for _ in range(count):
        if draw.random() >= missing:
            times_s.append(time_s)
        time_s += period_s * (1 + draw.uniform(-jitter, jitter))
    return times_s


def has(found: list[Series], period_s: float) -> bool:
    return any(each.period_s == pytest.approx(period_s, rel=0.05) for each in found)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_period_is_found_whatever_its_jitter(seed: int) -> None:
    draw = random.Random(seed)
    period_s = draw.uniform(1, 60)
    times_s = player(draw, period_s, 12, jitter=0.05)
    (found,) = series(times_s)
    assert found.period_s == pytest.approx((times_s[-1] - times_s[0]) / 11)
    assert (found.members, found.missed, found.regularity_ratio) == (tuple(range(12)), 0, 1)
    assert found.jitter_s <= 0.1 * period_s


@pytest.mark.parametrize("seed", SEEDS)
def test_a_missing_request_is_counted_and_ends_nothing(seed: int) -> None:
    draw = random.Random(seed)
    times_s = player(draw, 10, 15, jitter=0.02)
    del times_s[draw.randrange(1, 14)]
    (found,) = series(times_s)
    assert (found.periods, found.missed) == (14, 1)
    assert found.period_s == pytest.approx(10, rel=0.03)
    assert found.regularity_ratio == pytest.approx(13 / 14)


def test_a_period_is_found_although_requests_are_missing_now_and_then() -> None:
    draws = [random.Random(seed) for seed in range(200)]
    hits = [has(series(player(draw, 10, 15, jitter=0.03, missing=0.1)), 10) for draw in draws]
    assert sum(hits) >= 190


@pytest.mark.parametrize("seed", SEEDS)
def test_two_periods_are_two_series(seed: int) -> None:
    draw = random.Random(seed)
    video_s = draw.uniform(3, 6)
    audio_s = video_s * draw.uniform(1.35, 1.8)
    times_s = sorted(
        player(draw, video_s, round(120 / video_s), jitter=0.01)
        + player(draw, audio_s, round(120 / audio_s), jitter=0.01)
    )
    found = series(times_s)
    assert has(found, video_s) and has(found, audio_s)
    members = [at for each in found for at in each.members]
    assert len(members) == len(set(members))


@pytest.mark.parametrize("seed", SEEDS)
def test_requests_sent_two_at_a_time_are_one_series(seed: int) -> None:
    times_s = player(random.Random(seed), 10, 10, jitter=0.02)
    (found,) = series(sorted([*times_s, *(time_s + 0.05 for time_s in times_s)]))
    assert len(found.members) == 20
    assert found.period_s == pytest.approx(10, rel=0.03)


def test_a_pause_between_two_stretches_of_a_period_leaves_one_series() -> None:
    first = [10.0 * n for n in range(6)]
    (found,) = series([*first, *(time_s + 137 for time_s in first)])
    assert found.period_s == pytest.approx(10)
    assert (found.periods, found.missed) == (10, 0)


def test_random_requests_have_no_period() -> None:
    for seed in range(200):
        draw = random.Random(seed)
        times_s = sorted(draw.uniform(0, 300) for _ in range(draw.randrange(4, 60)))
        assert series(times_s) == [], seed


def test_many_random_requests_do_not_hide_a_period() -> None:
    draw = random.Random(5)
    noise = [draw.uniform(0, 300) for _ in range(30)]
    assert has(series(sorted([*player(draw, 10, 30, jitter=0.005), *noise])), 10)


@pytest.mark.parametrize("times_s", [[], [1.0], [0.0, 10.0, 20.0], [5.0] * 8])
def test_few_requests_and_requests_all_at_once_have_no_period(times_s: list[float]) -> None:
    assert series(times_s) == []


def made(path: Path, **services: list[tuple[int, float]]) -> Any:
    """Return a dataset with requests: connection and second, by the name of their service."""
    flows, transfers = [], []
    for place, (service, asked) in enumerate(services.items()):
        for uid in sorted({100 * place + connection for connection, _ in asked}):
            flows.append(flow(uid, ue="10.0.0.1", ue_port=40_000, server="192.0.2.1",
                              server_name=service))  # fmt: skip
        transfers += [
            transfer(100 * place + connection, 1000 * place + n, 1000 * time_s, 1000 * time_s + 50,
                     bytes=1000 + n)
            for n, (connection, time_s) in enumerate(asked)
        ]  # fmt: skip
    return dataset(path / "d", flows=flows, transfers=transfers)


def test_a_row_has_the_bytes_and_connections_of_its_requests_alone(tmp_path: Path) -> None:
    player_of_two = [(1 + n // 2, 10.0 * n) for n in range(8)]
    d = made(tmp_path, film=[*player_of_two, (9, 33.3)])
    (row,) = periodic.table(d).to_pylist()
    assert (row["ue"], row["service"], row["reason"]) == ("10.0.0.1", "film", None)
    assert (row["period_s"], row["requests"], row["connections"]) == (10, 8, 4)
    assert (row["bytes"], row["least_bytes"], row["most_bytes"]) == (8028, 1000, 1007)


def test_without_a_period_there_is_the_reason(tmp_path: Path) -> None:
    d = made(
        tmp_path, few=[(1, 0.0), (1, 10.0), (1, 20.0)],
        page=[(1, 0.0), (1, 1.0), (2, 9.0), (3, 30.0)],
    )  # fmt: skip
    rows = {row["service"]: row for row in derived.table(d, "periodic").to_pylist()}
    assert rows["few"]["reason"] == "fewer than 4 requests"
    assert rows["page"]["reason"] == "no period that chance would not give"
    for row in rows.values():
        assert row["period_s"] is row["regularity_ratio"] is row["jitter_s"] is None
    assert (rows["page"]["requests"], rows["page"]["connections"]) == (4, 3)


@pytest.mark.parametrize(
    ("period_ms", "takes_ms", "wait_ms", "own"),
    [
        (60, 55, 0, False),  # the next request leaves as soon as the answer is there
        (1000, 990, 5, False),  # the same, with answers as long as the rate makes them
        (10_000, 55, 0, True),
        (30_000, 29_990, 29_900, True),  # long polling: the server sets the period
        (200, 60, 0, True),
    ],
)
def test_the_time_that_each_answer_takes_is_no_period(
    tmp_path: Path, period_ms: float, takes_ms: float, wait_ms: float, own: bool
) -> None:
    flows = [flow(1, ue="10.0.0.1", ue_port=1, server="192.0.2.1", server_name=None)]
    asked = [
        transfer(
            1, n, period_ms * n, period_ms * n + takes_ms, path_rtt_ms=50.0, server_wait_ms=wait_ms
        )
        for n in range(12)
    ]
    (row,) = periodic.table(dataset(tmp_path / "d", flows=flows, transfers=asked)).to_pylist()
    assert (row["period_s"] is not None) is own
    assert row["reason"] == (None if own else periodic.CLOSED)


def test_uploads_and_small_calls_are_no_requests(tmp_path: Path) -> None:
    flows = [flow(1, ue="10.0.0.1", ue_port=1, server="192.0.2.1", server_name=None)]
    transfers = [
        *(transfer(1, n, 1e4 * n, 1e4 * n + 50, direction="uplink") for n in range(8)),
        *(transfer(1, 10 + n, 1e4 * n, 1e4 * n + 50, control=True) for n in range(8)),
    ]
    assert periodic.table(dataset(tmp_path / "d", flows=flows, transfers=transfers)).num_rows == 0
    assert at(0) < at(1)
