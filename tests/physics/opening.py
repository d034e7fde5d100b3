"""The beginnings of uploads, and of short flows after silences."""

from __future__ import annotations

from collections.abc import Iterator

from tests.physics.links import full, link, uplink
from tests.physics.making import SECONDS, posted, window
from tests.recorded.runs import Run, drawn, run_of


def uploads(seed: int) -> Iterator[Run]:
    """Give uploads whose first half second is scored, and slow ones."""
    chance = drawn(seed, "uploads")
    wired_ms = chance.uniform(8, 30)
    way = link(wired_ms, uplink=full(chance.uniform(3, 10), uplink))
    steps_ = [
        {"name": "bulk_upload", "bytes": size, "pause_s": 1} for size in (150_000, 400_000, 800_000)
    ]
    work = {"name": "sequence", "steps": steps_, "repeat": 2}
    yield run_of("upload start", "series", seed, way, work, direction="uplink")
    photos = {"count": 6, "request_bytes": [150_000, 700_000], "answer_bytes": [200, 900]}
    photos |= {"wait_ms": [50, 300], "pause_ms": [200, 600]}
    yield run_of("upload start", "photos", seed, way, {"name": "exchange", "flows": [photos]})
    rate = chance.choice([0.5e6, 1e6, 1.5e6])
    slow = {"name": "paced_upload", "bps": rate, "bytes": round(rate / 8 * SECONDS)}
    slow["chunk_ms"] = chance.choice([20, 100])
    yield run_of("upload slow", "paced", seed, way, slow)
    held = posted(1.5, server_receive_buffer=window(1.5, wired_ms))
    yield run_of("upload slow", "window", seed, way, held)


ONCE = (1, 2)
"""Seeds of runs that last long: one to develop with, one held out."""


def silences(seed: int) -> Iterator[Run]:
    """Give short flows after silences, some longer than the timer after which the radio sleeps."""
    chance = drawn(seed, "silence")
    rrc = {"inactivity_ms": chance.choice([3500, 4200, 7500]), "promotion_ms": [180, 420]}
    way = {**link(chance.uniform(8, 30)), "rrc": rrc}
    gaps = [5.0, 2.0, 10.0, 20.0]
    chance.shuffle(gaps)
    for variant, more, options in (
        ("new", {}, {"gaps_s": gaps}),
        ("kept", {}, {"gaps_s": gaps, "reconnect": False}),
        ("tick_10ms", {"era": "2012"}, {"gaps_s": gaps}),
        ("minute", {"longest_s": 120}, {"gaps_s": [60, 2, 10]}),
    ):
        size = chance.choice([2_000, 20_000, 100_000])
        work = {"name": "idle_wake", "bytes": size, **options}
        if seed in ONCE or variant == "new":
            yield run_of("silence", variant, seed, way, work, **more)
