"""Makes a second capture of the same traffic: other delays, another clock, losses, offloads.

The captures are classic pcap of raw IPv4 and TCP, like the bundled captures.
"""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

UE = bytes([10, 73, 9, 2])
"""The address of the phone in every bundled capture."""


@dataclass(frozen=True)
class Record:
    """A packet: its time, its length, and its bytes as captured."""

    ns: int
    length: int
    data: bytes

    @property
    def up(self) -> bool:
        return self.data[12:16] == UE

    @property
    def header(self) -> int:
        """The length of the IP and TCP headers, in bytes."""
        ip = (self.data[0] & 15) * 4
        return ip + (self.data[ip + 12] >> 4) * 4

    @property
    def payload(self) -> int:
        return int.from_bytes(self.data[2:4], "big") - self.header


def read(path: Path) -> list[Record]:
    """Return the records of a capture."""
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    scale = {b"\xd4\xc3\xb2\xa1": 1000, b"\x4d\x3c\xb2\xa1": 1}[text[:4]]
    found, at = [], 24
    while at < len(text):
        second, part, kept, length = struct.unpack_from("<4I", text, at)
        found.append(Record(second * 10**9 + part * scale, length, text[at + 16 : at + 16 + kept]))
        at += 16 + kept
    return found


def write(path: Path, records: list[Record]) -> Path:
    """Write records in the given order, with times in nanoseconds."""
    body = (
        struct.pack("<4I", r.ns // 10**9, r.ns % 10**9, len(r.data), r.length) + r.data
        for r in records
    )
    head = struct.pack("<I2H3I2H", 0xA1B23C4D, 2, 4, 0, 0, 65535, 101, 0)
    path.write_bytes(head + b"".join(body))
    return path


def farther(
    records: list[Record], up_ns: Callable[[int], int], down_ns: Callable[[int], int]
) -> list[Record]:
    """Return the records as seen farther from the phone, with a delay for each packet."""
    moved = [
        replace(r, ns=r.ns + (up_ns(number) if r.up else -down_ns(number)))
        for number, r in enumerate(records)
    ]
    return sorted(moved, key=lambda r: r.ns)


def clock(records: list[Record], offset_ns: int = 0, drift: float = 0.0) -> list[Record]:
    """Return the records by a clock that differs by `offset_ns` in the middle, and drifts."""
    middle = (records[0].ns + records[-1].ns) // 2
    return [replace(r, ns=r.ns + offset_ns + round((r.ns - middle) * drift)) for r in records]


def joined(records: list[Record], most: int = 20_000) -> list[Record]:
    """Return records with consecutive segments joined, as receive offloads join them."""
    return list(_joined(records, most))


def _joined(records: list[Record], most: int) -> Iterator[Record]:
    held: Record | None = None
    for r in records:
        if held is not None and _follows(held, r, most):
            total = held.header + held.payload + r.payload
            data = held.data[:2] + total.to_bytes(2, "big") + held.data[4:]
            held = Record(held.ns, held.length + r.payload, data)
            continue
        if held is not None:
            yield held
        held = r
    if held is not None:
        yield held


def _follows(one: Record, two: Record, most: int) -> bool:
    sequence, after = (int.from_bytes(r.data[24:28], "big") for r in (one, two))
    same = one.data[28:32] == two.data[28:32] and one.data[40:52] == two.data[40:52]
    sizes = two.payload > 0 and one.payload > 0 and one.payload + two.payload <= most
    return not one.up and not two.up and same and sizes and sequence + one.payload == after
