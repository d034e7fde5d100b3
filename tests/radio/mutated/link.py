"""A link in milliseconds: when data waited, and which blocks were sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

CELL_PRBS = 100
"""The PRBs of every cell."""

SILENCE_MS = 1000
"""A longer silence is not part of the time in which the phone received (methods T1)."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block that was sent in a millisecond.

    Attributes
    ----------
    ms : int
        Milliseconds since the beginning of the recording.
    prbs, size, padding : int
        Its PRBs, its bytes, and how many of them are padding.
    """

    ms: int
    prbs: int
    size: int
    padding: int


@dataclass(frozen=True, slots=True)
class Recording:
    """What a link did while its modem wrote a log.

    Attributes
    ----------
    blocks : sequence of Block
        The blocks in the order of time.
    busy_ms : int
        Milliseconds after which data was left in the queue, up to the last block.
    """

    blocks: Sequence[Block]
    busy_ms: int

    @property
    def receiving_ms(self) -> int:
        """Milliseconds from the first block to the last, without long silences."""
        pairs = zip(self.blocks, self.blocks[1:], strict=False)
        steps = (after.ms - before.ms for before, after in pairs)
        return 1 + sum(step if step <= SILENCE_MS else 1 for step in steps)


def record(random: Random, length_ms: int) -> Recording:
    """Return what a link did for a time: stretches with a queue, and pauses with lone blocks."""
    blocks: list[Block] = []
    busy: list[int] = []
    ms = 0
    while ms < length_ms:
        stretch = random.randint(30, 900)
        for at in range(ms, ms + stretch):
            busy.append(at)
            # In some milliseconds another user is served.
            if random.random() > 0.03 or at == ms:
                blocks.append(_full(random, at))
        ms += stretch
        blocks.append(_last(random, ms))
        ms += _pause(random, ms, blocks)
    cut = [block for block in blocks if block.ms < length_ms]
    return Recording(cut, sum(at < cut[-1].ms for at in busy))


def _pause(random: Random, ms: int, blocks: list[Block]) -> int:
    """Append the lone blocks of a pause, and return its length."""
    length = random.choice((random.randint(15, 600), random.randint(1100, 2500)))
    if random.random() < 0.5:
        blocks.extend(_last(random, at) for at in range(ms + 25, ms + length - 25, 40))
    return length


def _full(random: Random, ms: int) -> Block:
    return Block(ms, random.randint(92, CELL_PRBS), random.randint(5000, 9000), 0)


def _last(random: Random, ms: int) -> Block:
    """Return a block that empties the queue."""
    size = random.randint(200, 2000)
    return Block(ms, random.randint(3, 30), size, random.randint(20, size // 2))
