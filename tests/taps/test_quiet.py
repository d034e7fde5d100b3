"""Tests of the quiet exchange that is put before a connection."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recorded.files import read_bytes
from tests.recorded.packets import SYN, Packet, packets_of
from tests.taps.quiet import after_quiet
from tests.taps.selection import KEPT

RUN = KEPT / "taps" / "control-cubic_down-s2"


@pytest.fixture(scope="module", params=["ue", "monitor", "server"])
def pair(request: pytest.FixtureRequest) -> tuple[list[Packet], list[Packet]]:
    """Give the packets of a capture, without and with quiet exchanges."""
    data = read_bytes(Path(RUN / f"{request.param}.pcap.gz"))
    return list(packets_of(data)), list(packets_of(after_quiet(data, "a test")))


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
    assert answer.time_ns - syn.time_ns <= opened[1].time_ns - opened[0].time_ns
    assert last.time_ns > answer.time_ns
