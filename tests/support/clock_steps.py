"""Captures whose clock is set while they are recorded."""

from __future__ import annotations

import gzip
import random
import struct
from pathlib import Path

from tests.support import wire

SECOND, HOUR = 10**9, 3600 * 10**9
STEPS = (SECOND, -SECOND, HOUR, -HOUR, -50_000_000, -1_000_000, 50_000_000, -400 * 24 * HOUR)
"""How far the clock is set, in ns; in some steps it is set to 1970 instead."""

EARLY = 200
"""One half of the steps is among so many first packets, where handshakes and requests are."""

Record = tuple[int, bytes, int]
"""The time in ns, the bytes, and the length on the wire of a frame."""


def read(path: Path) -> tuple[int, list[Record]] | None:
    """Return the link type and the records of a classic capture; None for another format."""
    data = path.read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    if len(data) < 24:
        return None
    magic, link = struct.unpack("<I16xI", data[:24])
    unit = {wire.MICROSECONDS: 1000, wire.NANOSECONDS: 1}.get(magic)
    return None if unit is None else (link, _records(data, unit))


def _records(data: bytes, unit: int) -> list[Record]:
    at, records = 24, []
    while at + 16 <= len(data):
        seconds, fraction, captured, on_wire = struct.unpack("<IIII", data[at : at + 16])
        frame = data[at + 16 : at + 16 + captured]
        if len(frame) < captured:
            break
        records.append((seconds * SECOND + fraction * unit, frame, on_wire))
        at += 16 + captured
    return records


def stepped(records: list[Record], seed: str) -> list[Record]:
    """Return the records with a clock that is set one to eight times; the seed decides when."""
    chance = random.Random(seed)
    last = chance.choice((min(EARLY, len(records)), len(records)))
    places = {chance.randrange(1, max(2, last)) for _ in range(chance.choice((1, 1, 2, 3, 8)))}
    offset, result = 0, []
    for number, (time, frame, on_wire) in enumerate(records):
        if number in places:
            step = chance.choice((None, *STEPS))
            offset = -time if step is None else offset + step
        result.append((max(0, time + offset), frame, on_wire))
    return result


def write(path: Path, link: int, records: list[Record]) -> Path:
    """Write records as a capture, and return its path."""
    body = b"".join(wire.record(time, frame, on_wire) for time, frame, on_wire in records)
    path.write_bytes(wire.capture((), link) + body)
    return path
