"""Damages captures: cuts them, keeps one direction, drops packets, or removes payload."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from airmile.testbed.hosts.namespaces import PHONE
from tests.recorded.packets import FILE_HEADER_BYTES, RECORD_HEADER_BYTES, records, snapped
from tests.recorded.spans import Span

_CUT = 1 / 3
"""The share of a capture's time that is cut off."""


@dataclass(frozen=True)
class Record:
    """One record of a capture: its bytes, its time, and whether it left the phone."""

    data: bytes
    time_ns: int
    up: bool


Keeps = Callable[[Record, Span, random.Random], bool]

WAYS: Mapping[str, Keeps] = {
    "cut at the beginning": lambda each, span, _: each.time_ns >= _at(span, _CUT),
    "cut at the end": lambda each, span, _: each.time_ns <= _at(span, 1 - _CUT),
    "cut at both ends": lambda each, span, _: (
        _at(span, _CUT) <= each.time_ns <= _at(span, 1 - _CUT)
    ),
    "uplink only": lambda each, _, __: each.up,
    "downlink only": lambda each, _, __: not each.up,
    "thinned by 1 %": lambda _, __, chance: chance.random() >= 0.01,
    "thinned by 10 %": lambda _, __, chance: chance.random() >= 0.1,
    "thinned by 50 %": lambda _, __, chance: chance.random() >= 0.5,
    "96 bytes": lambda _, __, ___: True,
    "64 bytes": lambda _, __, ___: True,
}
"""The packets that each kind keeps; the last ones keep all, but only their first bytes."""

WHOLE: Mapping[str, int] = {"96 bytes": 96, "64 bytes": 64}
"""Kinds in which no packet is missing, so that recall can be scored too: the bytes kept of each.

The first is the testbed's, which holds all headers. The second cuts options: IPv4 and TCP headers
with timestamps take 52 bytes, and three blocks of a SACK 28 more (RFC 2018 section 3).
"""


def damaged(data: bytes, way: str, seed: str) -> tuple[bytes, Span]:
    """Give a damaged capture, and the span of its remaining packets."""
    every = list(_read(data))
    span = every[0].time_ns, every[-1].time_ns
    chance = random.Random(f"{seed}-{way}")
    kept = [each for each in every if WAYS[way](each, span, chance)]
    if way in WHOLE:
        kept = [Record(snapped(each.data, WHOLE[way]), each.time_ns, each.up) for each in kept]
    times = [each.time_ns for each in kept] or [span[0]]
    written = data[:FILE_HEADER_BYTES] + b"".join(each.data for each in kept)
    return written, (times[0], times[-1])


def _at(span: Span, share: float) -> int:
    return span[0] + int((span[1] - span[0]) * share)


def _read(data: bytes) -> Iterator[Record]:
    phone = bytes(map(int, PHONE.split(".")))
    for at, end in records(data):
        seconds, micros = struct.unpack_from("<II", data, at)
        source = at + RECORD_HEADER_BYTES + 12
        time_ns = seconds * 10**9 + micros * 1000
        yield Record(data[at:end], time_ns, data[source : source + 4] == phone)
