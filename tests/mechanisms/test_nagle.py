"""Nagle's algorithm and its twins, by packets (methods T10)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.mechanisms import packets
from tests.mechanisms.packets import MSS, Connection

LOOP_MS = 40
PERIOD_MS = 700


def requests(
    times: int, ack_ms: float, rest_ms: float, first: int = 300, rest: int = 120
) -> Connection:
    """Give requests of two writes: when the ACK of the first comes, and the rest after it."""
    connection = Connection([])
    connection.open(0)
    for number in range(times):
        at = 200 + number * PERIOD_MS
        connection.up(at, "P.", first)
        acked = connection.sent["up"]
        connection.down(at + ack_ms, ack=acked)
        connection.up(at + ack_ms + rest_ms, "P.", rest)
        answered = at + ack_ms + rest_ms + LOOP_MS
        connection.down(answered, "P.", 1200)
        connection.up(answered + 2)
    connection.close(200 + times * PERIOD_MS)
    return connection


def unacked(times: int, gap_ms: float) -> Connection:
    """Give requests of two writes, of which the second does not wait for an ACK (TCP_NODELAY)."""
    connection = Connection([])
    connection.open(0)
    for number in range(times):
        at = 200 + number * PERIOD_MS
        connection.up(at, "P.", 300)
        connection.up(at + gap_ms, "P.", 120)
        connection.down(at + gap_ms + LOOP_MS, "P.", 1200)
        connection.up(at + gap_ms + LOOP_MS + 2)
    connection.close(200 + times * PERIOD_MS)
    return connection


def answers(times: int, delay_ms: float, rest: int = 200, first: int = 900) -> Connection:
    """Give answers of two segments, of which the second leaves with the phone's late ACK."""
    connection = Connection([])
    connection.open(0)
    for number in range(times):
        at = 200 + number * PERIOD_MS
        connection.up(at, "P.", 200)
        connection.down(at + LOOP_MS, "P.", first)
        connection.up(at + LOOP_MS + delay_ms)
        connection.down(at + 2 * LOOP_MS + delay_ms, "P.", rest)
        connection.up(at + 2 * LOOP_MS + delay_ms + 2)
    connection.close(200 + times * PERIOD_MS)
    return connection


Made = Callable[[], Connection]


@pytest.mark.parametrize(
    ("made", "holder"),
    [
        pytest.param(lambda: requests(5, 200, 1), "the phone", id="an ACK that was delayed"),
        pytest.param(lambda: requests(3, 200, 1), "the phone", id="three times"),
        pytest.param(lambda: requests(8, 100, 0.5), "the phone", id="a far server: each loop"),
        pytest.param(lambda: requests(5, 40, 0.5), "the phone", id="a near server: each loop"),
        pytest.param(lambda: requests(5, 200, 1, first=700, rest=1), "the phone", id="one byte"),
        pytest.param(lambda: answers(5, 200), "the server", id="an answer and a delayed ACK"),
        pytest.param(lambda: answers(5, 140, first=500), "the server", id="an ACK after 140 ms"),
    ],
)
def test_a_short_segment_that_leaves_with_the_ack_was_held(
    made: Made, holder: str, tmp_path: Path
) -> None:
    [finding] = packets.found(tmp_path, made().packets, "nagle_and_delayed_ack")
    assert f"{holder} held" in finding.evidence


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(lambda: requests(5, 40, 150), id="an application that writes late"),
        pytest.param(lambda: requests(2, 200, 1), id="twice, by chance"),
        pytest.param(lambda: requests(1, 450, 1), id="one long wait"),
        pytest.param(lambda: unacked(5, 60), id="the rest does not wait for the ACK"),
        pytest.param(lambda: unacked(5, 1), id="both writes at once"),
        pytest.param(lambda: requests(5, 200, 1, rest=MSS - 12), id="a full segment is never held"),
        pytest.param(lambda: answers(5, 1), id="ACKs come at once"),
    ],
)
def test_what_looks_like_a_held_segment_is_none(made: Made, tmp_path: Path) -> None:
    assert not packets.found(tmp_path, made().packets, "nagle_and_delayed_ack")


def test_an_ack_that_is_delayed_alone_holds_nothing(tmp_path: Path) -> None:
    connection = Connection([])
    connection.open(0)
    for number in range(5):
        at = 200 + number * PERIOD_MS
        connection.up(at, "P.", 300)
        connection.down(at + 200)
        connection.down(at + 400, "P.", 1200)
        connection.up(at + 402)
    connection.close(5000)
    assert not packets.found(tmp_path, connection.packets, "nagle_and_delayed_ack")


def test_records_of_tls_that_follow_each_other_at_once_are_not_held(tmp_path: Path) -> None:
    connection = Connection([], server_port=443)
    connection.open(0)
    for number in range(5):
        at = 200 + number * PERIOD_MS
        connection.up(at, "P.", data=b"\x17\x03\x03\x01\x00" + bytes(256))
        connection.up(at + 0.2, "P.", data=b"\x17\x03\x03\x00\x40" + bytes(64))
        connection.down(at + LOOP_MS, "P.", 1200)
        connection.up(at + LOOP_MS + 2)
    connection.close(5000)
    assert not packets.found(tmp_path, connection.packets, "nagle_and_delayed_ack")
