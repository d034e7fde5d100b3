"""What a capture point saw of each connection: when its bytes passed, and the handshakes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from airmile.testbed.hosts.namespaces import PHONE
from tests.everyday.streams import Connection, connections
from tests.recorded.files import read_bytes
from tests.recorded.packets import RECORD_HEADER_BYTES, SYN, Packet, packets_of, records

CHANGE_CIPHER_SPEC = 20
_RECORD_BYTES = 5


@dataclass(frozen=True)
class Tap:
    """A capture: its connections by the phone's port, and the times of SYNs and look-ups."""

    connections: dict[int, Connection]
    syns: dict[int, list[int]]
    lookups: list[tuple[int, int]]


def read(capture: Path) -> Tap:
    """Read a capture."""
    data = read_bytes(capture)
    every = list(packets_of(data, PHONE))
    syns: dict[int, list[int]] = {}
    for each in every:
        if each.flags & SYN and each.up:
            syns.setdefault(each.port, []).append(each.time_ns)
    return Tap(connections(every), syns, list(_lookups(data)))


def _lookups(data: bytes) -> Iterator[tuple[int, int]]:
    """Give the time of each DNS query, and that of its answer."""
    asked: dict[tuple[int, int], int] = {}
    for at, _ in records(data):
        ip = at + RECORD_HEADER_BYTES
        if data[ip] >> 4 != 4 or data[ip + 9] != 17:
            continue
        udp = ip + (data[ip] & 15) * 4
        source, target = (int.from_bytes(data[udp + n : udp + n + 2]) for n in (0, 2))
        time_ns = _time_ns(data, at)
        number = int.from_bytes(data[udp + 8 : udp + 10])
        if target == 53:
            asked.setdefault((source, number), time_ns)
        elif source == 53 and (target, number) in asked:
            yield asked.pop((target, number)), time_ns


def _time_ns(data: bytes, at: int) -> int:
    seconds, micros = (int.from_bytes(data[at + n : at + n + 4], "little") for n in (0, 4))
    return seconds * 10**9 + micros * 1000


def sent_first(capture: Path, port: int, most: int = 8192) -> bytes:
    """Give the first bytes that the phone sent on a connection, as far as none is missing."""
    data = read_bytes(capture)
    found = bytearray()
    initial: int | None = None
    for each, end in _with_ends(data):
        if each.port != port or not each.up:
            continue
        if each.flags & SYN:
            initial = each.seq
        elif initial is not None and each.payload and len(found) < most:
            start = (each.seq - initial - 1) % 2**32
            if start <= len(found):
                found[start:] = data[end - each.payload : end][: most - start]
    return bytes(found)


def _with_ends(data: bytes) -> Iterator[tuple[Packet, int]]:
    places = list(records(data))
    return ((each, places[each.place][1]) for each in packets_of(data, PHONE))


def handshake_bytes(sent: bytes) -> int:
    """Give the bytes of the client's TLS handshake: up to the record after ChangeCipherSpec.

    >>> handshake_bytes(bytes([22, 3, 1, 0, 1, 0, 20, 3, 3, 0, 1, 1, 23, 3, 3, 0, 2, 0, 0, 9]))
    19
    """
    at, changed = 0, False
    while at + _RECORD_BYTES <= len(sent):
        kind, size = sent[at], int.from_bytes(sent[at + 3 : at + 5])
        at += _RECORD_BYTES + size
        if changed:
            return at
        changed = kind == CHANGE_CIPHER_SPEC
    return 0
