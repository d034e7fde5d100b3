"""The video player: its rates, stalls and fetches, with a simulated clock."""

from __future__ import annotations

from typing import Any

import pytest

from airmile.testbed.workloads._client import Fetched
from airmile.testbed.workloads._player import History, Playback, by_buffer, by_throughput
from airmile.testbed.workloads.dash import RATES_MBPS, Options, choose, play


class World:
    """A clock, and a link of a constant rate."""

    def __init__(self, mbps: float) -> None:
        self.now, self.mbps = 0.0, mbps
        self.fetches: list[tuple[float, int]] = []
        self.said: list[tuple[str, dict[str, Any]]] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def fetch(self, path: str) -> Fetched:
        size = int(path.removeprefix("/bytes/"))
        self.fetches.append((self.now, size))
        began = self.now
        self.now += size * 8e-6 / self.mbps
        return Fetched(began, began, self.now, size)

    def say(self, event: str, **more: object) -> None:
        self.said.append((event, more))

    def play(self, **options: Any) -> list[dict[str, Any]]:
        """Play, and give the events of each segment and of the video."""
        play(Options(**options), self.fetch, self.say, self.clock, self.sleep)
        return [more for _, more in self.said]


def test_the_clip_is_that_of_the_paper() -> None:
    assert (len(RATES_MBPS), RATES_MBPS[0], RATES_MBPS[-1]) == (10, 0.2, 12)
    assert Options().clip_s == 120


def test_by_throughput_it_takes_what_the_harmonic_mean_bears() -> None:
    assert by_throughput(RATES_MBPS, [], 0.8) == 0.2
    # 0.8 x 5.5 is 4.4, so the highest rate that fits is 4.
    assert by_throughput(RATES_MBPS, [5.5], 0.8) == 4.0
    # The harmonic mean of 1 and 9 is 1.8, and 0.8 of it is 1.44.
    assert by_throughput(RATES_MBPS, [1, 9], 0.8) == 1.0
    assert by_throughput(RATES_MBPS, [0.1], 0.8) == 0.2


def test_by_throughput_the_reservoir_comes_first() -> None:
    history = History()
    history.add(0.2, 20)
    assert choose(Options(), 4.9, history) == 0.2
    assert choose(Options(), 5.0, history) == 12


@pytest.mark.parametrize(
    ("before", "buffered_s", "rate"),
    [
        (8, 10, 1),  # The reservoir's end: the lowest.
        (1, 30, 8),  # The cushion's end: the highest.
        (2, 17, 2),  # The line is at 3.45, below the next higher rate.
        (2, 18, 2),  # 3.8 is still below it.
        (2, 19, 4),  # 4.15: it has passed 4, the highest below it.
        (1, 25, 4),  # 6.25: two steps at once.
        (8, 19, 8),  # 4.15: not down to the next lower yet.
        (8, 18, 4),  # 3.8 is below 4: the lowest above the line.
        (8, 12, 2),  # 1.7: the lowest above it.
    ],
)
def test_by_buffer_it_follows_the_map(before: float, buffered_s: float, rate: float) -> None:
    assert by_buffer([1, 2, 4, 8], before, buffered_s, reservoir_s=10, cushion_s=20) == rate


def test_it_stalls_once_until_the_next_segment_comes() -> None:
    world = World(1)
    playback = Playback(world.clock)
    world.now = 3
    playback.add(4)
    assert playback.startup_s == 3
    world.now = 5
    playback.advance()
    assert (playback.buffered_s, playback.stalls) == (2, 0)
    for world.now in (8.5, 9.0):
        playback.advance()
    assert (playback.stalls, playback.stalled_s) == (1, 2.0)
    playback.add(4)
    assert (playback.buffered_s, playback.stalls) == (4, 1)


def test_a_link_that_is_too_slow_stalls_every_segment_and_says_so() -> None:
    *segments, video = World(0.1).play(clip_s=12)
    # A segment of 4 s at 0.2 Mbit/s takes 8 s: 4 s of playing, then a stall of 4 s.
    assert [segment["mbps"] for segment in segments] == [0.2, 0.2, 0.2]
    assert video == pytest.approx(
        {"mean_mbps": 0.2, "switches": 0, "stalls": 2, "stalled_s": 8, "startup_s": 8}
    )


@pytest.mark.parametrize("adaptation", ["throughput", "buffer"])
def test_on_a_constant_link_it_settles_below_its_rate_and_never_stalls(adaptation: str) -> None:
    *segments, video = World(5.2).play(adaptation=adaptation)
    assert len(segments) == 30 and video["stalls"] == 0
    late = [segment["mbps"] for segment in segments[10:]]
    # 0.8 of 5.2 allow 4; by the buffer it oscillates around the link's rate instead.
    assert set(late) == ({4.0} if adaptation == "throughput" else {4.0, 6.0})
    assert max(segment["buffered_s"] for segment in segments) <= 30


def test_single_bytes_keep_the_connection_busy_while_nothing_is_fetched() -> None:
    quiet, chatty = World(100), World(100)
    quiet.play(clip_s=60)
    said = chatty.play(clip_s=60, micro_fetch_gap_s=0.1)
    assert _longest_gap_s(quiet) > 3
    assert _longest_gap_s(chatty) <= 0.1 + 1e-6
    sizes = [size for _, size in chatty.fetches]
    assert sizes.count(1) == sum(segment["micro_fetches"] for segment in said[:-1])
    assert [size for size in sizes if size > 1] == [size for _, size in quiet.fetches]


def test_an_unknown_adaptation_is_refused() -> None:
    with pytest.raises(ValueError, match="adaptation = 'speed': write throughput or buffer"):
        Options(adaptation="speed")


def _longest_gap_s(world: World) -> float:
    """Give the longest time from the end of a fetch to the start of the next."""
    ends = [start + size * 8e-6 / world.mbps for start, size in world.fetches]
    starts = [start for start, _ in world.fetches[1:]]
    return max(start - end for start, end in zip(starts, ends, strict=False))
