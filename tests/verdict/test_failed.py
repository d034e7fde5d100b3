"""Connections that never opened and look-ups that failed are in the answer."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

import airmile
from airmile import doctor
from airmile.answers.verdict import _sums
from airmile.answers.verdict._failed import ENDED_S
from airmile.doctor import capture as doctor_capture
from airmile.render import json as as_json
from airmile.render import markdown
from airmile.store import _manifest
from tests.support.wire import (
    ACK,
    PHONE,
    RESOLVER,
    SERVER,
    SYN,
    Packet,
    exchanges,
    ip,
    tcp,
    udp,
    write,
)

START = 1_700_000_000 * 10**9
RST = 4
MISSING, BROKEN = 3, 2


def at(second: float, packet: bytes) -> Packet:
    return START + round(second * 1e9), packet


def syns(*seconds: float, port: int = 41_000) -> list[Packet]:
    """Return copies of one SYN of the phone."""
    syn = ip(PHONE, SERVER, 6, tcp((port, 80), (9, 0), SYN))
    return [at(second, syn) for second in seconds]


def reset(second: float, port: int = 41_000) -> Packet:
    """Return the server's reset of the SYN."""
    return at(second, ip(SERVER, PHONE, 6, tcp((80, port), (0, 10), RST | ACK)))


def look_up(second: float, name: str, number: int, code: int | None = None) -> Packet:
    """Return a query for a name, or its response with a code."""
    flags = 0x100 if code is None else 0x8180 | code
    parts = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    question = parts + b"\x00" + struct.pack(">HH", 1, 1)
    message = struct.pack(">HHHHHH", number, flags, 1, 0, 0, 0) + question
    if code is None:
        return at(second, ip(PHONE, RESOLVER, 17, udp(5000 + number, 53, message)))
    return at(second, ip(RESOLVER, PHONE, 17, udp(53, 5000 + number, message)))


def analysed(folder: Path, packets: list[Packet], name: str = "made") -> airmile.Dataset:
    capture = write(folder / f"{name}.pcap", sorted(packets, key=lambda packet: packet[0]))
    return airmile.analyze(capture, out=folder / f"{name}.airmile", overwrite=True)


def words(dataset: airmile.Dataset) -> str:
    return " ".join(str(dataset.verdict).split())


UNANSWERED = syns(0, 1, 3, 7)
REFUSED = [*syns(0.5, port=42_000), reset(0.55, port=42_000)]
LOOK_UPS = [
    *(look_up(0.1, "slow.example", 1), look_up(2.1, "slow.example", 1)),
    *(look_up(2.15, "slow.example", 1, 0), look_up(3, "gone.example", 2)),
    *(look_up(3.04, "gone.example", 2, MISSING), look_up(4, "bad.example", 3)),
    *(look_up(4.1, "bad.example", 3, BROKEN), look_up(0.2, "lost.example", 4)),
]
SAID = [
    "1 connection not answered: 10.0.0.5 port 41000 to 203.0.113.9:80, 4 SYNs in 7.0 s, "
    "from 0.00 to 7.00 s",
    "1 connection refused (a reset answered the SYN): 10.0.0.5 port 42000 to 203.0.113.9:80, "
    "1 SYN in 50 ms, from 0.50 to 0.55 s",
    "1 DNS look-up without an answer in the capture: lost.example, 1 query, at 0.200 s",
    "1 DNS look-up answered only after the query was repeated: slow.example, 2 queries in 2.0 s, "
    "from 0.10 to 2.15 s",
    "1 DNS look-up of a name that does not exist (NXDOMAIN): gone.example, 1 query in 40 ms, "
    "from 3.00 to 3.04 s",
    "1 DNS look-up answered with an error: bad.example, 1 query in 100 ms, from 4.00 to 4.10 s",
]


def test_each_failure_is_said_with_its_ends_and_seconds(tmp_path: Path) -> None:
    dataset = analysed(tmp_path, [*UNANSWERED, *REFUSED, *LOOK_UPS])
    shown = words(dataset)
    assert [text for text in SAID if text not in shown] == []
    assert "nothing to judge: 2 TCP flows, and no connection opened" in shown
    assert "capture a TCP download" not in shown
    assert "no answer to SYNs: check the address and the port" in shown
    assert shown.count("Failed ") == 1
    in_markdown = markdown.render(dataset.verdict)
    assert [text for text in SAID if text not in in_markdown] == []


def test_they_are_said_beside_transfers(tmp_path: Path) -> None:
    alone = words(analysed(tmp_path, exchanges(start=START), "alone"))
    both = words(analysed(tmp_path, [*exchanges(start=START), *UNANSWERED], "both"))
    assert "Failed" not in alone
    assert "Why" in both and SAID[0] in both


def test_the_document_has_numbers(tmp_path: Path) -> None:
    verdict = analysed(tmp_path, [*UNANSWERED, *LOOK_UPS]).verdict
    first, *_ = json.loads(as_json.render(verdict))["failures"]
    assert (first["kind"], first["count"], first["packets"]) == ("unanswered", 1, 4)
    assert (first["from_s"], first["to_s"]) == (0.0, 7.0)
    (case,) = first["longest"]
    assert (case["ue_port"], case["server"], case["to_phone"]) == (41_000, "203.0.113.9", False)


def test_engine_and_tables_count_the_same(tmp_path: Path) -> None:
    many = [packet for port in range(5) for packet in syns(port, port + 2, port=50_000 + port)]
    dataset = analysed(tmp_path, [*UNANSWERED, *REFUSED, *LOOK_UPS, *many, *exchanges(start=START)])
    stored = _sums.in_manifest(dataset.manifest)
    assert stored is not None and stored == _sums.by_sql(dataset)
    assert {kind: found["count"] for kind, found in stored["failed"].items()} == {
        **{"unanswered": 6, "refused": 1, "lookup_unanswered": 1, "lookup_repeated": 1},
        **{"no_such_name": 1, "lookup_failed": 1},
    }
    assert "6 connections not answered; the longest: 10.0.0.5 port 41000" in words(dataset)
    chosen = dataset.where("ue_port = 41000")
    assert list(_sums.of(chosen)["failed"]) == ["unanswered"]


@pytest.mark.parametrize(
    ("packets", "kinds"),
    [
        (syns(0), []),
        (syns(0, 1), ["unanswered"]),
        ([*syns(0), at(0.1, ip(PHONE, SERVER, 6, tcp((41_000, 80), (10, 7), ACK)))], []),
        ([look_up(0, "a.example", 1), look_up(ENDED_S / 2, "b.example", 2, 0)], []),
    ],
)
def test_what_may_yet_be_answered_is_no_failure(
    packets: list[Packet], kinds: list[str], tmp_path: Path
) -> None:
    found = analysed(tmp_path, packets).verdict.failures
    assert [failure.kind for failure in found] == kinds


def test_a_flow_that_never_opened_has_no_handshake_for_the_doctor(tmp_path: Path) -> None:
    def said(name: str, packets: list[Packet]) -> dict[str, doctor.Finding]:
        dataset = analysed(tmp_path, packets, name)
        return {finding.topic: finding for finding in doctor_capture.findings(dataset)}

    never = said("never", UNANSWERED)
    assert "flows" not in never
    assert never["unanswered"].status == "note"
    assert "of 1 TCP flow, 1 connection not answered" in never["unanswered"].found.replace(
        "\u00a0", " "
    )
    beside = said("beside", [*UNANSWERED, *exchanges(start=START)])
    assert beside["flows"].found.endswith("the handshake of every TCP flow that opened")


def test_without_a_transfer_no_query_of_slices_is_proposed(tmp_path: Path) -> None:
    assert "airmile query" not in words(analysed(tmp_path, UNANSWERED, "none"))
    assert "airmile query" in words(analysed(tmp_path, exchanges(start=START), "some"))


def test_without_tcp_no_count_of_flows_is_given(tmp_path: Path) -> None:
    assert "nothing to judge: no TCP flow " in words(analysed(tmp_path, LOOK_UPS))


def test_the_published_schema_is_that_of_the_sums(tmp_path: Path) -> None:
    verdict = analysed(tmp_path, UNANSWERED).manifest["verdict"]
    published = _manifest.published()["properties"]["verdict"]["anyOf"][-1]["properties"]["schema"]
    assert published["minimum"] == published["maximum"] == verdict["schema"]
