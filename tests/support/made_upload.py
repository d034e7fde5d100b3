"""A simulated upload through a firmware buffer: a capture on the phone, and the truth.

The application on the phone gives segments to the modem at a steady rate. Every millisecond a grant
takes whole bytes from the modem's queue. The ACK of a segment arrives a fixed time after its last
byte was taken. So RTT_B is known, and RTT_F is RTT_B plus the delay in the firmware.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

import airmile
from airmile.dataset import Dataset
from airmile.store import _manifest
from tests.support.made import COLUMNS
from tests.support.taps import UE, Record, write

MS = 1_000_000
START = 1_800_000_000_000 * MS
SERVER = bytes([10, 73, 0, 2])
PAYLOAD, HEADERS = 1400, 52
PORT, UE_PORT = 80, 40000
FIRST = 100 * MS + 137_000
"""When the first segment arrives, in ns: not at the start of a millisecond."""

RTT_B_MS = 50

SYN, ACK, PSH = 2, 16, 8


@dataclass
class Made:
    """The events of the upload; each list is in order of time."""

    records: list[Record] = field(default_factory=list)
    grants: list[tuple[int, int]] = field(default_factory=list)
    queues: list[tuple[int, int]] = field(default_factory=list)
    delays_ms: dict[int, float] = field(default_factory=dict)
    """The delay of each segment in ms, by the offset of its last byte."""


def make(segments: int = 800, gap_us: int = 2000, grant: int = 500) -> Made:
    """Return an upload with a segment each `gap_us` and up to `grant` bytes per millisecond."""
    made = Made(_handshake(), queues=[(START + 99 * MS, 0)])
    # Arrival time, end in the queue's bytes, and last byte of each segment.
    waiting: list[tuple[int, int, int]] = []
    came_bytes = taken = sent = number = 0
    ms = 100
    while number < segments or taken < came_bytes:
        while number < segments and FIRST + number * gap_us * 1000 < (ms + 1) * MS:
            at = START + FIRST + number * gap_us * 1000
            made.records.append(_data(at, sent))
            came_bytes += PAYLOAD + HEADERS
            sent += PAYLOAD
            waiting.append((at, came_bytes, sent))
            number += 1
        ms += 1
        at = START + ms * MS
        took = min(grant, came_bytes - taken)
        taken += took
        made.grants.append((at, took))
        made.queues.append((at, came_bytes - taken))
        while waiting and waiting[0][1] <= taken:
            came, _, last = waiting.pop(0)
            made.delays_ms[last] = (at - came) / MS
            made.records.append(_ack(at + RTT_B_MS * MS, last))
    made.records.sort(key=lambda record: record.ns)
    return made


def dataset(
    path: Path, made: Made, reports: list[dict[str, Any]], repeats: bool = False, **more: Any
) -> Dataset:
    """Analyse the capture, and add the modem's tables."""
    capture = write(path.with_suffix(".pcap"), made.records)
    airmile.analyze(capture, out=path, vantage="ue", ue_net=["10.73.9.0/24"])
    blocks = [
        {"time_ns": at, "user": 0, "direction": "uplink", "tbs_bytes": took + 7, **_PADDED}
        for at, took in made.grants
    ]
    if repeats:
        blocks += [{**block, "retransmission": True} for block in blocks[::10]]
    rows = {"ttis": blocks, "buffer_status": [{"user": 0, **row} for row in reports], **more}
    for name, each in rows.items():
        (path / name).mkdir(exist_ok=True)
        schema = pa.schema(list(COLUMNS[name].items())) if name in COLUMNS else None
        parquet.write_table(
            pa.Table.from_pylist(each, schema=schema), path / name / "part-0.parquet"
        )
    _forget_counts(path, rows)
    return Dataset(path)


def _forget_counts(dataset: Path, tables: Iterable[str]) -> None:
    """Remove the numbers of rows from the manifest, so that they are counted in the files."""
    content = json.loads((dataset / "manifest.json").read_text())
    for table in tables:
        content["rows"].pop(table, None)
    _manifest.write(dataset, content)


_PADDED = {"padding_bytes": 7, "retransmission": False}


def exact(made: Made, every: int = 1) -> list[dict[str, Any]]:
    """Return an exact buffer report for every n-th millisecond."""
    return [{"time_ns": at, "firmware_queue_bytes": queue} for at, queue in made.queues[::every]]


def _handshake() -> list[Record]:
    return [
        _packet(START, UE, SERVER, SYN, 0, 0),
        _packet(START + 50 * MS, SERVER, UE, SYN | ACK, 0, 1),
        _packet(START + 50 * MS + 100_000, UE, SERVER, ACK, 1, 1),
    ]


def _data(at: int, offset: int) -> Record:
    return _packet(at, UE, SERVER, ACK | PSH, 1 + offset, 1, PAYLOAD)


def _ack(at: int, acked: int) -> Record:
    return _packet(at, SERVER, UE, ACK, 1, 1 + acked)


def _packet(
    ns: int, source: bytes, target: bytes, flags: int, sequence: int, ack: int, payload: int = 0
) -> Record:
    """Return a packet with timestamps whose payload was not captured."""
    options = bytes([1, 1, 8, 10]) + struct.pack(">II", ns // MS % 2**31, 1)
    if flags & SYN:
        # MSS, SACK permitted, timestamps, no window scale but 7: 20 bytes as Linux sends them.
        options = bytes([2, 4, 5, 120, 4, 2]) + options[2:4] + options[4:] + bytes([1, 3, 3, 7])
    ports = (UE_PORT, PORT) if source == UE else (PORT, UE_PORT)
    size = 20 + len(options)
    tcp = (
        struct.pack(">HHIIBBHHH", *ports, sequence, ack, (size // 4) << 4, flags, 60000, 0, 0)
        + options
    )
    length = 20 + size + payload
    ip = struct.pack(">BBHHHBBH", 0x45, 0, length, 0, 0, 64, 6, 0) + source + target
    return Record(ns, length, ip + tcp)
