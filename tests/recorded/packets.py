"""The packets of a capture of the testbed: classic pcap, raw IPv4, one server port."""

from __future__ import annotations

import struct
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path

from airmile.testbed.hosts.namespaces import PHONE
from tests.recorded.files import read_bytes

FIN, SYN, RST, ACK = 1, 2, 4, 16

FILE_HEADER_BYTES, RECORD_HEADER_BYTES = 24, 16


@dataclass(frozen=True)
class Packet:
    """One TCP packet, seen from the phone.

    Attributes
    ----------
    time_ns, place : int
        Its time, and the number of its record in the file.
    up : bool
        Whether it leaves the phone.
    port : int
        The phone's port.
    server_port : int
        The server's port.
    seq, ack, flags, window, payload : int
        The fields of its header; the window is not scaled.
    """

    time_ns: int
    place: int
    up: bool
    port: int
    server_port: int
    seq: int
    ack: int
    flags: int
    window: int
    payload: int


def records(data: bytes) -> Iterator[tuple[int, int]]:
    """Give the offsets at which each record begins and ends."""
    at = FILE_HEADER_BYTES
    while at + RECORD_HEADER_BYTES <= len(data):
        size = struct.unpack_from("<I", data, at + 8)[0]
        yield at, at + RECORD_HEADER_BYTES + size
        at += RECORD_HEADER_BYTES + size


def packets(path: Path, phone: str = PHONE) -> Iterator[Packet]:
    """Read the TCP packets of a capture."""
    return packets_of(read_bytes(path), phone)


def packets_of(data: bytes, phone: str = PHONE) -> Iterator[Packet]:
    """Read the TCP packets of what is in a capture."""
    address = bytes(map(int, phone.split(".")))
    for place, (at, _) in enumerate(records(data)):
        ip = at + RECORD_HEADER_BYTES
        if data[ip] >> 4 != 4 or data[ip + 9] != 6:
            continue
        seconds, micros = struct.unpack_from("<II", data, at)
        total = struct.unpack_from(">H", data, ip + 2)[0]
        tcp = ip + (data[ip] & 15) * 4
        source, target, seq, ack, offset, flags, window = struct.unpack_from(">HHIIBBH", data, tcp)
        up = data[ip + 12 : ip + 16] == address
        ports = (source, target) if up else (target, source)
        payload = total - (data[ip] & 15) * 4 - (offset >> 4) * 4
        time_ns = seconds * 10**9 + micros * 1000
        yield Packet(time_ns, place, up, *ports, seq, ack, flags, window, payload)


def snapped(record: bytes, most: int) -> bytes:
    """Cut the captured bytes of a packet; the record keeps its true length."""
    held = struct.unpack_from("<I", record, 8)[0]
    size = min(held, most)
    return record[:8] + struct.pack("<I", size) + record[12 : RECORD_HEADER_BYTES + size]


def part(capture: Path, ports: Container[int], snap_bytes: int) -> bytes:
    """Give a capture of the connections of some of the phone's ports, with cut packets."""
    data = read_bytes(capture)
    wanted = {each.place for each in packets(capture) if each.port in ports}
    kept = (
        snapped(data[at:end], snap_bytes)
        for place, (at, end) in enumerate(records(data))
        if place in wanted
    )
    return data[:FILE_HEADER_BYTES] + b"".join(kept)
