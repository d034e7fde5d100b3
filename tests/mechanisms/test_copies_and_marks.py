"""Packets that were recorded twice, and marks of ECN, by packets (methods T10)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.mechanisms import packets
from tests.mechanisms.packets import MS, PHONE_6, SERVER_6, Connection
from tests.support.wire import Packet

ECT_0, ECT_1, CE = 2, 1, 3


def download(**facts: Any) -> Connection:
    """Give a connection with an answer of 30 segments."""
    connection = Connection([], near_ms=20, **facts)
    connection.close(connection.exchange(connection.open(0), size=42_000) + 100)
    return connection


def copied(every: list[Packet], late_ms: float = 0.05, only: slice = slice(None)) -> list[Packet]:
    """Give packets, and again those of a slice of them a little later."""
    return [*every, *((at + round(late_ms * MS), packet) for at, packet in every[only])]


@pytest.mark.parametrize(
    ("made", "words"),
    [
        pytest.param(copied(download().packets), "37 of 39", id="a mirror of both directions"),
        pytest.param(
            copied(download().packets, only=slice(4, 34)), "30 of 38", id="of one direction"
        ),
        pytest.param(copied(download().packets, late_ms=0.01), "37 of 39", id="10 us later"),
        pytest.param(copied(download().packets, late_ms=0.09), "37 of 39", id="90 us later"),
        pytest.param(
            copied(download().packets, only=slice(4, 34, 2)), "15 of 38", id="every other one"
        ),
        pytest.param(
            copied(download().packets, only=slice(20, 32)), "12 of 38", id="a dozen of them"
        ),
    ],
)
def test_copies_are_found(made: list[Packet], words: str, tmp_path: Path) -> None:
    [finding] = packets.found(tmp_path, made, "recorded_twice")
    assert words in finding.evidence.replace("\u00a0", " ")
    assert finding.certainty == "sure"
    assert finding.direction == "downlink"


def retransmitted() -> list[Packet]:
    """Give a download of which a dozen segments are sent again, each with its own number."""
    connection = download()
    first = 5001 + 10 * 1388
    for number in range(12):
        connection.down(62 + number / 10, "P.", 1388, seq=first + number * 1388)
    return connection.packets


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(download().packets, id="each once"),
        pytest.param(retransmitted(), id="retransmissions"),
        pytest.param(copied(download().packets, only=slice(4, 9)), id="five copies"),
        pytest.param(copied(download().packets, late_ms=30), id="a network that sends twice"),
        pytest.param(copied(download().packets, late_ms=300), id="much later"),
        pytest.param(copied(download().packets, only=slice(0, 3)), id="the handshake alone"),
    ],
)
def test_what_is_sent_twice_is_not_recorded_twice(made: list[Packet], tmp_path: Path) -> None:
    assert not packets.found(tmp_path, made, "recorded_twice")


def marked(
    marks: int, echoes: int, of: int = 30, way: str = "down", code: int = ECT_0, **facts: Any
) -> list[Packet]:
    """Give data packets of which the first ones are marked, and ACKs of which some echo that."""
    connection = Connection([], **facts)
    begin = connection.exchange(connection.open(0))
    back = "up" if way == "down" else "down"
    for number in range(of):
        at = begin + 20 * number
        connection.put(way, at, "P.", 1000, ecn=CE if number < marks else code)
        connection.put(back, at + 5, ".E" if number < echoes else ".")
    return connection.packets


@pytest.mark.parametrize(
    ("made", "certainty", "words"),
    [
        pytest.param(marked(5, 5), "sure", "5 of 30", id="marked before this point"),
        pytest.param(marked(0, 5), "likely", "echoed CE in 5", id="marked behind it"),
        pytest.param(marked(5, 0), "sure", "5 of 30", id="a receiver that does not echo"),
        pytest.param(marked(1, 4), "sure", "1 of 30", id="one mark, echoed until CWR"),
        pytest.param(marked(4, 4, way="up"), "sure", "4 of 30", id="an upload"),
        pytest.param(marked(0, 9, way="up"), "likely", "echoed CE in 9", id="behind this point"),
        pytest.param(marked(20, 20, code=ECT_1), "sure", "20 of 30", id="L4S"),
        pytest.param(
            marked(3, 3, phone=PHONE_6, server=SERVER_6), "sure", "3 of 30", id="over IPv6"
        ),
    ],
)
def test_marks_show_a_queue(made: list[Packet], certainty: str, words: str, tmp_path: Path) -> None:
    [finding] = packets.found(tmp_path, made, "congestion_marks")
    assert finding.certainty == certainty
    assert words in finding.evidence.replace("\u00a0", " ")


def negotiated() -> list[Packet]:
    """Give a connection whose SYNs agree on ECN, and that sends no packet that may be marked."""
    connection = Connection([])
    connection.up(0, "SEW")
    connection.down(40, "S.E", echo=10_000)
    connection.up(41)
    connection.close(connection.exchange(42) + 100)
    return connection.packets


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(marked(0, 0), id="none is marked"),
        pytest.param(negotiated(), id="the SYNs alone"),
        pytest.param(marked(30, 0), id="a router that overwrites the field of each packet"),
        pytest.param(marked(0, 5, code=0), id="no packet may be marked: the bit is set by mistake"),
        pytest.param(marked(2, 2), id="two marks"),
        pytest.param(marked(29, 29), id="29 of 30 are marked"),
        pytest.param(marked(0, 0, code=ECT_1), id="L4S without a queue"),
    ],
)
def test_what_looks_like_marks_shows_none(made: list[Packet], tmp_path: Path) -> None:
    assert not packets.found(tmp_path, made, "congestion_marks")
