"""Quiet times of a connection: all that was written has been read, and both ends are silent.

What ends a quiet time is a write. If the application that writes is the one that has read last, the
quiet time is the time that it took to answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import merge

from tests.programs.tracing import Io

PHONE, SERVER = "phone", "server"


@dataclass(frozen=True)
class Quiet:
    """A quiet time.

    Attributes
    ----------
    start_ns, end_ns : int
        From the last read to the write that ends it.
    read_by, written_by : str
        The ends, `phone` or `server`, that read last and that write next.
    up, down : int
        The bytes that each direction had carried by then.
    """

    start_ns: int
    end_ns: int
    read_by: str
    written_by: str
    up: int
    down: int


@dataclass(frozen=True)
class Moving:
    """The time between two quiet times, and the bytes that moved in it, by direction."""

    start_ns: int
    end_ns: int
    up: tuple[int, int]
    down: tuple[int, int]
    up_written_ns: int
    down_written_ns: int


class _Ends:
    """The bytes that both ends of a connection have written and read so far, and when."""

    def __init__(self) -> None:
        self.written, self.read = {PHONE: 0, SERVER: 0}, {PHONE: 0, SERVER: 0}
        self.wrote_ns = {PHONE: 0, SERVER: 0}
        self.read_ns, self.read_by = 0, ""
        self._since_ns, self._before = 0, (0, 0)

    @property
    def silent(self) -> bool:
        """Whether all that was written has been read."""
        return (self.written[PHONE], self.written[SERVER]) == (self.read[SERVER], self.read[PHONE])

    def before_write(self, end: str, time_ns: int) -> Iterator[Quiet | Moving]:
        """Give the parts that a write ends."""
        if not self.silent:
            return
        if self.read_by:
            moving = self.moving(self.read_ns)
            yield moving
            self._before = moving.up[1], moving.down[1]
            yield Quiet(self.read_ns, time_ns, self.read_by, end, *self._before)
        self._since_ns = time_ns

    def add(self, end: str, io: Io) -> None:
        """Add a call."""
        if io.wrote:
            self.written[end] += io.size
            self.wrote_ns[end] = io.end_ns
        else:
            self.read[end] += io.size
            self.read_ns, self.read_by = io.end_ns, end

    def moving(self, until_ns: int) -> Moving:
        """Give what has moved since the last quiet time."""
        up, down = self.written[PHONE], self.written[SERVER]
        return Moving(
            self._since_ns,
            until_ns,
            (self._before[0], up),
            (self._before[1], down),
            self.wrote_ns[PHONE],
            self.wrote_ns[SERVER],
        )


def of(phone: list[Io], server: list[Io]) -> list[Quiet | Moving]:
    """Give the quiet times of a connection and those between them, in order."""
    return list(_parts(list(merge(_tagged(phone, PHONE), _tagged(server, SERVER)))))


def _tagged(every: list[Io], end: str) -> list[tuple[int, int, str, Io]]:
    # Of calls at the same time a write counts before the read of its bytes.
    times = [(io.start_ns, 0, end, io) if io.wrote else (io.end_ns, 1, end, io) for io in every]
    return sorted(times, key=lambda each: each[:3])


def _parts(events: list[tuple[int, int, str, Io]]) -> Iterator[Quiet | Moving]:
    ends = _Ends()
    for time_ns, _, end, io in events:
        if io.wrote:
            yield from ends.before_write(end, time_ns)
        ends.add(end, io)
    if events:
        yield ends.moving(events[-1][0])
