"""The parts of the score of everyday runs: passing bytes, spans, damage, and tallies."""

from __future__ import annotations

import struct

import pytest

from tests.everyday import damage
from tests.everyday.streams import Connection, Passed
from tests.recorded.packets import ACK, SYN, Packet
from tests.recorded.spans import minus, union, within
from tests.recorded.tally import Tally


def packet(time_ns: int, seq: int, payload: int, flags: int = ACK, window: int = 100) -> Packet:
    return Packet(time_ns, 0, True, 1234, 80, seq, 1, flags, window, payload)


def test_bytes_pass_when_they_first_appear() -> None:
    passed = Passed()
    # The initial sequence number is near the end of the space, so that later ones wrap.
    for each in [
        packet(1, 2**32 - 10, 0, SYN),
        packet(2, 2**32 - 9, 100),
        packet(3, (2**32 - 9 + 200) % 2**32, 100),
        packet(4, (2**32 - 9 + 50) % 2**32, 150),
        packet(5, (2**32 - 9 + 200) % 2**32, 100),
    ]:
        passed.add(each)
    assert [passed.first_ns(byte) for byte in (0, 99, 100, 199, 200, 299, 300)] == [
        *(2, 2, 4, 4, 3, 3, None)
    ]
    assert passed.whole_ns(0, 300) == 4 and passed.whole_ns(200, 300) == 3
    assert passed.whole_ns(200, 301) is None
    assert passed.repeated == [(4, 50, 200), (5, 200, 300)]


def test_a_window_is_closed_from_its_zero_to_the_next_ack() -> None:
    connection = Connection(1234, 80)
    for each in [packet(1, 0, 0, SYN), packet(2, 1, 0, window=0), packet(3, 1, 0, window=0)]:
        connection.add(each)
    connection.add(packet(9, 1, 0, window=7))
    assert connection.zero == [(2, 9)]


def test_spans_join_and_are_taken_away() -> None:
    assert union([(5, 7), (1, 3), (3, 4), (6, 9), (2, 2)]) == [(1, 4), (5, 9)]
    assert minus([(0, 10)], [(2, 3), (8, 12)]) == [(0, 2), (3, 8)]
    assert within([(0, 5), (6, 9)], (4, 8)) == [(4, 5), (6, 8)]


def test_recall_and_precision_weigh_time() -> None:
    tally = Tally()
    truth = [((0, 100), "round_trip"), ((100, 400), "sender_app"), ((400, 500), "unknown")]
    said = [((0, 300), "sender_app"), ((350, 500), "undetermined")]
    tally.add(truth, said)
    assert tally.recall("round_trip") == 0
    assert tally.recall("sender_app") == pytest.approx(2 / 3)
    assert tally.precision("sender_app") == pytest.approx(2 / 3)
    # 50 have no slice, and 50 of the 400 known ones are undetermined.
    assert tally.said_ns("idle") == 50
    assert tally.undetermined == pytest.approx(1 / 8)


def test_a_part_of_a_capture_is_not_scored_for_what_it_does_not_claim() -> None:
    tally = Tally(claims_only=True)
    tally.add([((0, 100), "sender_app")], [((40, 60), "sender_app")])
    assert tally.said_ns("idle") == 0 and tally.precision("sender_app") == 1


def test_what_satisfies_a_label_may_be_more_than_one_cause() -> None:
    tally = Tally()
    tally.add(
        [((0, 10), "link_or_window"), ((10, 20), "receive_window")],
        [((0, 5), "lte_downlink"), ((5, 10), "slow_start"), ((10, 20), "receiver_app")],
    )
    assert tally.recall("link_or_window") == tally.recall("receive_window") == 1
    assert tally.precision("link") == tally.precision("window_growth") == 1


def capture(count: int) -> bytes:
    """Make a capture of packets of 120 bytes, every second one from the phone."""
    every = bytes(24)
    for number in range(count):
        address = bytes([10, 73, 9, 2] if number % 2 else [10, 73, 0, 2])
        ip = bytes(12) + address + bytes(104)
        every += struct.pack("<IIII", number, 0, len(ip), len(ip)) + ip
    return every


@pytest.mark.parametrize(
    ("way", "seconds"),
    [
        ("cut at the beginning", list(range(4, 11))),
        ("cut at the end", list(range(7))),
        ("uplink only", [1, 3, 5, 7, 9]),
        ("downlink only", [0, 2, 4, 6, 8, 10]),
    ],
)
def test_a_damaged_capture_holds_its_part(way: str, seconds: list[int]) -> None:
    left, span = damage.damaged(capture(11), way, "x")
    kept = [each.time_ns // 10**9 for each in damage._read(left)]
    assert kept == seconds and span == (seconds[0] * 10**9, seconds[-1] * 10**9)


def test_a_thinned_capture_is_the_same_by_seed() -> None:
    left, _ = damage.damaged(capture(1000), "thinned by 10 %", "x")
    assert 850 < len(list(damage._read(left))) < 950
    assert left == damage.damaged(capture(1000), "thinned by 10 %", "x")[0]


def test_a_snapped_capture_has_headers_alone_and_the_true_lengths() -> None:
    left, _ = damage.damaged(capture(2), "96 bytes", "x")
    assert [struct.unpack_from("<II", each.data, 8) for each in damage._read(left)] == [
        (96, 120)
    ] * 2
