"""Captures whose clocks stand centuries apart: a sentence or left out, never a wrapped number."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import airmile as am
from airmile._instants import CENTURY_NS, apart
from airmile.answers.pair import found, validation

S = 10**9
YEAR_1684, YEAR_2023, YEAR_2261 = -9_000_000_000, 1_700_000_000, 9_200_000_000
ENDS = [-(2**63), -(2**62), -1, 0, 1, 2**62, 2**63 - 1]


def block(kind: int, body: bytes) -> bytes:
    body += b"\0" * (-len(body) % 4)
    length = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + length + body + length


def packet(up: bool, sequence: int, ack: int, flags: int, size: int = 0) -> bytes:
    ends = [(bytes([10, 0, 0, 1]), 40_000), (bytes([203, 0, 113, 9]), 443)]
    (source, port), (target, other) = ends if up else ends[::-1]
    tcp = struct.pack(">HHIIBBHHH", port, other, sequence, ack, 0x50, flags, 65_535, 0, 0)
    head = (0x45, 0, 40 + size, sequence & 0xFFFF, 0x4000, 64, 6, 0, source, target)
    return struct.pack(">BBHHHBBH4s4s", *head) + tcp + bytes(size)


def download() -> Iterable[tuple[int, bool, bytes]]:
    """Give the time in ns at the phone, the direction and the bytes of each packet."""
    yield 0, True, packet(True, 100, 0, 2)
    yield 50_000_000, False, packet(False, 500, 101, 0x12)
    yield 60_000_000, True, packet(True, 101, 501, 0x18, 200)
    for number in range(100):
        at = 120_000_000 + number * 1_000_000
        yield at, False, packet(False, 501 + number * 1000, 301, 0x10, 1000)
        yield at + 200_000, True, packet(True, 301, 1501 + number * 1000, 0x10)


def capture(path: Path, begin_s: int, delay_ns: int) -> Path:
    """Write a pcapng with nanoseconds; its clock begins at `begin_s`, an option of the file."""
    resolution = struct.pack("<HHB3x", 9, 1, 9)
    offset = struct.pack("<HHq", 14, 8, begin_s)
    interface = struct.pack("<HHI", 101, 0, 262_144) + resolution + offset + bytes(4)
    path.write_bytes(
        block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
        + block(1, interface)
        + b"".join(
            block(6, struct.pack("<IIIII", 0, 0, S + at + way, len(data), len(data)) + data)
            for at, up, data in download()
            for way in [delay_ns if up else -delay_ns]
        )
    )
    return path


def test_a_difference_that_64_bits_do_not_hold_is_the_nearest_that_they_hold() -> None:
    with np.errstate(all="raise"):
        for earlier in ENDS:
            shown = apart(np.array(ENDS), earlier).tolist()
            exact = [max(-(2**63), min(2**63 - 1, later - earlier)) for later in ENDS]
            assert shown == exact


def test_captures_of_1684_and_2261_give_a_sentence_and_no_offset(tmp_path: Path) -> None:
    first = capture(tmp_path / "first.pcapng", YEAR_1684, 0)
    second = capture(tmp_path / "second.pcapng", YEAR_2261, 5_000_000)
    with pytest.raises(am.InputError, match="more than 100 years apart") as raised:
        am.align(first, second)
    assert "1684-10-19" in raised.value.message and "2261-07-15" in raised.value.message


@pytest.mark.filterwarnings("error")
def test_two_captures_of_one_distant_year_are_compared(tmp_path: Path) -> None:
    first = capture(tmp_path / "first.pcapng", YEAR_1684, 0)
    second = capture(tmp_path / "second.pcapng", YEAR_1684 + 3600, 5_000_000)
    result = am.align(first, second)
    assert result.nearer == "first"
    assert result.offset_ms == pytest.approx(3_600_000, abs=6)


def test_single_pairs_that_are_centuries_away_are_left_out() -> None:
    first = np.array([YEAR_1684, YEAR_2023, YEAR_2023 + 1, YEAR_2023 + 2]) * S
    second = np.array([YEAR_2261, YEAR_2023, YEAR_2261, YEAR_2023 + 2]) * S
    pairs = pa.table({"first_ns": first, "second_ns": second})
    kept = found._of_one_century(["a", "b"], pairs)
    assert kept["first_ns"].to_pylist() == [YEAR_2023 * S, (YEAR_2023 + 2) * S]


@pytest.mark.filterwarnings("error")
def test_a_window_centuries_away_has_no_sample_beside_it() -> None:
    times, values = np.array([YEAR_1684 * S]), np.array([1e6])
    shown = validation._nearest(np.array([YEAR_2261 * S]), times, values, within=CENTURY_NS)
    assert np.isnan(shown).all()
