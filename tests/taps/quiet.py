"""Puts a quiet exchange on the empty path before each connection: what an oracle would know.

Twenty small messages each way show the least round trips of both sides of the tap, the clocks of
both hosts with the least delay of each direction, and how far an idle radio spreads both. All
packets of the connection follow as they were; its own handshake opens the quiet exchange instead,
and passes as two acknowledgements without data where it was.
"""

from __future__ import annotations

import random
import struct
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from tests.recorded.packets import (
    ACK,
    FILE_HEADER_BYTES,
    RECORD_HEADER_BYTES,
    SYN,
    Packet,
    packets_of,
    records,
)

_MESSAGES, _MESSAGE_BYTES = 20, 30
_EVERY_NS, _SILENCE_NS = 300_000_000, 1_200_000_000
"""The messages follow each other in this time, and the connection follows after this silence."""

_REPEATED, _REPEAT_NS, _GRANT_NS = 0.1, 8_000_000, 5_000_000
"""A block in ten is sent again after a round of HARQ (TS 36.213 section 7.3), and a scheduling
request waits for its turn (TS 36.213 section 10.1.5)."""

_PSH = 8
_TICKS_NS = (1_000_000, 4_000_000, 10_000_000)
_SCALE, _TIMESTAMPS = 3, 8


@dataclass(frozen=True)
class _Raw:
    """A packet with the bytes of its record."""

    at: Packet
    data: bytes

    @property
    def tcp(self) -> int:
        """The place of the TCP header."""
        return RECORD_HEADER_BYTES + (self.data[RECORD_HEADER_BYTES] & 15) * 4

    def timestamps(self) -> tuple[int, int, int] | None:
        """Give the place of the timestamps option, and what is in it."""
        at = self.option(_TIMESTAMPS)
        return (at, *struct.unpack_from(">II", self.data, at + 2)) if at else None

    def scale(self) -> int:
        """Give by how many bits the window of a SYN's sender is shifted."""
        at = self.option(_SCALE)
        return self.data[at + 2] if at else 0

    def option(self, kind: int) -> int | None:
        """Give the place of an option."""
        at, end = self.tcp + 20, self.tcp + (self.data[self.tcp + 12] >> 4) * 4
        while at + 1 < min(end, len(self.data)) and self.data[at]:
            if self.data[at] == kind:
                return at
            at += 1 if self.data[at] == 1 else max(self.data[at + 1], 2)
        return None


@dataclass(frozen=True)
class _Clock:
    """A host's timestamp clock, as the quickest of its packets shows it at the tap."""

    tick_ns: int
    zero_ns: int

    def at(self, passed_ns: int) -> int:
        """Give the timestamp of a packet without delay that passes at a time."""
        return ((passed_ns - self.zero_ns) // self.tick_ns) & 0xFFFFFFFF


def after_quiet(data: bytes, seed: str) -> bytes:
    """Give a capture whose connections each begin with a quiet exchange.

    Parameters
    ----------
    data : bytes
        A whole capture of the testbed.
    seed : str
        What names the capture.

    Returns
    -------
    bytes
        A capture. Connections whose handshake it does not hold are as they were.
    """
    bounds = list(records(data))
    connections: defaultdict[tuple[int, int], list[_Raw]] = defaultdict(list)
    held = set()
    for each in packets_of(data):
        start, end = bounds[each.place]
        connections[each.port, each.server_port].append(_Raw(each, data[start:end]))
        held.add(each.place)
    written = [
        (_time(data[start:end]), data[start:end])
        for place, (start, end) in enumerate(bounds)
        if place not in held
    ]
    for connection in connections.values():
        written += ((_time(each), each) for each in _quieted(connection, seed))
    written.sort(key=lambda each: each[0])
    return data[:FILE_HEADER_BYTES] + b"".join(each for _, each in written)


def _time(record: bytes) -> int:
    seconds: int
    micros: int
    seconds, micros = struct.unpack_from("<II", record)
    return seconds * 10**9 + micros * 1000


def _quieted(connection: Sequence[_Raw], seed: str) -> Iterator[bytes]:
    syns = [each for each in connection if each.at.flags & SYN]
    first = {each.at.up: each for each in syns}
    opened = len(first) == 2 and len({e.at.up for e in connection if not e.at.flags & SYN}) == 2
    if opened:
        yield from _Quiet(connection, first, random.Random(f"{seed}-quiet")).exchange()
    for each in connection:
        yield _opened(each, first) if each.at.flags & SYN and opened else each.data


def _opened(syn: _Raw, first: dict[bool, _Raw]) -> bytes:
    """Give the acknowledgement without data that passes in the place of a SYN."""
    other = first[not syn.at.up].at.seq
    head = bytearray(syn.data)
    struct.pack_into(">II", head, syn.tcp + 4, (syn.at.seq + 1) & 0xFFFFFFFF, (other + 1) % 2**32)
    head[syn.tcp + 13] = ACK
    struct.pack_into(">H", head, syn.tcp + 14, syn.at.window >> syn.scale())
    return bytes(head)


class _Quiet:
    def __init__(
        self, connection: Sequence[_Raw], first: dict[bool, _Raw], chance: random.Random
    ) -> None:
        self.first, self.chance = first, chance
        every = [each.at for each in connection]
        self.turns = {up: _least_turn(every, up) for up in (True, False)}
        self.clocks = {up: _clock(connection, up) for up in (True, False)}
        self.plain = {up: _plain(connection, up) for up in (True, False)}
        size = _MESSAGES * _MESSAGE_BYTES
        self.next = {up: (first[up].at.seq - size) % 2**32 for up in (True, False)}
        self.heard = {True: 0, False: 0}

    def exchange(self) -> Iterator[bytes]:
        began = self.first[True].at.time_ns - _SILENCE_NS - (_MESSAGES + 1) * _EVERY_NS
        answered = began + self.first[False].at.time_ns - self.first[True].at.time_ns
        yield self.syn(True, began, SYN)
        yield self.syn(False, answered, SYN | ACK)
        yield self.packet(True, answered + self.turns[False], 0)
        for number in range(1, _MESSAGES + 1):
            asked = began + number * _EVERY_NS
            yield self.packet(True, asked, _MESSAGE_BYTES)
            answered = asked + self.turns[True] + self.late(side=True)
            yield self.packet(False, answered, _MESSAGE_BYTES)
            yield self.packet(True, answered + self.turns[False] + self.late(side=False), 0)

    def late(self, *, side: bool) -> int:
        """Give how much longer than the least a turn takes on a side: that with the radio."""
        radio = self.turns[side] >= self.turns[not side]
        repeat = _REPEAT_NS * (self.chance.random() < _REPEATED)
        return (repeat + int(self.chance.random() * _GRANT_NS)) * radio

    def syn(self, up: bool, at_ns: int, flags: int) -> bytes:
        record = self.first[up]
        head = self.stamped(record, up, at_ns)
        ack = self.next[not up] if flags & ACK else 0
        struct.pack_into(">II", head, record.tcp + 4, self.next[up], ack)
        head[record.tcp + 13] = flags
        self.next[up] = (self.next[up] + 1) % 2**32
        return bytes(head)

    def packet(self, up: bool, at_ns: int, payload: int) -> bytes:
        record = self.plain[up]
        head = self.stamped(record, up, at_ns)
        struct.pack_into(">II", head, record.tcp + 4, self.next[up], self.next[not up])
        head[record.tcp + 13] = ACK | (_PSH if payload else 0)
        total = struct.unpack_from(">H", head, RECORD_HEADER_BYTES + 2)[0] + payload
        struct.pack_into(">H", head, RECORD_HEADER_BYTES + 2, total)
        size = len(head) - RECORD_HEADER_BYTES + payload
        struct.pack_into("<II", head, 8, size, size)
        self.next[up] = (self.next[up] + payload) % 2**32
        return bytes(head) + bytes(payload)

    def stamped(self, record: _Raw, up: bool, at_ns: int) -> bytearray:
        head = bytearray(record.data)
        seconds, rest = divmod(at_ns, 10**9)
        struct.pack_into("<II", head, 0, seconds, rest // 1000)
        option, clock = record.timestamps(), self.clocks[up]
        if option and clock:
            struct.pack_into(">II", head, option[0] + 2, clock.at(at_ns), self.heard[not up])
            self.heard[up] = clock.at(at_ns)
        return head


def _least_turn(every: Iterable[Packet], up: bool) -> int:
    """Give the least time from data of a direction to its acknowledgement."""
    waiting: deque[tuple[int, int]] = deque()
    highest, least = None, None
    for each in every:
        end = (each.seq + each.payload + bool(each.flags & SYN)) % 2**32
        if each.up == up and end != each.seq:
            if highest is None or _ahead(end, highest):
                waiting.append((end, each.time_ns))
                highest = end
        elif each.up != up and each.flags & ACK:
            sent = None
            while waiting and not _ahead(waiting[0][0], each.ack):
                sent = waiting.popleft()[1]
            if sent is not None:
                least = min(least or 2**62, each.time_ns - sent)
    return least or 0


def _ahead(number: int, other: int) -> bool:
    return 0 < (number - other) % 2**32 < 2**31


def _clock(connection: Iterable[_Raw], up: bool) -> _Clock | None:
    """Fit the clock of a direction's sender, if its packets have timestamps."""
    found = [
        (each.at.time_ns, option[1])
        for each in connection
        if each.at.up == up and (option := each.timestamps())
    ]
    if not found or found[-1][1] <= found[0][1]:
        return None
    slope = (found[-1][0] - found[0][0]) / (found[-1][1] - found[0][1])
    tick = min(_TICKS_NS, key=lambda each: abs(each - slope))
    return _Clock(tick, min(time - tick * tsval for time, tsval in found))


def _plain(connection: Sequence[_Raw], up: bool) -> _Raw:
    """Give a direction's first packet after its SYN, without payload and without a SACK."""
    first = next(each for each in connection if each.at.up == up and not each.at.flags & SYN)
    end = first.tcp + 20
    option = first.timestamps()
    body = first.data[end : end + 12] if option else b""
    head = bytearray(first.data[:end] + body)
    head[first.tcp + 12] = (20 + len(body)) // 4 << 4
    total = len(head) - RECORD_HEADER_BYTES
    struct.pack_into(">H", head, RECORD_HEADER_BYTES + 2, total)
    return replace(first, data=bytes(head))
