"""A video player that adapts its rate and fetches segments into a buffer (BT19 section 3.4)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

from airmile.testbed.experiment.options import PORT, POSITIVE
from airmile.testbed.workloads._client import Fetched, Say, connect, get
from airmile.testbed.workloads._player import Clock, History, Playback, by_buffer, by_throughput

RATES_MBPS = (0.2, 0.4, 0.7, 1.0, 1.5, 2.5, 4.0, 6.0, 8.5, 12.0)
"""Rates of the representations in Mbit/s.

BT19 has ten rates from 0.2 to 12 Mbit/s and does not publish those between.
"""

ADAPTATIONS = ("throughput", "buffer")

BRIEF = {"clip_s": 8, "segment_s": 2, "buffer_s": 6, "micro_fetch_gap_s": 0.2}
"""Options of a short run, for `make testbed-smoke`."""


@dataclass(frozen=True)
class Options:
    """The options of the clip and the player.

    Parameters
    ----------
    adaptation : str
        `throughput`: the highest rate within `safety` times the harmonic mean of the throughputs of
        the last five segments; below the reservoir the lowest rate. `buffer`: the rate that the
        buffer allows, between reservoir and cushion (the algorithm BBA-0).
    clip_s : float
        Length of the clip.
    segment_s : float
        Length of a segment.
    rates_mbps : list of float
        Rates of the representations, ascending.
    buffer_s : float
        The player pauses fetching when the buffer holds this much.
    reservoir_s : float
        The player takes the lowest rate when the buffer holds less than this.
    cushion_s : float
        `buffer`: how much more than the reservoir allows the highest rate.
    safety : float
        `throughput`: the share of the measured throughput on which the player relies.
    micro_fetch_gap_s : float
        While the player does not fetch, it requests single bytes at this interval on the same
        connection, so that slow start is not restarted (BT19 section 5.3). The interval must be
        below a retransmission timeout, which is at least 0.2 s on Linux. 0: the player requests
        none.
    port : int
        The port of the server: 80, 443 or 7777; 0: its ordinary port.
    """

    adaptation: str = "throughput"
    clip_s: float = field(default=120, metadata=POSITIVE)
    segment_s: float = field(default=4, metadata=POSITIVE)
    rates_mbps: list[float] = field(metadata=POSITIVE, default_factory=lambda: list(RATES_MBPS))
    buffer_s: float = field(default=30, metadata=POSITIVE)
    reservoir_s: float = 5
    cushion_s: float = field(default=20, metadata=POSITIVE)
    safety: float = field(default=0.8, metadata=POSITIVE)
    micro_fetch_gap_s: float = 0
    port: int = field(default=0, metadata=PORT)

    def __post_init__(self) -> None:
        if self.adaptation not in ADAPTATIONS:
            raise ValueError(f"adaptation = {self.adaptation!r}: write {' or '.join(ADAPTATIONS)}")


def run(options: Options, say: Say) -> None:
    """Play the clip."""
    with connect(port=options.port) as connection:
        play(options, lambda path: get(connection, path), say, time.monotonic, time.sleep)


def play(
    options: Options,
    fetch: Callable[[str], Fetched],
    say: Say,
    clock: Clock,
    sleep: Callable[[float], None],
) -> None:
    """Play the clip over the given network and by the given clock."""
    playback, history = Playback(clock), History()
    for number in range(round(options.clip_s / options.segment_s)):
        playback.advance()
        room_in_s = playback.buffered_s + options.segment_s - options.buffer_s
        single_bytes = _idle(options, room_in_s, fetch, clock, sleep)
        playback.advance()
        before_s, rate = playback.buffered_s, choose(options, playback.buffered_s, history)
        asked = clock()
        fetched = fetch(f"/bytes/{int(rate * 1e6 / 8 * options.segment_s)}")
        got_mbps = fetched.bytes * 8e-6 / max(clock() - asked, 1e-6)
        playback.add(options.segment_s)
        history.add(rate, got_mbps)
        say(
            "segment",
            number=number,
            mbps=rate,
            got_mbps=got_mbps,
            buffered_before_s=before_s,
            buffered_s=playback.buffered_s,
            stalled_s=playback.stalled_s,
            micro_fetches=single_bytes,
            **asdict(fetched),
        )
    say(
        "video",
        mean_mbps=history.mean(),
        switches=history.switches(),
        stalls=playback.stalls,
        stalled_s=playback.stalled_s,
        startup_s=playback.startup_s,
    )


def choose(options: Options, buffered_s: float, history: History) -> float:
    """Return the rate of the next segment, in Mbit/s."""
    rates = options.rates_mbps
    if options.adaptation == "buffer":
        before = history.rates[-1] if history.rates else rates[0]
        return by_buffer(rates, before, buffered_s, options.reservoir_s, options.cushion_s)
    if buffered_s < options.reservoir_s:
        return rates[0]
    return by_throughput(rates, history.recent_mbps, options.safety)


def _idle(
    options: Options,
    seconds: float,
    fetch: Callable[[str], Fetched],
    clock: Clock,
    sleep: Callable[[float], None],
) -> int:
    """Wait until the buffer has room; return the number of single bytes fetched meanwhile."""
    until, fetched = clock() + seconds, 0
    gap_s = options.micro_fetch_gap_s or seconds
    while (left := until - clock()) > 0:
        sleep(min(gap_s, left))
        if options.micro_fetch_gap_s and clock() < until:
            fetch("/bytes/1")
            fetched += 1
    return fetched
