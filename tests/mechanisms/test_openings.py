"""Lost SYNs, by packets: each script is a capture of one connection (methods T10)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.mechanisms import packets
from tests.mechanisms.packets import PHONE_6, SERVER_6, Connection

LOOP_MS = 40


def opened(
    syns: tuple[float, ...], answers: tuple[tuple[float, int], ...], **facts: Any
) -> Connection:
    """Give a connection by the times of its SYNs, and of its SYN-ACKs with the SYN each echoes."""
    connection = Connection([], **facts)
    for at in syns:
        connection.up(at, "S", seq=999)
    for at, number in answers:
        connection.down(at, "S.", seq=4999, echo=10_000 + int(syns[number]))
    if answers:
        last = answers[-1][0]
        connection.up(last + 1)
        connection.close(connection.exchange(last + 2) + 300)
    return connection


ONE_STEP = (0.0, 1000.0)
DOUBLED = (0.0, 1000.0, 3000.0, 7000.0)
LINEAR = (0.0, 1000.0, 2000.0, 3000.0, 4000.0, 5000.0, 7000.0)


@pytest.mark.parametrize(
    ("syns", "facts", "words"),
    [
        pytest.param(ONE_STEP, {}, "1.0 s after it", id="one SYN was lost"),
        pytest.param(DOUBLED[:3], {}, "3.0 s after it", id="two were lost, with doubled steps"),
        pytest.param(DOUBLED, {}, "7.0 s after it", id="three were lost, with doubled steps"),
        pytest.param(LINEAR[:3], {}, "2.0 s after it", id="two were lost, a second apart"),
        pytest.param(LINEAR, {}, "7.0 s after it", id="six were lost: steps of 1 s, then of 2 s"),
        pytest.param((0.0, 3000.0, 9000.0), {}, "9.0 s after it", id="steps of 3 s and 6 s"),
        pytest.param((0.0, 250.0), {}, "250 ms after it", id="a timer of a quarter of a second"),
        pytest.param(
            ONE_STEP, {"phone": PHONE_6, "server": SERVER_6}, "1.0 s after it", id="over IPv6"
        ),
    ],
)
def test_the_answer_to_a_later_syn_shows_that_the_first_was_lost(
    syns: tuple[float, ...], facts: dict[str, Any], words: str, tmp_path: Path
) -> None:
    answer = (syns[-1] + LOOP_MS, len(syns) - 1)
    made = opened(syns, (answer,), **facts).packets
    [finding] = packets.found(tmp_path, made, "lost_syn")
    assert finding.evidence.replace("\u00a0", " ").endswith(words)
    assert finding.evidence.startswith(f"{len(syns)}\u00a0SYNs were sent")
    assert finding.certainty == "likely"


@pytest.mark.parametrize(
    "connection",
    [
        pytest.param(
            opened(ONE_STEP, ((1040, 0),)), id="a lost SYN-ACK: the copy echoes the first SYN"
        ),
        pytest.param(
            opened(ONE_STEP, ((40, 0), (1040, 0))), id="a SYN-ACK that was lost behind this point"
        ),
        pytest.param(
            opened(ONE_STEP, ((40, 0), (1040, 1))), id="SYN cookies: each SYN has its answer"
        ),
        pytest.param(
            opened(ONE_STEP, ((1200, 0),)), id="a SYN that a radio delays while it wakes up"
        ),
        pytest.param(
            opened(ONE_STEP, ((1040, 1),), stamps=False), id="no timestamps: lost, or late"
        ),
        pytest.param(opened(DOUBLED, ()), id="SYNs that nobody answers"),
        pytest.param(opened((0.0,), ((900, 0),)), id="one SYN, and a slow answer"),
        pytest.param(opened((0.0, 2.0), ((40, 0),)), id="a SYN that was recorded twice"),
    ],
)
def test_what_looks_like_a_lost_syn_is_none(connection: Connection, tmp_path: Path) -> None:
    assert not packets.found(tmp_path, connection.packets, "lost_syn")


def test_syns_that_were_refused_are_not_lost(tmp_path: Path) -> None:
    connection = opened(ONE_STEP, ())
    for at in ONE_STEP:
        connection.down(at + LOOP_MS, "R.", seq=0, ack=1000)
    assert not packets.found(tmp_path, connection.packets, "lost_syn")
