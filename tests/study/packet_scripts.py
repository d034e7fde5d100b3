"""Random packets of several phones and flows, as a capture and as plain facts for naive models.

Hard on purpose: retransmissions, segments out of order, gaps of exactly a second and a nanosecond
around it, silences that end a session but no flow, clocks that step back, IPv4 and IPv6 of one
phone in one tunnel, and flows whose start was not captured.
"""

from __future__ import annotations

import heapq
import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.taps import Record, write

MS = 1_000_000
SECOND = 1000 * MS
START = 1_800_000_000 * SECOND
SESSION_GAP_S = 20

SYN, PSH, ACK = 2, 8, 16
SERVER = bytes([203, 0, 113, 9]), bytes.fromhex("20010db8ffff00000000000000000009")
PHONES = [
    (bytes([10, 0, 0, 1]),),
    (bytes([10, 0, 0, 2]),),
    (bytes([10, 0, 0, 3]), bytes.fromhex("20010db8000300000000000000000003")),
]
"""The addresses of each phone; the last has both families in one GTP-U tunnel."""


@dataclass(frozen=True)
class Packet:
    """A packet of a flow, whose port on the phone names it; offsets count from the SYN."""

    ns: int
    flow: int
    phone: int
    up: bool
    flags: int
    start: int
    payload: int
    ack: int


@dataclass
class _Flow:
    number: int
    phone: int
    address: bytes
    opened: bool
    next: dict[bool, int] = field(default_factory=lambda: {True: 1, False: 1})
    sent: list[tuple[bool, int, int]] = field(default_factory=list)
    missing: tuple[int, int] | None = None


def script(seed: int) -> tuple[list[Packet], list[bytes]]:
    """Return the packets in the order of the capture, and the phone's address in each."""
    draw = random.Random(seed)
    flows = []
    for number in range(draw.randrange(3, 9)):
        phone = draw.randrange(len(PHONES))
        address = draw.choice(PHONES[phone])
        flows.append(_Flow(40_000 + number, phone, address, draw.random() < 0.8))
    streams = [list(_packets(draw, flow)) for flow in flows]
    merged = list(heapq.merge(*streams, key=lambda packet: packet.ns))
    addresses = {flow.number: flow.address for flow in flows}
    return _stepped(draw, merged), [addresses[packet.flow] for packet in merged]


def _packets(draw: random.Random, flow: _Flow) -> Iterator[Packet]:
    at = START + draw.randrange(5 * SECOND)
    if flow.opened:
        yield Packet(at, flow.number, flow.phone, True, SYN, 0, 0, 0)
        yield Packet(at + 30 * MS, flow.number, flow.phone, False, SYN | ACK, 0, 0, 1)
        at += 50 * MS
    up = True
    for _ in range(draw.randrange(5, 60)):
        at += _gap(draw)
        up = up if draw.random() < 0.6 else not up
        yield _packet(draw, flow, at, up)


def _gap(draw: random.Random) -> int:
    kind = draw.random()
    if kind < 0.80:
        return draw.choice((MS, 7 * MS, 40 * MS, 250 * MS))
    if kind < 0.97:
        return SECOND + draw.choice((-1, 0, 0, 0, 1, 300 * MS, 2 * SECOND))
    return draw.choice((SESSION_GAP_S - 1, SESSION_GAP_S + 1, 2 * SESSION_GAP_S)) * SECOND


def _packet(draw: random.Random, flow: _Flow, at: int, up: bool) -> Packet:
    """Send new data, a retransmission, data with a hole before it, what is missing, or an ACK."""
    kind, start, size = draw.random(), flow.next[up], 0
    old = [(first, length) for way, first, length in flow.sent if way == up]
    if kind < 0.55:
        size = draw.randrange(1, 1400)
        if not up and flow.missing is None and draw.random() < 0.1:
            flow.missing = start, draw.randrange(1, 1400)
            start += flow.missing[1]
        flow.next[up] = start + size
        flow.sent.append((up, start, size))
    elif kind < 0.65 and old:
        start, size = draw.choice(old)
    elif kind < 0.75 and not up and flow.missing:
        (start, size), flow.missing = flow.missing, None
    ack = flow.next[not up]
    if up and flow.missing:
        ack = min(ack, flow.missing[0])
    return Packet(at, flow.number, flow.phone, up, ACK | (PSH if size else 0), start, size, ack)


def _stepped(draw: random.Random, packets: list[Packet]) -> list[Packet]:
    """Let the clock step back up to 3 s in some scripts, once or twice."""
    steps = draw.choice((0, 0, 1, 2))
    places = {draw.randrange(1, len(packets)): draw.randrange(3 * SECOND) for _ in range(steps)}
    behind, stepped = 0, []
    for number, packet in enumerate(packets):
        behind += places.get(number, 0)
        stepped.append(Packet(packet.ns - behind, *_rest(packet)))
    return stepped


def _rest(p: Packet) -> tuple[int, int, bool, int, int, int, int]:
    return p.flow, p.phone, p.up, p.flags, p.start, p.payload, p.ack


def capture(path: Path, packets: list[Packet], addresses: list[bytes]) -> Path:
    """Write a script as a capture whose payload was not captured."""
    return write(path, [_record(*each) for each in zip(packets, addresses, strict=True)])


def _record(packet: Packet, own: bytes) -> Record:
    server = SERVER[len(own) == 16]
    ports = (packet.flow, 443) if packet.up else (443, packet.flow)
    numbers = packet.start % 2**32, packet.ack % 2**32
    tcp = struct.pack(">HHIIBBHHH", *ports, *numbers, 5 << 4, packet.flags, 60000, 0, 0)
    hosts = own + server if packet.up else server + own
    inner = _ip(hosts, 6, tcp, packet.payload)
    if len(PHONES[packet.phone]) == 1:
        return Record(packet.ns, len(inner) + packet.payload, inner)
    teid = 7 if packet.up else 8
    gtp = struct.pack(">BBHI", 0x30, 255, len(inner) + packet.payload, teid) + inner
    length = 8 + len(gtp) + packet.payload
    udp = struct.pack(">HHHH", 2152, 2152, length, 0) + gtp
    core = bytes([192, 0, 2, 1]) + bytes([192, 0, 2, 2])
    whole = _ip(core if packet.up else core[4:] + core[:4], 17, udp, packet.payload)
    return Record(packet.ns, len(whole) + packet.payload, whole)


def _ip(hosts: bytes, protocol: int, content: bytes, more: int) -> bytes:
    length = len(content) + more
    if len(hosts) == 32:
        return struct.pack(">IHBB", 6 << 28, length, protocol, 64) + hosts + content
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + length, 0, 0, 64, protocol, 0)
    return head + hosts + content
