"""tcptrace's RTT samples, computed again from the facts of each segment.

The rule is the one that tcptrace's manual gives: a sample is the time from a segment to the first
ACK whose number follows the segment's last byte, unless the segment was retransmitted (the ACK is
*ambiguous*) or something below it was sent after it (the ACK is *post-loss*). Captures made for the
purpose showed what the manual leaves open:

- SYN and FIN count as a byte each, and the ACK of a segment with either gives a sample;
- an ACK inside a segment acknowledges it, and gives no sample then or later;
- whatever carries data while the peer's newest window is 0 is left out as a window probe;
- the ACK of a reset counts, its window does not; repeats are counted by bytes, not segments;
- it keeps a list for each quarter of the sequence numbers: a segment is split where the next
  begins, and once all below that is acknowledged what is retransmitted there counts no more.

It shares nothing with the tracker's own samples (``rtt_*_ms``), which follow methods B4.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

FIN, SYN, RST, ACK = 0x01, 0x02, 0x04, 0x10
QUARTER = 2**30


@dataclass(frozen=True)
class Fact:
    """One packet, with the tracker's offsets and times in microseconds, as in tcptrace.

    The ACK is that of the header, because the tracker leaves out what a reset acknowledges.
    """

    time_us: int
    flags: int
    window: int
    sequence: int
    ack: int | None
    start: int
    end: int
    payload: int


@dataclass
class Samples:
    """The samples of one direction's data, in milliseconds."""

    count: int = 0
    total: float = 0.0
    least: float = float("inf")
    most: float = 0.0

    def add(self, rtt_ms: float) -> None:
        """Add one sample."""
        self.count += 1
        self.total += rtt_ms
        # tcptrace treats a least value of 0 as no value yet.
        self.least = min(self.least or rtt_ms, rtt_ms)
        self.most = max(self.most, rtt_ms)


@dataclass
class _Sent:
    end: int
    time_us: int
    repeated: bool = False
    acked: bool = False


@dataclass
class Sender:
    """The segments of one end, by first offset, and its samples."""

    samples: Samples = field(default_factory=Samples)
    closed: bool = False
    _origin: int | None = None
    _starts: list[int] = field(default_factory=list)
    _sent: dict[int, _Sent] = field(default_factory=dict)
    _late: list[tuple[int, int]] = field(default_factory=list)
    _acked: int = 0

    def send(self, fact: Fact) -> None:
        """Add a packet of this sender."""
        start, end = _numbers(fact)
        if start < end:
            self._origin = fact.sequence - start
        if start == end or (self.closed and fact.payload):
            return
        for first, last in self._parts(start, end):
            if self._starts and first < self._sent[self._starts[-1]].end:
                self._late.append((fact.time_us, first))
                self._repeat(first, last, fact.time_us)
            else:
                self._add(first, last, fact.time_us)

    def _parts(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        origin = self._origin or 0
        while start < end:
            border = (self._quarter(start) + 1) * QUARTER - origin
            yield start, min(end, border)
            start = min(end, border)

    def _quarter(self, offset: int) -> int:
        return ((self._origin or 0) + offset) // QUARTER

    def acknowledge(self, wire_number: int, time_us: int) -> None:
        """Add an ACK of this sender's data."""
        if self._origin is None:
            return
        highest = self._sent[self._starts[-1]].end if self._starts else 0
        number = highest + _signed(wire_number - self._origin - highest)
        index = bisect_left(self._starts, number)
        for start in reversed(self._starts[:index]):
            sent = self._sent[start]
            if sent.acked and sent.end < number:
                break
            if not sent.acked and sent.end == number and self._is_plain(start, sent):
                self.samples.add((time_us - sent.time_us) / 1000)
            sent.acked = True
        self._acked = max(self._acked, number)

    def _is_plain(self, start: int, sent: _Sent) -> bool:
        if sent.repeated:
            return False
        border = self._quarter(start) * QUARTER - (self._origin or 0)
        lowest = border if self._acked >= border else -QUARTER
        for time_us, late_start in reversed(self._late):
            if time_us <= sent.time_us:
                break
            if lowest <= late_start < start:
                return False
        return True

    def _repeat(self, start: int, end: int, time_us: int) -> None:
        index = max(bisect_right(self._starts, start) - 1, 0)
        touched = [self._starts[i] for i in range(index, bisect_left(self._starts, end))]
        at = start
        for first in touched:
            sent = self._sent[first]
            if sent.end <= start:
                continue
            if at < first:
                self._add(at, first, time_us)
            sent.repeated, sent.time_us = True, time_us
            at = sent.end
        if at < end:
            self._add(at, end, time_us)

    def _add(self, start: int, end: int, time_us: int) -> None:
        self._starts.insert(bisect_left(self._starts, start), start)
        self._sent[start] = _Sent(end, time_us)


def _signed(difference: int) -> int:
    """Return a difference of sequence numbers, which wrap at 2^32, as the nearest one."""
    return (difference + 2**31) % 2**32 - 2**31


def _numbers(fact: Fact) -> tuple[int, int]:
    """Return the sequence space of a packet: SYN and FIN take a number each."""
    syn, fin = bool(fact.flags & SYN), bool(fact.flags & FIN)
    start = fact.start - (syn and fact.payload > 0)
    return start, start + syn + fact.payload + fin


def estimate(facts: list[tuple[bool, Fact]]) -> tuple[Samples, Samples]:
    """Return the samples of the data that the phone sent and of the data that it received.

    Each fact comes with whether the phone sent it.

    >>> data = Fact(0, ACK, 99, sequence=7001, ack=5001, start=1, end=101, payload=100)
    >>> ack = Fact(30_000, ACK, 99, sequence=5001, ack=7101, start=1, end=1, payload=0)
    >>> _, downlink = estimate([(False, data), (True, ack)])
    >>> downlink.count, downlink.total
    (1, 30.0)
    """
    senders = {True: Sender(), False: Sender()}
    for from_ue, fact in facts:
        own, peer = senders[from_ue], senders[not from_ue]
        own.send(fact)
        if fact.ack is not None and fact.flags & ACK:
            peer.acknowledge(fact.ack, fact.time_us)
        if not fact.flags & RST:
            peer.closed = fact.window == 0
    return senders[True].samples, senders[False].samples
