"""What may happen to a modem log: each mutation changes the rows, and what can be kept of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from tests.radio.mutated.rows import Log, Row

Mutation = Callable[[Random, Log], None]

_S = 10**6
_DAY = 86_400 * _S


def handed_over(random: Random, log: Log) -> None:
    """Move the phone to another cell, and perhaps back; each cell counts its own frames."""
    for rows in log.files:
        shift, moves = 0, sorted(random.sample(range(1, len(rows)), random.randint(1, 2)))
        shifts = [0, random.randrange(1, min(log.period, 10**6))]
        for at, row in enumerate(rows):
            shift = sum(at >= move for move in moves) % 2
            row.cell = 1 + shift
            row.counter = (row.counter + shifts[shift]) % log.period


def jittered(random: Random, log: Log) -> None:
    """Stamp each row when it is written: some milliseconds late, or in groups."""
    most_us = random.choice((300, 3000, 15_000))
    group_us = random.choice((1, 1, 1000, 40_000))
    for rows in log.files:
        before, sent = 0, 0
        for row in rows:
            # Another recording has a clock of its own.
            before, sent = (before if row.true_us >= sent else 0), row.true_us
            late = row.stamp_us + random.randrange(most_us)
            row.stamp_us = max(-(-late // group_us) * group_us, before)
            before = row.stamp_us


def drifted(random: Random, log: Log) -> None:
    """Let the clock of the stamps run too fast or too slowly."""
    ppm = random.uniform(-100, 100)
    begin_us = log.files[0][0].stamp_us
    for row in (row for rows in log.files for row in rows):
        row.stamp_us += round((row.stamp_us - begin_us) * ppm / 1e6)


def set_back(random: Random, log: Log) -> None:
    """Set the clock of the stamps back while the counter goes on."""
    _set_clock(random, log, -random.choice((_part_s(random), random.randint(60, 4000) * _S)))


def set_ahead(random: Random, log: Log) -> None:
    """Set the clock of the stamps ahead while the counter goes on."""
    _set_clock(random, log, random.choice((_part_s(random), random.randint(60, 4000) * _S)))


def reordered(random: Random, log: Log) -> None:
    """Write rows up to 300 ms late, so that later rows come before them."""
    most_us = random.choice((3000, 40_000, 300_000))
    for rows in log.files:
        keys = {id(row): at for at, row in enumerate(rows)}
        late = {id(row): row.true_us + random.randrange(most_us) for row in rows}
        # Rows of recordings that are not in the order of time stay where they are.
        parts = _recordings(rows)
        rows[:] = [
            row
            for part in parts
            for row in sorted(part, key=lambda row: (late[id(row)], keys[id(row)]))
        ]


def moved(random: Random, log: Log) -> None:
    """Write a piece of the log later than what followed it."""
    for rows in log.files:
        part = random.choice(_recordings(rows))
        begin = next(at for at, row in enumerate(rows) if row is part[0])
        length = min(random.randint(5, 200), len(part) // 3)
        at = begin + random.randrange(len(part) - 2 * length)
        piece = rows[at : at + length]
        later = rows[at + length : at + 2 * length]
        rows[at : at + 2 * length] = later + piece


def repeated(random: Random, log: Log) -> None:
    """Write a piece of the log twice: at once, or at the end."""
    rows = random.choice(log.files)
    at = random.randrange(len(rows) // 2)
    piece = [replace(row) for row in rows[at : at + random.randint(5, 400)]]
    to = random.choice((at + len(piece), len(rows)))
    rows[to:to] = piece


def given_twice(random: Random, log: Log) -> None:
    """Give the whole log twice, as a second file or behind the first."""
    copy = [replace(row) for row in log.files[-1]]
    if random.random() < 0.5:
        log.files[-1].extend(copy)
    else:
        log.files.append(copy)


def overlapping(random: Random, log: Log) -> None:
    """Cut the log into two files that both hold the rows around the cut."""
    rows = log.files[-1]
    begin = random.randrange(len(rows) // 4, len(rows) // 2)
    end = random.randrange(begin + 20, 3 * len(rows) // 4)
    log.files[-1:] = [rows[:end], [replace(row) for row in rows[begin:]]]


def strayed(random: Random, log: Log) -> None:
    """Damage single rows: their stamp, their counter, or both."""
    _stray(random, log, dated_by_packet=False)


def strayed_packets(random: Random, log: Log) -> None:
    """Damage the stamps of single packets."""
    _stray(random, log, dated_by_packet=True)


def _stray(random: Random, log: Log, *, dated_by_packet: bool) -> None:
    for _ in range(random.randint(1, 4)):
        row = random.choice(random.choice(log.files))
        if row.damaged:
            continue
        row.damaged = True
        far = random.choice((-1, 1)) * random.choice(
            (_DAY, 3600 * _S, random.randint(20, 10**6) * _S, random.randint(1, 10**12))
        )
        # A damaged number may still look like one of a neighbour; then it is not stray.
        far += (abs(far) < 20 * _S) * 20 * _S * (1 if far > 0 else -1)
        # The reader of packets dates a block with a wrong frame by the stamp of its packet.
        kind = random.choice(("stamp", "counter", "both")[: 1 if dated_by_packet else 3])
        if kind != "counter":
            row.stamp_us = max(row.stamp_us + far, 0)
        if kind != "stamp":
            row.counter = _damaged_counter(random, row.counter, log.period)


def _damaged_counter(random: Random, counter: int, period: int) -> int:
    """Return a counter that is more than two seconds from the true one."""
    far = random.randrange(2000, min(period, 10**9) - 2000)
    return (counter + far) % period


def _part_s(random: Random) -> int:
    return random.randint(500_000, 8_000_000)


def _set_clock(random: Random, log: Log, step_us: int) -> None:
    rows = [row for rows in log.files for row in rows]
    for row in rows[random.randrange(1, len(rows)) :]:
        row.stamp_us += step_us


def _recordings(rows: list[Row]) -> list[list[Row]]:
    """Split rows where another recording begins."""
    parts: list[list[Row]] = []
    for row in rows:
        if not parts or row.block.ms < parts[-1][-1].block.ms:
            parts.append([])
        parts[-1].append(row)
    return parts
