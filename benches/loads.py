"""Captures that fill memory, made by numpy from a seed, and written as fast as airmile reads them.

Each load is a stream of blocks of packets in time order: raw IPv4 in a classic capture with
nanoseconds. Its size is a number of phones or flows, so that a larger budget gets more of them.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.uint32]
Load = Callable[["Wire", int], Iterator[bytes]]

WAVE = 20_000
"""The number of phones that send in turn: their flows are live at the same time."""

SYN, ACK, SYN_ACK, DATA = 2, 16, 18, 24
UDP, TCP = 17, 6
PHONES, SERVERS, CORE = 0x0A000001, 0xCB007101, 0xC0000201
START_NS = 1_700_000_000 * 10**9
GTPU = 2152
HOUR_NS = 3_600 * 10**9
OPENING = b"\x02\x04\x05\xb4\x04\x02\x01\x01\x01\x03\x03\x07"
"""The options of a SYN: MSS 1460, SACK permitted, and a window scale of 7."""


@dataclass
class Wire:
    """The capture's clock and its random numbers; makes the records of blocks of packets."""

    seed: int
    gap_ns: int = 2_000
    now_ns: int = START_NS
    random: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)

    def records(self, packets: NDArray[np.uint8], wire_bytes: int) -> bytes:
        """Return the records of packets of one length, one every `gap_ns`."""
        count, kept = packets.shape
        times = self.now_ns + self.gap_ns * np.arange(count, dtype=np.int64)
        self.now_ns = int(times[-1]) + self.gap_ns
        block = np.empty((count, 16 + kept), np.uint8)
        heads = np.empty((count, 4), "<u4")
        heads[:, 0], heads[:, 1] = times // 10**9, times % 10**9
        heads[:, 2], heads[:, 3] = kept, wire_bytes
        block[:, :16] = heads.view(np.uint8)
        block[:, 16:] = packets
        return block.tobytes()

    def tcp(self, way: Way, sent: Sent) -> bytes:
        """Return a block with one TCP packet of each of the flows of `way`."""
        packets, wire_bytes = _ip(way, TCP, _tcp(way, sent), sent.length)
        return self.records(packets, wire_bytes)

    def udp(self, way: Way, payload: NDArray[np.uint8]) -> bytes:
        """Return a block with one datagram of each of the flows of `way`."""
        return self.records(*_udp(way, payload))


@dataclass(frozen=True)
class Way:
    """One direction of many flows: source and destination, with ports."""

    source: Numbers
    destination: Numbers
    source_port: Numbers
    destination_port: Numbers

    def back(self) -> Way:
        """Return the opposite direction."""
        return Way(self.destination, self.source, self.destination_port, self.source_port)


@dataclass(frozen=True)
class Sent:
    """What a TCP packet contains: the same for all flows, or a value for each."""

    flags: int
    sequence: int | Numbers
    acknowledgement: int | Numbers
    length: int = 0
    options: bytes | NDArray[np.uint8] = b""
    payload: bytes | NDArray[np.uint8] = b""


def capture(load: str, size: int, seed: int = 1) -> Iterator[bytes]:
    """Give the bytes of a capture of this load.

    >>> len(b"".join(capture("datagrams", 10)))
    764
    """
    yield struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65_535, 101)
    yield from LOADS[load](Wire(seed), size)


def _phones(wire: Wire, size: int) -> Iterator[bytes]:
    """Phones with one short exchange each, which none of them ends."""
    for way in _waves(size):
        yield from _handshake(wire, way)
        yield wire.tcp(way, Sent(DATA, 1, 1, 300, payload=bytes(40)))
        for part in range(3):
            yield wire.tcp(way.back(), Sent(DATA, 1 + 1400 * part, 301, 1400))
        yield wire.tcp(way, Sent(ACK, 301, 4201))


def _gap(wire: Wire, size: int) -> Iterator[bytes]:
    """Phones with one short exchange each; after hours of silence all of them end at once."""
    yield from _phones(wire, size)
    wire.now_ns += 3 * HOUR_NS
    yield from _phones(wire, WAVE)


def _tunnels(wire: Wire, size: int) -> Iterator[bytes]:
    """Phones behind two nested GTP-U tunnels, each tunnel with a number of its own."""
    for number, way in enumerate(_waves(size)):
        tunnels = np.arange(len(way.source), dtype=np.uint32) + number * WAVE + 1
        for sent, direction in (
            (Sent(SYN, 0, 0, options=OPENING), way),
            (Sent(SYN_ACK, 0, 1, options=OPENING), way.back()),
            (Sent(DATA, 1, 1, 300), way),
            (Sent(DATA, 1, 301, 1400), way.back()),
        ):
            packets, inner = _ip(direction, TCP, _tcp(direction, sent), sent.length)
            ends = tunnels + (0 if direction is way else 2**31)
            for _ in range(2):
                packets, inner = _gtpu(packets, inner, ends)
            yield wire.records(packets, inner)


def _datagrams(wire: Wire, size: int) -> Iterator[bytes]:
    """Datagrams of as many flows, ten for each phone."""
    for first in range(0, size, WAVE):
        numbers = np.arange(first, min(first + WAVE, size), dtype=np.uint32)
        ports = 10_000 + numbers % 10
        way = Way(PHONES + numbers // 10, SERVERS + numbers % 7, ports, _alike(9_000, numbers))
        yield wire.udp(way, np.zeros((len(numbers), 30), np.uint8))


def _growing(wire: Wire, size: int) -> Iterator[bytes]:
    """Flows that all live on: what arrives has holes, and little of it is acknowledged."""
    ways = list(_waves(size))
    for way in ways:
        yield from _handshake(wire, way)
        yield wire.tcp(way, Sent(DATA, 1, 1, 300))
    for turn in range(TURNS):
        for way in ways:
            for _ in range(4):
                yield wire.tcp(way.back(), Sent(DATA, _within(wire, way, turn), 301, 100))
            yield wire.tcp(way, Sent(ACK, 301, 1 + turn * 500, options=_sack(wire, way, turn)))


def _names(wire: Wire, size: int) -> Iterator[bytes]:
    """Flows that begin with a ClientHello with a long name, or with requests without an answer."""
    for way in _waves(size):
        half = len(way.source) // 2
        secure = _part(way, slice(None, half), 443)
        clear = _part(way, slice(half, None), 80)
        for each in (secure, clear):
            yield from _handshake(wire, each)
        hello = _spelt(wire, _client_hello(), b"NAME", len(secure.source))
        yield wire.tcp(secure, Sent(DATA, 1, 1, hello.shape[1], payload=hello))
        sequence = 1
        for _ in range(8):
            asked = _spelt(wire, _request(), b"NAME", len(clear.source))
            yield wire.tcp(clear, Sent(DATA, sequence, 1, asked.shape[1], payload=asked))
            sequence += asked.shape[1]


def _lookups(wire: Wire, size: int) -> Iterator[bytes]:
    """Phones that look up names and get answers, without a flow to any of the answers."""
    for way in _waves(size):
        asking = Way(way.source, way.destination, way.source_port, _alike(53, way.source))
        for number in range(4):
            query = _spelt(wire, _question(number), b"NAME", len(way.source))
            yield wire.udp(asking, query)
            answer = query.copy()
            answer[:, 2:4], answer[:, 7] = (0x81, 0x80), 1
            record = b"\xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04" + bytes([198, 51, 100, number])
            tail = np.tile(np.frombuffer(record, np.uint8), (len(query), 1))
            yield wire.udp(asking.back(), np.hstack([answer, tail]))


LOADS: dict[str, Load] = {
    "phones": _phones,
    "gap": _gap,
    "tunnels": _tunnels,
    "datagrams": _datagrams,
    "growing": _growing,
    "names": _names,
    "lookups": _lookups,
}

TURNS = 40
"""How often each growing flow sends and receives."""


def _waves(size: int) -> Iterator[Way]:
    """Give the flows of `size` phones, each with one server, a wave at a time."""
    for first in range(0, size, WAVE):
        numbers = np.arange(first, min(first + WAVE, size), dtype=np.uint32)
        ports = 1_024 + numbers % 50_000
        yield Way(PHONES + numbers, SERVERS + numbers % 97, ports, _alike(443, numbers))


def _part(way: Way, part: slice, port: int) -> Way:
    source = way.source[part]
    return Way(source, way.destination[part], way.source_port[part], _alike(port, source))


def _alike(value: int, like: Numbers) -> Numbers:
    return np.full(len(like), value, np.uint32)


def _handshake(wire: Wire, way: Way) -> Iterator[bytes]:
    yield wire.tcp(way, Sent(SYN, 0, 0, options=OPENING))
    yield wire.tcp(way.back(), Sent(SYN_ACK, 0, 1, options=OPENING))
    yield wire.tcp(way, Sent(ACK, 1, 1))


def _within(wire: Wire, way: Way, turn: int) -> Numbers:
    """Return where data begins: anywhere in the window, so that most of it leaves holes."""
    return (turn * 500 + wire.random.integers(1, 4_000_000, len(way.source))).astype(np.uint32)


def _sack(wire: Wire, way: Way, turn: int) -> NDArray[np.uint8]:
    """Return three blocks of selective acknowledgements for each flow (RFC 2018)."""
    count = len(way.source)
    options = np.empty((count, 28), np.uint8)
    options[:, :4] = 1, 1, 5, 26
    for block in range(3):
        start = _within(wire, way, turn)
        options[:, 4 + 8 * block : 8 + 8 * block] = _big(start, 4)
        options[:, 8 + 8 * block : 12 + 8 * block] = _big(start + 100, 4)
    return options


def _big(numbers: Any, width: int) -> NDArray[np.uint8]:
    """Return numbers as big-endian bytes, a row for each."""
    return np.ascontiguousarray(numbers, f">u{width}").view(np.uint8).reshape(-1, width)


def _tcp(way: Way, sent: Sent) -> NDArray[np.uint8]:
    options = np.asarray(_rows(sent.options, len(way.source)))
    payload = np.asarray(_rows(sent.payload, len(way.source)))
    size = 20 + options.shape[1]
    packets = np.zeros((len(way.source), size + payload.shape[1]), np.uint8)
    packets[:, 0:2], packets[:, 2:4] = _big(way.source_port, 2), _big(way.destination_port, 2)
    packets[:, 4:8], packets[:, 8:12] = _big(sent.sequence, 4), _big(sent.acknowledgement, 4)
    packets[:, 12:16] = size // 4 << 4, sent.flags, 0xFF, 0xFF
    packets[:, 20:size], packets[:, size:] = options, payload
    return packets


def _rows(given: bytes | NDArray[np.uint8], count: int) -> NDArray[np.uint8]:
    if isinstance(given, bytes):
        return np.tile(np.frombuffer(given, np.uint8), (count, 1))
    return given


def _ip(
    way: Way, protocol: int, carried: NDArray[np.uint8], length: int | None = None
) -> tuple[NDArray[np.uint8], int]:
    """Return packets and their length on the wire; `length` is that of a payload cut off."""
    wire_bytes = 20 + carried.shape[1]
    if length is not None:
        wire_bytes = 20 + int(carried[0, 12] >> 4) * 4 + length
    packets = np.zeros((len(way.source), 20 + carried.shape[1]), np.uint8)
    packets[:, 0], packets[:, 8], packets[:, 9] = 0x45, 64, protocol
    packets[:, 2:4] = _big(wire_bytes, 2)
    packets[:, 12:16], packets[:, 16:20] = _big(way.source, 4), _big(way.destination, 4)
    packets[:, 20:] = carried
    return packets, wire_bytes


def _udp(
    way: Way, payload: NDArray[np.uint8], length: int | None = None
) -> tuple[NDArray[np.uint8], int]:
    whole = payload.shape[1] if length is None else length
    datagrams = np.zeros((len(way.source), 8 + payload.shape[1]), np.uint8)
    datagrams[:, 0:2], datagrams[:, 2:4] = _big(way.source_port, 2), _big(way.destination_port, 2)
    datagrams[:, 4:6] = _big(8 + whole, 2)
    datagrams[:, 8:] = payload
    packets, _ = _ip(way, UDP, datagrams)
    packets[:, 2:4] = _big(28 + whole, 2)
    return packets, 28 + whole


def _gtpu(
    packets: NDArray[np.uint8], wire_bytes: int, tunnels: Numbers
) -> tuple[NDArray[np.uint8], int]:
    """Wrap packets in a tunnel each (3GPP TS 29.281 section 5.1)."""
    header = np.zeros((len(packets), 8), np.uint8)
    header[:, 0], header[:, 1] = 0x30, 255
    header[:, 2:4], header[:, 4:8] = _big(wire_bytes, 2), _big(tunnels, 4)
    port = _alike(GTPU, tunnels)
    way = Way(_alike(CORE, tunnels), _alike(CORE + 1, tunnels), port, port)
    return _udp(way, np.hstack([header, packets]), 8 + wire_bytes)


def _spelt(wire: Wire, text: bytes, word: bytes, count: int) -> NDArray[np.uint8]:
    """Return copies of a text in which random letters are written over a word's places."""
    rows = np.tile(np.frombuffer(text, np.uint8), (count, 1))
    start = text.index(word)
    stop = start + len(word) * text.count(word)
    rows[:, start:stop] = wire.random.integers(97, 123, (count, stop - start), np.uint8)
    return rows


def _client_hello() -> bytes:
    """Return a ClientHello that names a server with 60 letters (RFC 8446, RFC 6066)."""
    name = b"NAME" * 15
    listed = struct.pack("!HBH", len(name) + 3, 0, len(name)) + name
    extensions = struct.pack("!HH", 0, len(listed)) + listed
    body = b"\x03\x03" + bytes(32) + b"\0" + b"\0\x02\x13\x01" + b"\x01\0"
    body += struct.pack("!H", len(extensions)) + extensions
    message = b"\x01" + struct.pack("!I", len(body))[1:] + body
    return b"\x16\x03\x01" + struct.pack("!H", len(message)) + message


def _request() -> bytes:
    return b"GET /" + b"NAME" * 50 + b" HTTP/1.1\r\nHost: www.example.org\r\n\r\n"


def _question(number: int) -> bytes:
    """Return a query for a name of 40 letters (RFC 1035 section 4.1)."""
    name = bytes([40]) + b"NAME" * 10 + b"\x07example\0"
    return struct.pack("!HHHHHH", number, 0x0100, 1, 0, 0, 0) + name + b"\0\x01\0\x01"


def main() -> int:
    """Write the capture of a load and a size to standard output."""
    load, size = sys.argv[1:]
    for block in capture(load, int(size)):
        sys.stdout.buffer.write(block)
    return 0


if __name__ == "__main__":
    sys.exit(main())
