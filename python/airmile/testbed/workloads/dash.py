"""A video player that adapts: segments of several rates into a buffer (as the videos of BT19).

The rate of the next segment is the highest that the throughput of the last ones allows, and never
above what the buffer can bear (throughput-based with a buffer reservoir, as players do by default).
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from dataclasses import asdict, dataclass, field

from airmile.testbed.workloads._client import Say, connect, get

RATES_MBPS = (0.2, 0.4, 0.7, 1.0, 1.5, 2.5, 4.0, 6.0, 8.5, 12.0)


@dataclass(frozen=True)
class Options:
    """The clip and the player.

    Parameters
    ----------
    clip_s : float
        Length of the clip.
    segment_s : float
        Length of a segment.
    rates_mbps : list of float
        Rates of the representations, rising.
    buffer_s : float
        The player stops fetching when so much is buffered.
    reservoir_s : float
        With less buffered than this it takes the lowest rate.
    safety : float
        Share of the measured throughput that it counts on.
    """

    clip_s: float = 120
    segment_s: float = 4
    rates_mbps: list[float] = field(default_factory=lambda: list(RATES_MBPS))
    buffer_s: float = 30
    reservoir_s: float = 5
    safety: float = 0.8


class Playback:
    """What is buffered, and the stalls: virtual playback by the wall clock."""

    def __init__(self) -> None:
        self.buffered_s = 0.0
        self.stalled_s = 0.0
        self.stalls = 0
        self._playing = False
        self._at = time.monotonic()

    def advance(self) -> None:
        """Play what the time since the last call allows."""
        now = time.monotonic()
        elapsed, self._at = now - self._at, now
        if not self._playing:
            return
        lack = elapsed - self.buffered_s
        self.buffered_s = max(0.0, self.buffered_s - elapsed)
        if lack > 0:
            self.stalled_s += lack
            self.stalls += 1
            self._playing = False

    def add(self, seconds: float) -> None:
        """Take in a segment."""
        self.advance()
        self.buffered_s += seconds
        self._playing = True


def choose(options: Options, buffered_s: float, recent_bps: deque[float]) -> float:
    """Rate of the next segment, Mbit/s: the harmonic mean of the recent throughputs decides."""
    if not recent_bps or buffered_s < options.reservoir_s:
        return options.rates_mbps[0]
    harmonic = len(recent_bps) / sum(1 / bps for bps in recent_bps)
    fitting = [rate for rate in options.rates_mbps if rate * 1e6 <= options.safety * harmonic]
    return fitting[-1] if fitting else options.rates_mbps[0]


def run(options: Options, say: Say) -> None:
    """Play the clip."""
    playback, recent, rates = Playback(), deque[float](maxlen=5), []
    with connect() as connection:
        for number in range(round(options.clip_s / options.segment_s)):
            playback.advance()
            time.sleep(max(0.0, playback.buffered_s + options.segment_s - options.buffer_s))
            playback.advance()
            rate = choose(options, playback.buffered_s, recent)
            fetched = get(connection, f"/bytes/{int(rate * 1e6 / 8 * options.segment_s)}")
            playback.add(options.segment_s)
            recent.append(fetched.bytes * 8 / max(fetched.end_unix - fetched.request_unix, 1e-6))
            rates.append(rate)
            say(
                "segment",
                number=number,
                mbps=rate,
                buffered_s=playback.buffered_s,
                **asdict(fetched),
            )
    switches = sum(before != after for before, after in itertools.pairwise(rates))
    mean = sum(rates) / len(rates) if rates else None
    say(
        "video",
        mean_mbps=mean,
        switches=switches,
        stalls=playback.stalls,
        stalled_s=playback.stalled_s,
    )
