"""Tests of the quiet exchange that is put before a connection."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tests.recorded.files import read_bytes
from tests.recorded.packets import RECORD_HEADER_BYTES, SYN, Packet, packets_of, records
from tests.taps.quiet import after_quiet
from tests.taps.selection import KEPT

RUN = KEPT / "taps" / "control-cubic_down-s2"


@pytest.fixture(scope="module", params=["ue", "monitor", "server"])
def captures(request: pytest.FixtureRequest) -> tuple[bytes, bytes]:
    """Give a capture, without and with quiet exchanges."""
    data = read_bytes(Path(RUN / f"{request.param}.pcap.gz"))
    return data, after_quiet(data, "a test")


@pytest.fixture(scope="module")
def pair(captures: tuple[bytes, bytes]) -> tuple[list[Packet], list[Packet]]:
    """Give the packets of a capture, without and with quiet exchanges."""
    plain, quiet = captures
    return list(packets_of(plain)), list(packets_of(quiet))


def test_all_packets_follow_as_they_were(pair: tuple[list[Packet], list[Packet]]) -> None:
    plain, quiet = pair
    added = len(quiet) - len(plain)
    assert added > 0
    for one, other in zip(plain, quiet[added:], strict=True):
        if not one.flags & SYN:
            assert (one.time_ns, one.seq, one.ack) == (other.time_ns, other.seq, other.ack)


def test_messages_fill_the_numbers_before_the_first_packet(
    pair: tuple[list[Packet], list[Packet]],
) -> None:
    plain, quiet = pair
    for up in (True, False):
        syn = next(each for each in plain if each.up == up and each.flags & SYN)
        added = [each for each in quiet[: len(quiet) - len(plain)] if each.up == up]
        assert added[0].flags & SYN
        numbers = [each.seq for each in added if each.payload]
        assert numbers == [(syn.seq + 1 - 30 * left) % 2**32 for left in range(20, 0, -1)]


def test_the_first_turn_is_the_least_of_the_capture(
    pair: tuple[list[Packet], list[Packet]],
) -> None:
    plain, quiet = pair
    syn, answer, last = quiet[:3]
    assert (syn.up, answer.up, last.up) == (True, False, True)
    opened = [each for each in plain if each.flags & SYN]
    turn = opened[1].time_ns - opened[0].time_ns
    assert turn < 2 * (answer.time_ns - syn.time_ns)
    assert answer.time_ns - syn.time_ns <= turn
    assert last.time_ns > answer.time_ns


def test_the_syns_announce_the_windows_that_they_did(
    pair: tuple[list[Packet], list[Packet]],
) -> None:
    plain, quiet = ([each.window for each in side if each.flags & SYN] for side in pair)
    assert plain == quiet


def test_the_clocks_go_on(
    captures: tuple[bytes, bytes], pair: tuple[list[Packet], list[Packet]]
) -> None:
    bounds = list(records(captures[1]))
    added = len(pair[1]) - len(pair[0])
    for up in (True, False):
        places = [each.place for each in pair[1][:added] if each.up == up]
        stamps = [_timestamp(captures[1][slice(*bounds[place])]) for place in places]
        assert stamps == sorted(stamps)
        assert stamps[0] < stamps[-1]


def _timestamp(record: bytes) -> int:
    """Give the timestamp of a packet (kind 8, 10 bytes) behind its two headers."""
    at = record.index(b"\x08\x0a", RECORD_HEADER_BYTES + 40)
    value: int = struct.unpack_from(">I", record, at + 2)[0]
    return value
