"""Makes Qualcomm DIAG logs from the published layouts: frames, packets, 0xB173, MIB and RRC."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass

UNIX_OF_GPS_EPOCH_MS = 315_964_800_000
TICKS_PER_MS = 52_428.8
PDSCH_STAT = 0xB173
RRC_LTE = 0xB0C0
MIB = 0xB0C1
RRC_NR = 0xB821


@dataclass(frozen=True)
class Block:
    """A transport block, with the fields of 0xB173 version 24."""

    ms: int
    """Time in ms since the start of the log, from which frame and subframe follow."""
    prbs: int
    size_bytes: int
    carrier: int = 0
    harq: int = 0
    crc_ok: bool = True
    mcs: int = 20
    order: int = 6
    rnti: int = 0


def crc(data: bytes) -> int:
    """Return the CRC-16/X.25.

    >>> hex(crc(b"123456789"))
    '0x906e'
    """
    value = 0xFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value >> 1) ^ (0x8408 if value & 1 else 0)
    return value ^ 0xFFFF


def frame(packet: bytes) -> bytes:
    """Return a packet as a frame: with its CRC, escaped, and with a flag at the end."""
    whole = packet + struct.pack("<H", crc(packet))
    escaped = whole.replace(b"\x7d", b"\x7d\x5d").replace(b"\x7e", b"\x7d\x5e")
    return escaped + b"\x7e"


def log(code: int, unix_ms: float, payload: bytes, subscription: int | None = None) -> bytes:
    """Return the frame of a log packet; a second subscription gets the wrapper that it needs."""
    ticks = round((unix_ms - UNIX_OF_GPS_EPOCH_MS) * TICKS_PER_MS)
    length = 12 + len(payload)
    packet = struct.pack("<BBHHHQ", 0x10, 0, length, length, code, ticks) + payload
    if subscription is not None:
        packet = struct.pack("<BBHI", 0x98, 1, 0, subscription) + packet
    return frame(packet)


def pdsch(blocks: Iterable[Block], version: int = 24) -> bytes:
    """Return the payload of 0xB173: records of one block each, with room for two blocks."""
    records = [_record(block) for block in blocks]
    return struct.pack("<BBH", version, len(records), 0) + b"".join(records)


def mib(cell: int, earfcn: int, prbs: int) -> bytes:
    """Return the payload of 0xB0C1 version 2: the master information block of a cell."""
    return struct.pack("<BHIHBB", 2, cell, earfcn, 0, 2, prbs)


def rrc_lte(uplink: bool, cell: int, earfcn: int, message: bytes) -> bytes:
    """Return the payload of 0xB0C0 version 15 with a message on a dedicated channel."""
    head = (15, 14, 0x30, 1, cell, earfcn, 0, 9 if uplink else 7, 0, len(message))
    return struct.pack("<BBBBHIHBIH", *head) + message


def rrc_nr(uplink: bool, cell: int, arfcn: int, message: bytes) -> bytes:
    """Return the payload of 0xB821 version 8 with a message on a dedicated channel."""
    head = (8, 15, 0x60, 1, cell, arfcn, 0, 8 if uplink else 4, len(message))
    return struct.pack("<IBBBHIIB4xH", *head) + message


def _record(block: Block) -> bytes:
    subframe, number = block.ms % 10, block.ms // 10 % 1024
    head = struct.pack("<HBBBB", subframe | number << 4, block.prbs, 1, 1, block.carrier)
    # The size counts the CRC of three bytes (TS 36.212 section 5.1.1).
    slot = struct.pack(
        "<BBHBBBB",
        block.harq | int(block.crc_ok) << 7,
        block.rnti,
        block.size_bytes + 3,
        block.mcs,
        block.prbs,
        block.order,
        0,
    )
    return head + slot + bytes(8) + bytes(2)


def stream(blocks: Iterable[Block], begin_unix_ms: int, each: int = 20) -> bytes:
    """Return a log of blocks, with `each` blocks in a packet, logged at the time of the last."""
    held = list(blocks)
    pieces = [held[at : at + each] for at in range(0, len(held), each)]
    return b"".join(log(PDSCH_STAT, begin_unix_ms + piece[-1].ms, pdsch(piece)) for piece in pieces)
