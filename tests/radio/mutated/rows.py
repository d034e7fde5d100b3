"""The rows of a log: what is known of each, and what the log says of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from tests.radio.mutated.link import Block, Recording, record

BEGIN_US = 1_700_000_000 * 10**6
"""When the first recording begins, in microseconds since 1970."""

NO_WRAP = 1 << 53
"""The period of a counter that does not wrap."""


@dataclass(slots=True)
class Row:
    """A row of a log.

    Attributes
    ----------
    block : Block
        The block.
    true_us : int
        When it was sent, in microseconds since 1970.
    stamp_us : int
        When it was sent, by the log.
    counter : int
        The number of its millisecond, by the log.
    cell : int
        The cell that sent it.
    damaged : bool
        Whether the log says something false of it, so that nobody can place it.
    """

    block: Block
    true_us: int
    stamp_us: int
    counter: int
    cell: int = 1
    damaged: bool = False


@dataclass(slots=True)
class Log:
    """The files of a log, and what the link really did.

    Attributes
    ----------
    files : list of list of Row
        The rows of each file in the order of the file.
    period : int
        The period of the counter in milliseconds.
    busy_ms, receiving_ms : int
        How long data waited, and how long the phone received.
    mutations : list of str
        What happened to the log.
    """

    files: list[list[Row]]
    period: int
    busy_ms: int
    receiving_ms: int
    mutations: list[str] = field(default_factory=list)

    @property
    def kept(self) -> int:
        """The blocks of the link with a row that can be placed; each counts once."""
        return len({row.true_us for rows in self.files for row in rows if not row.damaged})

    @property
    def damaged(self) -> int:
        """The rows that nobody can place."""
        return sum(row.damaged for rows in self.files for row in rows)

    @property
    def copies(self) -> int:
        """The rows that are there twice."""
        return sum(len(rows) for rows in self.files) - self.damaged - self.kept


def logged(random: Random, pauses_us: list[int], period: int, firsts: list[int | None]) -> Log:
    """Return the rows of recordings, all in one file.

    `pauses_us` is the time before each recording, in which nothing was logged, and `firsts` the
    counter at its beginning; None if it has gone on since the recording before.
    """
    rows: list[Row] = []
    recordings: list[Recording] = []
    start_us = BEGIN_US
    for pause_us, begin in zip(pauses_us, firsts, strict=True):
        recording = record(random, _length_ms(random, len(pauses_us)))
        recordings.append(recording)
        start_us += pause_us // 1000 * 1000
        first = begin if begin is not None else _gone_on(rows[-1], start_us)
        rows.extend(_row(block, start_us, first, period) for block in recording.blocks)
        start_us = rows[-1].true_us + 1000
    return Log(
        [rows],
        period,
        sum(recording.busy_ms for recording in recordings),
        sum(recording.receiving_ms for recording in recordings),
    )


def _length_ms(random: Random, parts: int) -> int:
    return random.randint(2500, 6000) // parts + 500


def _gone_on(row: Row, us: int) -> int:
    """Return the counter at a time after a row."""
    return row.counter + (us - row.true_us) // 1000


def _row(block: Block, start_us: int, first: int, period: int) -> Row:
    us = start_us + block.ms * 1000
    return Row(block, us, us, (first + block.ms) % period)
