"""Chooses the logs: a format, recordings, the counter, and one to three mutations, by a seed."""

from __future__ import annotations

from random import Random

from tests.radio.mutated import mutations, writers
from tests.radio.mutated.link import SILENCE_MS
from tests.radio.mutated.rows import NO_WRAP, Log, logged
from tests.radio.mutated.writers import Writer

SFN_MS = 10_240
"""The period of LTE's frame numbers: 1024 frames of 10 ms."""

_S = 10**6
_LONG_US = (SILENCE_MS + 100) * 1000
_CLOCK = (mutations.set_back, mutations.set_ahead)
_STAMPS = (mutations.jittered, mutations.drifted)
_ORDER = (mutations.reordered, mutations.moved)
_TWICE = (mutations.repeated, mutations.given_twice, mutations.overlapping)


def case(seed: int) -> tuple[Log, Writer]:
    """Return the mutated log with this number, and what writes its files."""
    random = Random(seed)
    writer = random.choice(writers.WRITERS)
    kinds = random.sample(
        ("joined", "restarted", "wrapped", "cells", "clock", "stamps", "order", "twice", "stray"),
        random.choice((1, 2, 2, 3, 3)),
    )
    log = _recorded(random, writer, kinds)
    for kind, choices in (
        ("cells", (mutations.handed_over,) if writer.names_cells else ()),
        ("stamps", _STAMPS),
        ("clock", _CLOCK),
        ("order", _ORDER),
        ("twice", _TWICE),
        ("stray", (mutations.strayed_packets if writer.has_packets else mutations.strayed,)),
    ):
        if kind in kinds and choices:
            mutation = random.choice(choices)
            mutation(random, log)
            log.mutations.append(mutation.__name__)
    return log, writer


def _recorded(random: Random, writer: Writer, kinds: list[str]) -> Log:
    """Return the recordings of a log, with their counters."""
    pauses_us, names = [0], []
    if "joined" in kinds:
        names.append("joined")
        for _ in range(random.randint(1, 2)):
            pauses_us.append(random.choice((300 * _S, 86_400 * _S, random.randint(1, 200) * _S)))
    if "restarted" in kinds:
        names.append("restarted")
        # Where the frames go on, nothing tells a short hole in the log from a pause of the link.
        pauses_us.append(random.randrange(_LONG_US if writer.counts_frames else 0, 3 * _S))
    period = _period(random, writer, kinds)
    if period != NO_WRAP:
        names.append(f"wrapped at {period}")
    firsts = [_first(random, period, kinds) for _ in pauses_us]
    if writer.counts_frames and ("restarted" in kinds or random.random() < 0.5):
        # A cell goes on counting its frames while nobody logs them.
        firsts[1:] = [None] * (len(firsts) - 1)
    log = logged(random, pauses_us, period, firsts)
    log.mutations = names
    if "joined" in kinds and random.random() < 0.2:
        log.files = [_last_first(log)]
        log.mutations.append("last first")
    return log


def _period(random: Random, writer: Writer, kinds: list[str]) -> int:
    if writer.counts_frames:
        return SFN_MS
    if "wrapped" not in kinds:
        return NO_WRAP
    return random.choice((SFN_MS, SFN_MS, 1 << 16, 1024 * SFN_MS, 1 << 32))


def _first(random: Random, period: int, kinds: list[str]) -> int | None:
    """Return the first counter of a recording; one that wraps does so soon."""
    if period == NO_WRAP:
        return 0 if "restarted" in kinds or random.random() < 0.5 else random.randrange(10**8)
    if "restarted" in kinds and random.random() < 0.5:
        return 0
    return period - random.randint(1, min(period - 1, 4000))


def _last_first(log: Log) -> list:  # type: ignore[type-arg]
    """Return the rows with the last recording in front of the others."""
    rows = log.files[0]
    begin = max(at for at in range(1, len(rows)) if rows[at].block.ms < rows[at - 1].block.ms)
    return rows[begin:] + rows[:begin]
