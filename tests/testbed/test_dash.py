"""The player: which rate it chooses, and when it stalls."""

from __future__ import annotations

from collections import deque

import pytest

from airmile.testbed.workloads.dash import Options, Playback, choose


def test_it_begins_low_and_takes_what_the_throughput_bears() -> None:
    options = Options()
    assert choose(options, 20, deque()) == 0.2
    assert choose(options, 2, deque([20e6])) == 0.2
    # 0.8 of 5.5 Mbit/s are 4.4: the highest that fits is 4.
    assert choose(options, 20, deque([5.5e6])) == 4.0
    # The harmonic mean of 1 and 9 is 1.8: 0.8 of it is 1.44.
    assert choose(options, 20, deque([1e6, 9e6])) == 1.0


def test_it_stalls_when_the_buffer_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("airmile.testbed.workloads.dash.time.monotonic", lambda: now[0])
    playback = Playback()
    now[0] = 3
    playback.add(4)
    now[0] = 5
    playback.advance()
    assert (playback.buffered_s, playback.stalls) == (2, 0)
    now[0] = 8.5
    playback.advance()
    assert (playback.stalls, playback.stalled_s) == (1, 1.5)
