"""Policers and their twins (methods T10), by rows that follow a token bucket, or do not."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.mechanisms.test_rules import MS, SCALED, START, found_of

STEP_MS = 100
LOSSES = (400, 1100, 1900, 2400, 3700, 4600, 5200, 6500)
"""The times of losses, in ms; all but the first are those at which the bucket is empty."""


def bucket(
    mbps: float, losses: Sequence[int] = LOSSES, burst: float = 2.5, until_ms: int = 7000
) -> list[float]:
    """Give the rate of each 100 ms: less than the line after a loss, more before the next."""
    steps = [mbps * burst if at < losses[0] else mbps for at in range(0, until_ms, STEP_MS)]
    for begin, end in pairwise(losses):
        span = range(begin // STEP_MS, end // STEP_MS)
        for number, at in enumerate(span):
            steps[at] = mbps * (0.7 + 0.6 * (number + 0.5) / len(span))
    return steps


def sawtooth(mbps: float, losses: Sequence[int] = LOSSES) -> list[float]:
    """Give the rates of a window that grows at one pace, and is halved at each loss."""
    steps, now = [], mbps
    for at in range(0, 7000, STEP_MS):
        steps.append(now)
        now = now / 2 if at in losses else now + mbps / 8
    return steps


def shallow(mbps: float) -> list[float]:
    """Give the rates of a link with a short queue: its own before each loss, less after it."""
    return [each / 1.3 for each in bucket(mbps, burst=1.3)]


def flow(
    rates: Iterable[float], losses: Sequence[int] = LOSSES, lost: str = "lost_here", **facts: Any
) -> dict[str, list[dict[str, Any]]]:
    """Give the rows of a flow with such rates in each 100 ms, and losses at such times."""
    way = {"uid": 7, "direction": "downlink"}
    slices = [
        {
            **{**way, "transfer_id": 1, "cause": "congestion_window", "queue_ratio": 0.0},
            **{"start_ns": START + at * STEP_MS * MS, "end_ns": START + (at + 1) * STEP_MS * MS},
            **{"delivery_bps": mbps * 1e6, "first_frame": at + 1, "last_frame": at + 1, **facts},
        }
        for at, mbps in enumerate(rates)
    ]
    direction = {"direction": facts.get("direction", "downlink")}
    none = {"lost_here": 0, "lost_upstream": 0}
    episodes = [{**way, **direction, **none, "start_ns": START + at * MS, lost: 4} for at in losses]
    return {"flows": [SCALED], "slices": slices, "loss_episodes": episodes}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        pytest.param(flow(bucket(2)), "keeps to 2.0 Mbps", id="2 Mbit/s"),
        pytest.param(flow(bucket(0.128, burst=5)), "keeps to 128 kbps", id="128 kbit/s"),
        pytest.param(flow(bucket(20)), "up to 50.0 Mbps passed", id="20 Mbit/s"),
        pytest.param(
            flow(bucket(2), direction="uplink"), "32 packets above it were lost", id="an upload"
        ),
        pytest.param(
            flow(bucket(2), lost="lost_upstream", upstream_queue_ratio=0.0),
            "in 8 episodes without a queue",
            id="before the capture point",
        ),
        pytest.param(flow(bucket(2), queue_ratio=0.25), "over 6.1 s", id="jitter"),
        pytest.param(flow(bucket(2, LOSSES[:6]), LOSSES[:6]), "in 6 episodes", id="six losses"),
        pytest.param(
            flow(bucket(2), cause="loss_recovery"),
            "keeps to 2.0 Mbps",
            id="it repairs losses all the time",
        ),
    ],
)
def test_what_keeps_to_a_line_without_a_queue_is_policed(
    rows: dict[str, list[dict[str, Any]]], words: str, tmp_path: Path
) -> None:
    [finding] = found_of("policer", tmp_path, **rows)
    assert finding.certainty == "likely"
    assert words in finding.evidence.replace("\u00a0", " ")
    sender = "phone" if finding.direction == "uplink" else "server"
    assert f"pace at the {sender}" in finding.advice.replace("\u00a0", " ")


def random_losses(seed: int) -> dict[str, list[dict[str, Any]]]:
    """Give a window that grows and is halved, on a path that loses packets at random."""
    losses = sorted(random.Random(seed).sample(range(300, 6900, 100), 9))
    return flow([9.0, 9.0, *sawtooth(3, losses)[2:]], losses)


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(flow(bucket(2), queue_ratio=0.9), id="CoDel: a queue is there"),
        pytest.param(
            flow(bucket(2), upstream_queue_ratio=1.0), id="a queue before the capture point"
        ),
        pytest.param(flow(bucket(2), queue_ratio=None), id="nothing shows whether there is one"),
        pytest.param(flow(shallow(2)), id="a shallow buffer: the link's rate before each loss"),
        pytest.param(flow(bucket(2, burst=1.2)), id="no burst before the first loss"),
        *(pytest.param(random_losses(seed), id=f"random losses {seed}") for seed in range(4)),
        pytest.param(flow(bucket(2, LOSSES[:5]), LOSSES[:5]), id="five losses"),
        pytest.param(
            flow(bucket(2, (400, 700, 900, 1100, 1300, 1600)), (400, 700, 900, 1100, 1300, 1600)),
            id="all within a second",
        ),
        pytest.param(flow(bucket(2), cause="sender_app"), id="an application that gives 2 Mbit/s"),
        pytest.param(flow(bucket(2), cause="receive_window"), id="a window that gives 2 Mbit/s"),
        pytest.param(
            flow([*bucket(2)[:35], *(rate * 2 for rate in bucket(2)[35:])]),
            id="a link whose rate changes",
        ),
        pytest.param(flow([*bucket(2)[:50], 6.0, *bucket(2)[51:]]), id="a later burst as fast"),
    ],
)
def test_what_looks_like_a_policer_is_none(
    rows: dict[str, list[dict[str, Any]]], tmp_path: Path
) -> None:
    assert not found_of("policer", tmp_path, **rows)


def test_without_losses_nothing_is_policed(tmp_path: Path) -> None:
    assert not found_of("policer", tmp_path, **{**flow(bucket(2)), "loss_episodes": []})
