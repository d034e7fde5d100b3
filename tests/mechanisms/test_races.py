"""Happy Eyeballs and its twins, by packets (methods T10)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.mechanisms import packets
from tests.mechanisms.packets import OTHER, PHONE_6, SERVER, SERVER_6, Connection
from tests.mechanisms.test_rules import MS, START, found
from tests.support.wire import Packet

Race = list[Packet]
SIX = {"phone": PHONE_6, "server": SERVER_6}
BEGIN_MS = 200.0
BOTH = (SERVER,), (SERVER_6,)
"""Look-ups of type A and AAAA."""


def attempt(made: Race, at: float, answer_ms: float | None, end: str, **facts: Any) -> Connection:
    """Append an attempt, with its SYN-ACK after so long, and how it ends: data, a reset, or not."""
    port = 4000 + len(made)
    connection = Connection(made, port=port, **facts)
    connection.up(at, "S")
    if answer_ms is not None:
        connection.down(at + answer_ms, "S.", echo=10_000 + int(at))
        connection.up(at + answer_ms + 1)
        if end == "data":
            connection.close(connection.exchange(at + answer_ms + 2) + 300)
        elif end == "reset":
            connection.up(at + answer_ms + 2, "R.")
    return connection


def names(made: Race, *every: tuple[bytes, ...], name: bytes = b"example") -> None:
    """Append look-ups of a name before the attempts, with the addresses that each gives."""
    for number, addresses in enumerate(every):
        packets.look_up(made, 50 + number, name, *addresses)


def lost(delay_ms: float = 250, named: bool = True) -> Race:
    """Give a first attempt over IPv6 that nobody answers, and a second one over IPv4."""
    made: Race = []
    if named:
        names(made, *BOTH)
    attempt(made, BEGIN_MS, None, "", **SIX)
    attempt(made, BEGIN_MS + delay_ms, 40, "data")
    return made


def first_wins() -> Race:
    made: Race = []
    names(made, *BOTH[::-1])
    attempt(made, BEGIN_MS, 320, "data", **SIX)
    attempt(made, BEGIN_MS + 250, 100, "reset")
    return made


def second_is_nearer() -> Race:
    made: Race = []
    names(made, *BOTH)
    attempt(made, BEGIN_MS, 700, "reset", **SIX)
    attempt(made, BEGIN_MS + 250, 40, "data")
    return made


@pytest.mark.parametrize(
    ("made", "words"),
    [
        pytest.param(lost(), "no answer after 250 ms", id="IPv6 is lost"),
        pytest.param(lost(50), "no answer after 50 ms", id="a short delay"),
        pytest.param(lost(2000), "no answer after 2.0 s", id="a long delay"),
        pytest.param(first_wins(), "2001:db8:2::5 carried", id="the first answers in the end"),
        pytest.param(second_is_nearer(), "answered too and was closed", id="the second is first"),
    ],
)
def test_a_race_has_a_winner_and_a_loser(made: Race, words: str, tmp_path: Path) -> None:
    dataset = packets.analysed(tmp_path, made, vantage="ue")
    [finding] = packets.of_rule(dataset, "happy_eyeballs")
    evidence = finding.evidence.replace("\u00a0", " ")
    assert words in evidence and "would look the same" in evidence
    assert finding.certainty == "open"


@pytest.mark.parametrize(("name", "certainty"), [("a.example", "likely"), (None, "open")])
def test_one_name_of_both_servers_makes_it_likely(
    name: str | None, certainty: str, tmp_path: Path
) -> None:
    flow = {"ue": "2001:db8::5", "vantage": "ue", "initiator": "ue", "server_port": 443}
    flow |= {"ul_syn": 2, "dl_syn": 0, "dl_rst": 0, "ul_payload_bytes": 0, "dl_payload_bytes": 0}
    first = {**flow, "uid": 1, "server": "2001:db8:1::5", "start_ns": START, "ending": "syn_only"}
    first |= {"end_ns": START + 900 * MS, "server_name": name}
    second = {**first, "uid": 2, "ue": "10.0.0.5", "server": "203.0.113.9", "dl_syn": 1}
    second |= {"start_ns": START + 250 * MS, "ending": "fin", "dl_payload_bytes": 5000}
    [finding] = found(tmp_path, flows=[first, second])["happy_eyeballs"]
    assert (finding.certainty, finding.uid) == (certainty, 2)
    assert ("would look the same" in finding.evidence) == (certainty == "open")


def several_hosts() -> Race:
    made: Race = []
    names(made, *BOTH)
    attempt(made, BEGIN_MS, 40, "", **SIX)
    attempt(made, BEGIN_MS + 250, 40, "data")
    return made


def ahead() -> Race:
    made: Race = []
    names(made, (SERVER,))
    attempt(made, BEGIN_MS, 40, "reset")
    attempt(made, BEGIN_MS + 250, 40, "data")
    return made


def refused() -> Race:
    made: Race = []
    names(made, *BOTH)
    first = attempt(made, BEGIN_MS, None, "", **SIX)
    first.down(BEGIN_MS + 40, "R.", seq=0)
    attempt(made, BEGIN_MS + 250, 40, "data")
    return made


def both_used() -> Race:
    made: Race = []
    names(made, *BOTH)
    attempt(made, BEGIN_MS, 400, "data", **SIX)
    attempt(made, BEGIN_MS + 250, 40, "data")
    return made


def another_port() -> Race:
    made: Race = []
    names(made, *BOTH)
    attempt(made, BEGIN_MS, None, "", **SIX)
    attempt(made, BEGIN_MS + 250, 40, "data", server_port=443)
    return made


def unknown_host() -> Race:
    made: Race = []
    names(made, (SERVER,))
    attempt(made, BEGIN_MS, None, "", server=OTHER)
    attempt(made, BEGIN_MS + 250, 40, "data")
    return made


def another_phone() -> Race:
    made: Race = []
    names(made, (SERVER, OTHER))
    attempt(made, BEGIN_MS, None, "", server=OTHER)
    attempt(made, BEGIN_MS + 250, 40, "data", phone=bytes([10, 0, 0, 6]))
    return made


@pytest.mark.parametrize(
    "race",
    [
        pytest.param(several_hosts, id="the first is answered at once"),
        pytest.param(ahead, id="a connection that is opened ahead, to the same address"),
        pytest.param(refused, id="a retry after a refusal"),
        pytest.param(both_used, id="both are used"),
        pytest.param(lambda: lost(2500), id="an attempt after the first was given up"),
        pytest.param(lambda: lost(20), id="both at once"),
        pytest.param(another_port, id="another port"),
        pytest.param(another_phone, id="another phone"),
        pytest.param(unknown_host, id="two addresses of one family, which nothing joins"),
    ],
)
def test_what_looks_like_a_race_is_none(race: Callable[[], Race], tmp_path: Path) -> None:
    dataset = packets.analysed(tmp_path, race(), vantage="ue")
    assert not packets.of_rule(dataset, "happy_eyeballs")
