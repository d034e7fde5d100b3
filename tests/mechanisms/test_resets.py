"""Resets that something on the way sends, and their twins, by packets (methods T10)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.mechanisms import packets
from tests.mechanisms.packets import PHONE_6, SERVER_6, Connection

RESET_MS = 1000
LATER_MS = 15_000
"""Later than the 10 s after which packets no longer belong to a connection that was reset."""


def reset(way: str = "down", **facts: Any) -> Connection:
    """Give a connection with an exchange, and a reset that bears the address of a side."""
    connection = Connection([], **facts)
    connection.exchange(connection.open(0))
    connection.put(way, RESET_MS, "R.")
    return connection


def goes_on(connection: Connection, way: str = "down", size: int = 500) -> None:
    """Let a side go on with a connection that was reset."""
    back = "up" if way == "down" else "down"
    connection.put(way, LATER_MS, "P." if size else ".", size)
    connection.put(back, LATER_MS + 40)
    connection.put(way, LATER_MS + 400, "P." if size else ".", size)


@pytest.mark.parametrize(
    ("way", "size", "facts", "certainty"),
    [
        pytest.param("down", 500, {}, "likely", id="the server sends on"),
        pytest.param("up", 500, {}, "likely", id="the phone sends on"),
        pytest.param("down", 0, {}, "open", id="the server acknowledges on"),
        pytest.param("up", 0, {}, "open", id="the phone acknowledges on"),
        pytest.param("down", 1, {}, "likely", id="a byte"),
        pytest.param(
            "down", 500, {"phone": PHONE_6, "server": SERVER_6}, "likely", id="the same over IPv6"
        ),
    ],
)
def test_a_side_that_goes_on_has_not_reset(
    way: str, size: int, facts: dict[str, bytes], certainty: str, tmp_path: Path
) -> None:
    connection = reset(way, **facts)
    goes_on(connection, way, size)
    [finding] = packets.found(tmp_path, connection.packets, "reset_by_middlebox")
    assert finding.certainty == certainty
    side = "server" if way == "down" else "phone"
    assert f"came from the {side}'s address" in finding.evidence
    assert f"capture at the {side}" in finding.advice


def aborts() -> Connection:
    return reset()


def answers_with_resets() -> Connection:
    connection = reset()
    for number in range(3):
        connection.up(LATER_MS + 1000 * number, "P.", 300, seq=1301)
        connection.down(LATER_MS + 1000 * number + 40, "R", seq=connection.sent["down"])
    return connection


def is_opened_anew() -> Connection:
    connection = reset()
    connection.sent = {"up": 900_000, "down": 700_000}
    connection.close(connection.exchange(connection.open(LATER_MS)))
    return connection


def is_opened_anew_and_goes_on() -> Connection:
    connection = is_opened_anew()
    connection.down(LATER_MS + 20_000, "P.", 500)
    return connection


def is_reset_by_both() -> Connection:
    connection = reset()
    connection.up(RESET_MS + 5, "R.")
    goes_on(connection)
    return connection


def was_closed_before() -> Connection:
    connection = Connection([])
    connection.close(connection.exchange(connection.open(0)))
    connection.down(RESET_MS, "R.")
    goes_on(connection)
    return connection


def hears_the_other_side() -> Connection:
    connection = reset()
    connection.up(LATER_MS, "P.", 300)
    connection.up(LATER_MS + 1000, "P.", 300, seq=connection.sent["up"] - 300)
    return connection


def goes_on_much_later() -> Connection:
    connection = reset()
    connection.down(LATER_MS + 600_000, "P.", 500)
    return connection


def is_refused() -> Connection:
    connection = Connection([])
    for at in (0, LATER_MS):
        connection.up(at, "S", seq=999)
        connection.down(at + 40, "R.", seq=0)
    return connection


def goes_on_at_another_port() -> Connection:
    connection = reset()
    connection.port += 1
    goes_on(connection)
    return connection


@pytest.mark.parametrize(
    "connection",
    [
        pytest.param(aborts(), id="an application that aborts"),
        pytest.param(answers_with_resets(), id="what follows is answered with resets"),
        pytest.param(is_opened_anew(), id="a new connection with the same ports"),
        pytest.param(is_opened_anew_and_goes_on(), id="which goes on after a rest"),
        pytest.param(is_reset_by_both(), id="both sides reset it"),
        pytest.param(was_closed_before(), id="a reset of what is late after the close"),
        pytest.param(hears_the_other_side(), id="the other side has not heard of it"),
        pytest.param(goes_on_much_later(), id="the ports may belong to another connection"),
        pytest.param(is_refused(), id="refused twice"),
        pytest.param(goes_on_at_another_port(), id="another connection"),
    ],
)
def test_what_looks_like_a_forged_reset_is_none(connection: Connection, tmp_path: Path) -> None:
    assert not packets.found(tmp_path, connection.packets, "reset_by_middlebox")
