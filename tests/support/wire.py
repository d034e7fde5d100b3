"""Packets and captures that are written byte by byte."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path

NANOSECONDS = 0xA1B23C4D
MICROSECONDS = 0xA1B2C3D4
RAW_IP = 101

PHONE = bytes([10, 0, 0, 5])
SERVER = bytes([203, 0, 113, 9])
RESOLVER = bytes([203, 0, 113, 53])

FIN, SYN, PSH, ACK = 1, 2, 8, 16

Packet = tuple[int, bytes]
"""The time of a packet in ns, and its bytes from the IP header on."""


def ip(source: bytes, destination: bytes, protocol: int, payload: bytes) -> bytes:
    """Return an IPv4 packet."""
    length = 20 + len(payload)
    head = struct.pack(">BBHHHBBH", 0x45, 0, length, 1, 0x4000, 64, protocol, 0)
    return head + source + destination + payload


def udp(source: int, destination: int, payload: bytes) -> bytes:
    """Return a UDP datagram."""
    return struct.pack(">HHHH", source, destination, 8 + len(payload), 0) + payload


def tcp(ports: tuple[int, int], numbers: tuple[int, int], flags: int, data: bytes = b"") -> bytes:
    """Return a TCP segment with these ports, and with these sequence numbers of both sides."""
    return struct.pack(">HHIIBBHHH", *ports, *numbers, 0x50, flags, 65_535, 0, 0) + data


def echo(kind: int, identifier: int, number: int) -> bytes:
    """Return an ICMP echo: kind 8 is a request, and 0 a reply."""
    return struct.pack(">BBHHH", kind, 0, 0, identifier, number) + bytes(16)


def dns(number: int, answers: int) -> bytes:
    """Return a DNS query, or a response with an address."""
    name = b"\x01h\x07example\x00" + struct.pack(">HH", 1, 1)
    head = struct.pack(">HHHHHH", number, 0x8180 if answers else 0x100, 1, answers, 0, 0)
    answer = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + SERVER
    return head + name + answer * answers


def capture(packets: Iterable[Packet], link: int = RAW_IP) -> bytes:
    """Return a capture file with the times of its packets in ns."""
    head = struct.pack("<IHHIIII", NANOSECONDS, 2, 4, 0, 0, 262_144, link)
    return head + b"".join(record(time, packet, len(packet)) for time, packet in packets)


def record(time_ns: int, frame: bytes, wire: int) -> bytes:
    """Return a record of a capture file with times in ns."""
    seconds, fraction = divmod(time_ns, 10**9)
    return struct.pack("<IIII", seconds & 0xFFFFFFFF, fraction, len(frame), wire) + frame


def write(path: Path, packets: Iterable[Packet]) -> Path:
    """Write a capture file, and return its path."""
    path.write_bytes(capture(packets))
    return path


def exchanges(port: int = 4000, count: int = 3, start: int = 1_700_000_000 * 10**9) -> list[Packet]:
    """Return look-ups, pings, and HTTP requests over one connection of a phone."""
    made = _Made(port, start)
    made.open()
    for number in range(1, count + 1):
        made.look_up(number)
        made.ping(number)
        made.request()
    made.close()
    return made.packets


class _Made:
    def __init__(self, port: int, start: int) -> None:
        self.packets: list[Packet] = []
        self.time, self.port = start, port
        self.asked, self.answered = 1000, 5000

    def put(self, packet: bytes, ms: int) -> None:
        self.time += ms * 10**6
        self.packets.append((self.time, packet))

    def up(self, flags: int, data: bytes = b"", ms: int = 1) -> None:
        numbers = (self.asked, self.answered)
        self.put(ip(PHONE, SERVER, 6, tcp((self.port, 80), numbers, flags, data)), ms)
        self.asked += len(data) + (flags & (SYN | FIN) > 0)

    def down(self, flags: int, data: bytes = b"", ms: int = 1) -> None:
        numbers = (self.answered, self.asked)
        self.put(ip(SERVER, PHONE, 6, tcp((80, self.port), numbers, flags, data)), ms)
        self.answered += len(data) + (flags & (SYN | FIN) > 0)

    def open(self) -> None:
        self.up(SYN)
        self.down(SYN | ACK, ms=40)
        self.up(ACK)

    def look_up(self, number: int) -> None:
        ports = (self.port + number, 53)
        self.put(ip(PHONE, RESOLVER, 17, udp(*ports, dns(number, 0))), 5)
        self.put(ip(RESOLVER, PHONE, 17, udp(*ports[::-1], dns(number, 1))), 30)

    def ping(self, number: int) -> None:
        self.put(ip(PHONE, SERVER, 1, echo(8, self.port, number)), 5)
        self.put(ip(SERVER, PHONE, 1, echo(0, self.port, number)), 40)

    def request(self, segments: int = 30) -> None:
        self.up(PSH | ACK, b"GET /a HTTP/1.1\r\nHost: h.example\r\n\r\n")
        length = b"Content-Length: %d\r\n" % (1400 * segments)
        self.down(PSH | ACK, b"HTTP/1.1 200 OK\r\n" + length + b"\r\n", ms=60)
        for number in range(segments):
            self.down(ACK, bytes(1400))
            if number % 2:
                self.up(ACK)
        self.time += 300 * 10**6

    def close(self) -> None:
        self.down(FIN | ACK)
        self.up(FIN | ACK)
        self.down(ACK, ms=40)
