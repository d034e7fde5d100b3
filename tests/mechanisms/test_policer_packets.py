"""A policer and its twins, by packets of a simple sender (methods T10)."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.mechanisms import packets
from tests.mechanisms.packets import Connection

SEGMENT = 1388
LOOP_MS = 40.0
ROUNDS = 250

Path_ = Callable[[float], float | None]
"""What a path does with a packet that is sent at a time, in ms: when it arrives, if it does."""


@dataclass
class Bucket:
    """A policer: a bucket of tokens, in bytes; the link behind it is fast."""

    mbps: float
    depth: float
    tokens: float = field(init=False)
    at_ms: float = 0.0

    def __post_init__(self) -> None:
        self.tokens = self.depth

    def __call__(self, now: float) -> float | None:
        """Return when a packet arrives, or None."""
        self.tokens = min(self.depth, self.tokens + (now - self.at_ms) * self.mbps * 125)
        self.at_ms = now
        if self.tokens < SEGMENT:
            return None
        self.tokens -= SEGMENT
        return now + LOOP_MS / 2


@dataclass
class Queue:
    """A link with a queue of so many packets, which drops what does not fit."""

    mbps: float
    most: int
    free_ms: float = 0.0

    def __call__(self, now: float) -> float | None:
        """Return when a packet arrives, or None."""
        takes_ms = SEGMENT / (self.mbps * 125)
        if self.free_ms - now > self.most * takes_ms:
            return None
        self.free_ms = max(self.free_ms, now) + takes_ms
        return self.free_ms + LOOP_MS / 2


@dataclass
class Chance:
    """A path that loses a share of all packets at random."""

    share: float
    seed: int
    draws: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.draws = random.Random(self.seed)

    def __call__(self, now: float) -> float | None:
        """Return when a packet arrives, or None."""
        return None if self.draws.random() < self.share else now + LOOP_MS / 2


def download(path: Path_, pace_ms: float = 0.5) -> Connection:
    """Give a download, a window at a time: it grows by a packet a round, and is halved by a loss.

    What is lost is sent again at the begin of the next round, until it arrives.
    """
    connection = Connection([], near_ms=LOOP_MS)
    now = connection.open(0, loop_ms=0.2)
    connection.up(now, "P.", 300)
    first = connection.sent["down"]
    window, sent, done, lost, held = 4.0, 0, 0, list[int](), set[int]()
    for number in range(ROUNDS):
        numbers = [*lost, *range(sent, sent + max(1, int(window) - len(lost)))]
        sent, lost, arrivals = max(sent, numbers[-1] + 1), [], []
        for place, each in enumerate(numbers):
            at = now + place * pace_ms
            connection.down(at, "P.", SEGMENT, seq=first + each * SEGMENT)
            arrived = path(at)
            if arrived is None:
                lost.append(each)
            else:
                arrivals.append((arrived, each))
        for at, each in sorted(arrivals):
            held.add(each)
            while done in held:
                done += 1
            connection.up(at + LOOP_MS / 2, ack=first + done * SEGMENT)
        last = max((at for at, _ in arrivals), default=now + 200)
        now = max(now + len(numbers) * pace_ms, last + LOOP_MS / 2) + 1
        window = max(2.0, window / 2) if lost else window * 2 if number < 5 else window + 1
    return connection


@pytest.mark.parametrize(
    ("mbps", "depth", "words"),
    [
        (2, 60_000, "keeps to 2.0 Mbps"),
        (1, 40_000, "keeps to 1.0 Mbps"),
        (1.5, 60_000, "keeps to 1.5 Mbps"),
        (3, 120_000, "keeps to 3.0 Mbps"),
        (0.8, 40_000, "keeps to 806 kbps"),
        (2.5, 100_000, "keeps to 2.5 Mbps"),
    ],
)
def test_a_bucket_of_tokens_is_a_policer(
    mbps: float, depth: float, words: str, tmp_path: Path
) -> None:
    made = download(Bucket(mbps, depth)).packets
    [finding] = packets.found(tmp_path, made, "policer")
    assert words in finding.evidence.replace("\u00a0", " ")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(Queue(2, 6), id="a short queue"),
        pytest.param(Queue(2, 12), id="a queue of a round trip"),
        pytest.param(Queue(5, 20), id="a faster link"),
        pytest.param(Chance(0.005, 2), id="one packet of 200 is lost"),
        pytest.param(Chance(0.02, 3), id="one of 50"),
        pytest.param(Chance(0.05, 4), id="one of 20"),
        pytest.param(Bucket(3, 15_000), id="a bucket that passes no burst"),
    ],
)
def test_another_loss_is_no_policer(path: Path_, tmp_path: Path) -> None:
    assert not packets.found(tmp_path, download(path).packets, "policer")
