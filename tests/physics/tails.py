"""Losses at the end of written data, and ACKs so late that a probe is sent."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tests.physics.links import full, link, outages, uplink
from tests.physics.making import asked, download
from tests.recorded.runs import Run, drawn, run_of


def tails(seed: int) -> Iterator[Run]:
    """Give losses at the end of written data, and ACKs so late that a probe is sent."""
    chance = drawn(seed, "tails")
    wired_ms = chance.uniform(10, 30)
    for variant, lost in (("one", 1), ("three", 3)):
        segments = chance.randint(6, 9)
        dropped = last_of_answers(segments, lost, answers=12)
        down = {**full(15), "forced_drops": dropped}
        work = asked(14, segments * _MSS - _HEAD, pause_ms=[150, 300])
        yield run_of("tail loss", variant, seed, link(wired_ms, down), work)
    # Data beyond the initial window waits, which a probe can send.
    down = {**full(15), "forced_drops": first_flights(40, connections=8)}
    work = asked(1, 40 * _MSS - _HEAD, times=10)
    yield run_of("tail loss", "unsent", seed, link(wired_ms, down), work)
    lost_s = [{"at_ms": at, "outage_ms": ms, "forwarding": False} for at, ms in _gone(chance)]
    way = {**link(wired_ms, full(chance.uniform(8, 16))), "handovers": lost_s}
    yield run_of("tail loss", "flushed", seed, way, download(8))
    up = {**full(6, uplink), "forced_drops": last_of_answers(12, 1, answers=10)}
    photo = 12 * _MSS - 200
    flow = {"count": 12, "request_bytes": [photo, photo], "answer_bytes": [300, 300]}
    work = {"name": "exchange", "flows": [{**flow, "pause_ms": [150, 300]}]}
    yield run_of("tail loss", "up", seed, link(wired_ms, uplink=up), work)
    late = outages(6, chance, [250, 350], every_ms=(80, 200))
    work = asked(25, 12 * _MSS, pause_ms=[50, 200])
    yield run_of("needless probe", "answers", seed, link(wired_ms, full(15), uplink(late)), work)


_MSS, _HEAD = 1448, 120


def last_of_answers(segments: int, lost: int, answers: int) -> list[int]:
    """Give the numbers of the last packets of every second answer, which are retransmitted."""
    dropped: list[int] = []
    sent = 0
    for number in range(answers):
        sent += segments
        if number % 2:
            dropped += range(sent - lost + 1, sent + 1)
            sent += lost
    return dropped


def first_flights(segments: int, connections: int) -> list[int]:
    """Give the numbers of the initial windows of every second connection, all retransmitted."""
    dropped: list[int] = []
    sent = 0
    for number in range(connections):
        if number % 2:
            dropped += range(sent + 1, sent + _INITIAL + 1)
            sent += _INITIAL
        sent += segments
    return dropped


_INITIAL = 10
"""Segments of an initial window (RFC 6928)."""


def _gone(chance: random.Random) -> list[tuple[float, float]]:
    return [(at + chance.uniform(0, 300), chance.choice([200, 350])) for at in (2200, 4700)]
