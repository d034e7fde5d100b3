"""Flows that were ended because of `--memory`: their packets are those of their rows."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

import pytest

import airmile
from airmile import InputError

FLOWS = 20_000
"""The number of flows: each takes about 4 kB, so that all need more than the least budget."""


def packet(number: int, sequence: int) -> bytes:
    """Return a raw IPv4 packet with 20 bytes from a phone of its own to a server."""
    tcp = struct.pack("!HHIIBBHHH", 40_000, 443, sequence, 1, 5 << 4, 0x10, 5000, 0, 0) + bytes(20)
    addresses = struct.pack("!I", (10 << 24) + number) + socket.inet_aton("203.0.113.9")
    return struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0) + addresses + tcp


def records() -> Iterator[bytes]:
    """Give each flow one packet, and every tenth flow one more at the end."""
    numbers = [(number, 1) for number in range(FLOWS)]
    numbers += [(number, 21) for number in range(0, FLOWS, 10)]
    for place, (number, sequence) in enumerate(numbers):
        data = packet(number, sequence)
        yield struct.pack("<IIII", 1_600_000_000, place * 20, len(data), len(data)) + data


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> airmile.Dataset:
    folder = tmp_path_factory.mktemp("memory")
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, 101)
    (folder / "many.pcap").write_bytes(header + b"".join(records()))
    return airmile.analyze(folder / "many.pcap", out=folder / "many.airmile", memory="128M")


def flows(dataset: airmile.Dataset, condition: str) -> list[int]:
    """Return the numbers of the flows of phones that send twice."""
    query = f"""SELECT uid FROM flows WHERE {condition} AND ue IN (
        SELECT ue FROM flows GROUP BY ue HAVING count(*) = 2) ORDER BY start_ns"""
    found: list[int] = dataset.sql(query)["uid"].to_pylist()
    return found


def test_the_manifest_says_what_was_allowed_and_how_many_were_ended(
    dataset: airmile.Dataset,
) -> None:
    assert dataset.manifest["memory_bytes"] == 128 << 20
    assert dataset.manifest["ended_for_memory"] >= len(flows(dataset, "ending = 'memory'")) > 0


def test_a_flow_that_was_ended_has_the_packets_of_its_row(dataset: airmile.Dataset) -> None:
    assert dataset.packets(flows(dataset, "ending = 'memory'")[0]).num_rows == 1


def test_what_followed_says_why_it_cannot_be_read_alone(dataset: airmile.Dataset) -> None:
    with pytest.raises(InputError, match="to keep within --memory") as refused:
        dataset.packets(flows(dataset, "ending = 'open'")[0])
    assert "more --memory" in str(refused.value.hint)
