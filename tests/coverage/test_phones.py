"""Which addresses are one phone, and which traffic is no subscriber's (methods A2, A3)."""

from __future__ import annotations

import ipaddress
import struct
from pathlib import Path

import pytest

import airmile as am
from airmile.dataset import Dataset
from tests.coverage.test_coverage import block
from tests.support import wire

SECOND = 10**9
START = 1_700_000_000 * SECOND
V4, V6, WLAN = "10.10.10.5", "2001:db8:1:2::7", "192.168.1.9"
SERVERS = {4: "203.0.113.9", 6: "2001:db8:f::9"}


def packet(source: str, destination: str, ports: tuple[int, int], size: int = 100) -> bytes:
    """Return a UDP datagram over IPv4 or IPv6."""
    ends = [ipaddress.ip_address(each) for each in (source, destination)]
    body = wire.udp(*ports, bytes(size))
    if ends[0].version == 4:
        return wire.ip(ends[0].packed, ends[1].packed, 17, body)
    head = struct.pack(">IHBB", 6 << 28, len(body), 17, 64)
    return head + ends[0].packed + ends[1].packed + body


def exchange(phone: str, port: int, server: str | None = None) -> list[bytes]:
    server = server or SERVERS[ipaddress.ip_address(phone).version]
    return [
        packet(phone, server, (port, 443)),
        packet(server, phone, (443, port), 900),
    ]


def alternating(gap_s: float = 6.0) -> list[wire.Packet]:
    """Return exchanges of a phone, in turn by IPv4 and IPv6, every `gap_s` seconds."""
    times = [START + round(at * gap_s * SECOND) for at in range(6)]
    return [
        (time + number, each)
        for at, time in enumerate(times)
        for number, each in enumerate(exchange((V4, V6)[at % 2], 40_000 + at))
    ]


def analyzed(path: Path, tmp_path: Path, **options: object) -> Dataset:
    return am.analyze(path, out=tmp_path / "d.airmile", overwrite=True, **options)  # type: ignore[arg-type]


def test_a_phone_with_both_families_is_one_subscriber_with_one_radio(tmp_path: Path) -> None:
    dataset = analyzed(wire.write(tmp_path / "x.pcap", alternating()), tmp_path)
    sessions = dataset.sql("FROM sessions").to_pylist()
    assert [each["ue"] for each in sessions] == [V4]
    assert sessions[0]["promotions"] == 1
    assert sessions[0]["radio_on_s"] == pytest.approx(30 + 10)
    assert set(dataset.flows["subscriber"].to_pylist()) == {V4}
    assert dataset.sql("SELECT ues FROM summary").to_pylist() == [{"ues": 1}]
    assert any("are taken for one phone" in each for each in dataset.manifest["warnings"])


def test_phones_at_a_monitor_stay_apart(tmp_path: Path) -> None:
    packets = alternating()
    packets += [
        (packets[-1][0] + 1, each) for each in exchange("10.10.10.6", 50_000, "203.0.113.8")
    ]
    dataset = analyzed(wire.write(tmp_path / "x.pcap", packets), tmp_path)
    found = {each["ue"] for each in dataset.sql("FROM sessions").to_pylist()}
    assert found == {V4, "10.10.10.6", "2001:db8:1:2::"}


def test_traffic_within_a_link_is_no_subscribers(tmp_path: Path) -> None:
    packets = alternating()
    local = [
        packet("fe80::1", "ff02::fb", (5353, 5353)),
        packet("fe80::1", "fe80::2", (546, 547)),
        packet(V4, "239.255.255.250", (40_000, 1900)),
        packet("0.0.0.0", "255.255.255.255", (68, 67)),
    ]
    packets += [(packets[-1][0] + SECOND * (at + 1), each) for at, each in enumerate(local)]
    dataset = analyzed(wire.write(tmp_path / "x.pcap", packets), tmp_path)
    sessions = dataset.sql("FROM sessions").to_pylist()
    assert [each["ue"] for each in sessions] == [V4]
    assert sessions[0]["radio_on_s"] == pytest.approx(40)
    nobodys = dataset.sql(
        "SELECT count(*) AS n FROM flows WHERE subscriber IS NULL AND session_id IS NULL"
    ).to_pylist()
    assert nobodys == [{"n": 4}]


def named(interfaces: list[str], packets: list[tuple[int, wire.Packet]]) -> bytes:
    """Return a pcapng capture of several named interfaces; each packet has the number of one."""
    head = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    for name in interfaces:
        text = name.encode()
        options = struct.pack("<HH", 2, len(text)) + text + bytes(-len(text) % 4)
        options += struct.pack("<HHBxxx", 9, 1, 9) + bytes(4)
        head += block(1, struct.pack("<HHI", wire.RAW_IP, 0, 0) + options)
    return head + b"".join(
        block(6, struct.pack("<5I", number, *divmod(time, 1 << 32), *[len(body)] * 2) + body)
        for number, (time, body) in packets
    )


def test_only_the_cellular_interface_wakes_the_radio(tmp_path: Path) -> None:
    cellular = [(0, each) for each in alternating()]
    later = START + 100 * SECOND
    wireless = [(1, (later + at, each)) for at, each in enumerate(exchange(WLAN, 41_000))]
    inner = [(2, (later + 10 + at, each)) for at, each in enumerate(exchange("10.8.0.2", 42_000))]
    path = tmp_path / "x.pcapng"
    path.write_bytes(named(["rmnet_data0", "wlan0", "tun0"], cellular + wireless + inner))
    dataset = analyzed(path, tmp_path)
    sessions = {each["ue"]: each for each in dataset.sql("FROM sessions").to_pylist()}
    assert {ue: each["access"] for ue, each in sessions.items()} == {
        V4: "cellular", WLAN: "wlan", "10.8.0.2": "tunnel",
    }  # fmt: skip
    assert {ue: each["radio_on_s"] is None for ue, each in sessions.items()} == {
        V4: False, WLAN: True, "10.8.0.2": True,
    }  # fmt: skip
    assert not [each for each in dataset.manifest["warnings"] if "one phone" in each]


def test_the_core_network_says_which_addresses_are_one_phone(tmp_path: Path) -> None:
    phones = [("10.10.10.5", "2001:db8:1:2::7"), ("10.10.10.6", "2001:db8:1:3::7")]
    packets: list[wire.Packet] = []
    for at, (v4, v6) in enumerate(phones):
        paa = bytes([3, 64]) + ipaddress.ip_address(v6).packed + ipaddress.ip_address(v4).packed
        body = bytes([0, 0, 0, 7, 0, 0, 1, 0, 79]) + struct.pack(">HB", len(paa), 0) + paa
        message = bytes([0x48, 33]) + struct.pack(">H", len(body)) + body
        core = wire.ip(
            bytes([10, 1, 1, 1]), bytes([10, 1, 1, 2]), 17, wire.udp(2123, 2123, message)
        )
        packets.append((START + at, core))
        for number, each in enumerate(exchange(v4, 40_000) + exchange(v6, 40_001)):
            packets.append((START + SECOND * (1 + at) + number, each))
    dataset = analyzed(wire.write(tmp_path / "x.pcap", packets), tmp_path, ue_net=["10.10.10.0/24"])
    rows = dataset.sql("SELECT ue, subscriber FROM flows WHERE server_port = 443").to_pylist()
    assert {(each["ue"], each["subscriber"]) for each in rows} == {
        (address, v4) for v4, v6 in phones for address in (v4, v6)
    }
