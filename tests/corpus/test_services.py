"""TLS names and HTTP messages are equal to tshark's, as `make corpus` shows of whole captures."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.corpus.connection import End
from tests.corpus.dissected import Services
from tests.corpus.messages import compare
from tests.corpus.services import judge, reasons
from tests.support.taps import UE, Record, write

CORPUS = os.environ.get("AIRMILE_CORPUS")
ENDS: frozenset[End] = frozenset({("10.0.0.1", 40000), ("10.0.0.2", 80)})
SERVER = bytes([203, 0, 113, 9])
START = 1_800_000_000_000_000_000

needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")


def test_each_reason_is_a_sentence_and_few_captures_need_one() -> None:
    assert len(reasons()) <= 3
    assert all(len(why.split()) > 5 for fields in reasons().values() for why in fields.values())


def test_a_message_that_one_program_lacks_is_found_and_the_others_are_compared() -> None:
    def answer(length: int) -> dict[str, object]:
        return {"status": 200, "content_type": "text/html", "length": length, "range": None}

    ours = Services(responses=[answer(1), answer(2), answer(3)])
    theirs = Services(responses=[answer(1), answer(3)])
    unlike = [found for found in compare(ENDS, ours, [theirs]) if found.ours != found.theirs]
    assert [(found.field, found.theirs) for found in unlike] == [("response", None)]


@needs_tshark
@pytest.mark.parametrize("name", ["PcapPlusPlus__sll.pcap", "nDPI__iphone.pcap"])
@pytest.mark.skipif(CORPUS is None, reason="AIRMILE_CORPUS is not set")
def test_public_captures_are_read_as_tshark_reads_them(name: str, tmp_path: Path) -> None:
    result = judge(Path(CORPUS or "", "pcap", name), tmp_path)
    assert result.findings
    assert [str(found) for found in result.unexplained()] == []


@needs_tshark
def test_a_hello_in_up_to_four_segments_in_any_order(tmp_path: Path) -> None:
    """Post-quantum keys and long lists of tickets make a ClientHello of several segments."""
    capture = write(tmp_path / "hellos.pcap", list(_connections(random.Random(18))))
    result = judge(capture, tmp_path)
    assert sum(found.field == "server_name" for found in result.findings) == 24 + 6 + 2 + 1
    assert [str(found) for found in result.unlike] == []


def _connections(draw: random.Random) -> Iterator[Record]:
    orders = [order for n in range(1, 5) for order in itertools.permutations(range(n))]
    for port, order in enumerate(orders, start=40_000):
        hello = _client_hello(f"host{port}.example", draw.randrange(200, 1200 * len(order)))
        size = -(-len(hello) // len(order))
        parts = [(1 + size * n, hello[size * n : size * (n + 1)]) for n in order]
        at = START + port * 10**8
        yield _segment(at, port, 0, b"", up=True, syn=True)
        yield _segment(at + 10**6, port, 0, b"", up=False, syn=True)
        for number, (sequence, part) in enumerate(parts, start=2):
            yield _segment(at + number * 10**6, port, sequence, part, up=True)
        yield _segment(at + 10 * 10**6, port, 1, b"", up=False)


def _client_hello(name: str, padding: int) -> bytes:
    entry = b"\0" + _sized(name.encode())
    extensions = struct.pack(">H", 21) + _sized(bytes(padding))
    extensions += struct.pack(">H", 0) + _sized(_sized(entry))
    extensions += struct.pack(">H", 16) + _sized(_sized(b"\x02h2\x08http/1.1"))
    body = b"\3\3" + bytes(range(32)) + b"\0" + _sized(b"\x13\x01") + b"\1\0" + _sized(extensions)
    message = b"\1\0" + _sized(body)
    return b"\x16\3\1" + _sized(message)


def _sized(content: bytes) -> bytes:
    return struct.pack(">H", len(content)) + content


def _segment(
    ns: int, port: int, sequence: int, payload: bytes, up: bool, syn: bool = False
) -> Record:
    hosts, ports = (UE + SERVER, (port, 443)) if up else (SERVER + UE, (443, port))
    flags = 2 | (0 if up else 16) if syn else 16
    ack = 0 if syn and up else 1
    tcp = struct.pack(">HHIIBBHHH", *ports, sequence, ack, 5 << 4, flags, 60000, 0, 0) + payload
    length = 20 + len(tcp)
    ip = struct.pack(">BBHHHBBH", 0x45, 0, length, 0, 0, 64, 6, 0) + hosts
    return Record(ns, length, ip + tcp)
