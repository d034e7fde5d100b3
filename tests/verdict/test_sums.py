"""The engine's sums and those that SQL computes from the tables are the same."""

from __future__ import annotations

import gzip
import ipaddress
import random
import struct
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import airmile
from airmile.answers.verdict import _sums
from airmile.answers.verdict._sums import _flows
from tests.everyday.damage import damaged
from tests.support.handmade import SECOND, flow, slice_, transfer, write
from tests.support.share import sample

DATA = Path(__file__).parents[1] / "data"
SETS = sorted(
    [
        *DATA.glob("emu/*/monitor.pcap.gz"),
        *DATA.glob("everyday/**/*.pcap.gz"),
        *DATA.glob("physics/**/*.pcap.gz"),
    ]
)
CLASSES = {"transfers", "small_calls"}


def names(path: Path) -> str:
    return "-".join(path.parts[-3:]).removesuffix(".pcap.gz")


def analysed(capture: Path, folder: Path, **options: Any) -> airmile.Dataset:
    return airmile.analyze(capture, out=folder / "set.airmile", overwrite=True, **options)


def assert_same(dataset: airmile.Dataset) -> None:
    """Compare all keys, and every number to its last digit."""
    stored = _sums.in_manifest(dataset.manifest)
    assert stored is not None
    assert stored == _sums.by_sql(dataset)


@pytest.mark.parametrize("capture", sample(SETS, few=12, what="sums of a set"), ids=names)
def test_they_are_the_same_of_a_recorded_run(capture: Path, tmp_path: Path) -> None:
    assert_same(analysed(capture, tmp_path))


@pytest.mark.parametrize("name", ["link", "window"])
def test_they_are_the_same_of_a_demo(name: str, tmp_path: Path) -> None:
    with resources.as_file(resources.files("airmile") / "demo" / f"{name}.pcap.gz") as capture:
        assert_same(analysed(capture, tmp_path))


@pytest.mark.parametrize(
    "options", [{"vantage": "server"}, {"profile": "lte13"}, {"samples": True}]
)
def test_they_are_the_same_for_every_request(options: dict[str, Any], tmp_path: Path) -> None:
    assert_same(analysed(DATA / "emu" / "a_link_cubic" / "monitor.pcap.gz", tmp_path, **options))


def test_they_are_the_same_with_a_modem_log(tmp_path: Path) -> None:
    folder = DATA / "emu" / "a_link_cubic"
    dataset = analysed(folder / "ue.pcap.gz", tmp_path, modem=folder / "modem_dl.csv.gz")
    assert_same(dataset)
    assert dataset.verdict.link_demand_ratio is not None


def test_no_number_of_threads_changes_them(tmp_path: Path) -> None:
    capture = DATA / "emu" / "t20_parallel" / "monitor.pcap.gz"
    parts = [analysed(capture, tmp_path, threads=n).manifest["verdict"] for n in (1, 2, 7)]
    assert parts[0] == parts[1] == parts[2]


STEPPED = [
    "everyday/think_http1-50ms-s2-ue/ue",
    "physics/cwnd_same_rate-bottleneck_cubic-s2/monitor",
    "physics/link_up-cubic_steady-s2/monitor",
    "physics/upload_start-series-s2/monitor",
]


@pytest.mark.parametrize("name", STEPPED)
def test_they_are_the_same_where_the_clock_steps(name: str, tmp_path: Path) -> None:
    """Slices then begin and end together, and only a complete order distinguishes them."""
    capture = tmp_path / "stepped.pcap"
    capture.write_bytes(stepped(gzip.decompress((DATA / f"{name}.pcap.gz").read_bytes())))
    assert_same(analysed(capture, tmp_path))


def stepped(pcap: bytes) -> bytes:
    """Step the clock of a pcap by some seconds at every hundredth record, mostly back."""
    chance = random.Random(0)
    unit_ns = 1000 if struct.unpack_from("<I", pcap)[0] == 0xA1B2C3D4 else 1
    records, at, off_ns = [pcap[:24]], 24, 0
    while at < len(pcap):
        seconds, part, length, on_wire = struct.unpack_from("<IIII", pcap, at)
        if chance.random() < 0.01:
            off_ns += int(chance.choice([-3, -30, 5, -1, -0.3, 1]) * SECOND)
        whole, ns = divmod(seconds * SECOND + part * unit_ns + off_ns, SECOND)
        header = struct.pack("<IIII", whole, ns // unit_ns, length, on_wire)
        records.append(header + pcap[at + 16 : at + 16 + length])
        at += 16 + length
    return b"".join(records)


LAN = [
    ("192.168.2.17", "17.248.185.140", 443),
    ("192.168.2.17", "224.0.0.251", 5353),
    ("192.168.2.1", "192.168.2.255", 17500),
    ("192.168.2.1", "239.255.255.250", 1900),
    ("0.0.0.0", "255.255.255.255", 67),
    ("169.254.225.216", "224.0.0.22", 5353),
    ("fe80::823:3f17", "ff02::fb", 5353),
    ("::", "ff02::1:ff98", 5353),
]
"""Packets of a wireless network: sender, receiver and port. One host speaks to another host."""


def test_only_hosts_that_speak_to_hosts_are_phones(tmp_path: Path) -> None:
    capture = tmp_path / "lan.pcap"
    capture.write_bytes(datagrams(LAN))
    dataset = analysed(capture, tmp_path)
    assert _sums.of(dataset)["totals"]["ues"] == 1
    assert "is a guess" not in " ".join(str(dataset.verdict).split())
    assert_same(dataset)
    phones = dataset.sql("SELECT DISTINCT ue FROM flows").column("ue").to_pylist()
    assert not {"224.0.0.251", "192.168.2.255", "255.255.255.255", "ff02::fb"} & set(phones)


def test_a_guess_at_the_phone_is_said(tmp_path: Path) -> None:
    capture = tmp_path / "unknown.pcap"
    capture.write_bytes(datagrams([("192.168.2.17", "192.168.2.4", 9000)]))
    shown = " ".join(str(analysed(capture, tmp_path).verdict).split())
    assert "which end is the phone is a guess for 1 of 1 flow, because" in shown
    assert "taken for the phone is the end with the higher port, or the first sender" in shown
    named = analysed(capture, tmp_path, ue_net=["192.168.2.17/32"])
    assert "is a guess" not in " ".join(str(named.verdict).split())


CALLS = DATA / "taps" / "everyday" / "small_calls-50ms-s2" / "monitor.pcap.gz"
"""A connection from 10.73.9.2, whose port is one of clients, to port 8443 of 10.73.0.2."""


def test_a_guess_names_the_sign_that_decided(tmp_path: Path) -> None:
    late = tmp_path / "late.pcap"
    late.write_bytes(damaged(gzip.decompress(CALLS.read_bytes()), "cut at the beginning", "x")[0])
    (said,) = notes(late, tmp_path, "is a guess")
    assert "taken for the phone is the end with a port that systems give to clients" in said
    assert "received more" not in said
    assert not notes(CALLS, tmp_path, "is a guess"), "the SYN decides"


@pytest.mark.parametrize(
    ("network", "said"),
    [
        ("10.73.0.0/16", "matches both ends of 1 of 1 flow, so other signs had to tell"),
        ("192.0.2.0/24", "matches no end of 1 of 1 flow, so other signs had to tell"),
        ("10.73.9.0/24", ""),
    ],
)
def test_a_network_that_does_not_tell_the_phone_is_said(
    network: str, said: str, tmp_path: Path
) -> None:
    found = notes(CALLS, tmp_path, "--ue-net", ue_net=[network])
    assert [said in text for text in found] == [True] * bool(said)


def test_a_network_that_few_flows_miss_is_not_said(tmp_path: Path) -> None:
    ends = [("192.168.2.17", f"198.51.100.{number}", 9000) for number in range(1, 21)]
    capture = tmp_path / "most.pcap"
    capture.write_bytes(datagrams([*ends, ("192.168.2.18", "192.168.2.4", 9000)]))
    assert not notes(capture, tmp_path, "--ue-net", ue_net=["192.168.2.17/32"])
    assert notes(capture, tmp_path, "--ue-net", ue_net=["192.168.2.18/32"])


def notes(capture: Path, folder: Path, about: str, **options: Any) -> list[str]:
    """Return the warnings of an analysis that contain some words."""
    warnings = analysed(capture, folder, **options).manifest["warnings"]
    return [text for text in warnings if about in text]


def datagrams(ends: list[tuple[str, str, int]]) -> bytes:
    """Return a capture of raw IP with one UDP packet between these ends each 10 ms."""
    records = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)]
    for number, (source, destination, port) in enumerate(ends):
        one, other = (ipaddress.ip_address(each) for each in (source, destination))
        udp = struct.pack(">HHHH", port, port, 108, 0) + bytes(100)
        if one.version == 4:
            header = struct.pack(">BBHHHBBH", 0x45, 0, 128, 0, 0, 64, 17, 0)
        else:
            header = struct.pack(">IHBB", 6 << 28, 108, 17, 64)
        packet = header + one.packed + other.packed + udp
        time = struct.pack("<II", 1_700_000_000, number * 10_000)
        records.append(time + struct.pack("<II", len(packet), len(packet)) + packet)
    return b"".join(records)


def test_the_order_of_rows_changes_no_sum(tmp_path: Path) -> None:
    """The order of slices that begin and end together does not depend on the order of rows."""
    tables: dict[str, list[dict[str, Any]]] = {
        "flows": [flow(1, ending="rst_server")],
        "transfers": [transfer(1, number, 0, 4, bytes=20_000 * number) for number in (1, 2, 3)],
        "slices": [
            slice_(1, number, start, end, cause, reason=cause, in_flight_bytes=number * 1000)
            for number in (1, 2, 3)
            for start, end, cause in (
                *((0, 2, "sender_app"), (0, 2, "idle"), (2, 2, "idle"), (2, 2, "sender_app")),
                *((2, 4, "sender_app"), (2, 4, "idle"), (4, 6, "idle")),
            )
        ]
        + [slice_(1, None, 4, 5, "lte_downlink", in_flight_bytes=7)],
    }
    sums = []
    for seed in range(8):
        for rows in tables.values():
            random.Random(seed).shuffle(rows)
        sums.append(_sums.by_sql(airmile.Dataset(write(tmp_path / f"{seed}", tables))))
    assert all(each == sums[0] for each in sums)


@pytest.mark.parametrize(
    ("unknown_s", "uplink_s", "least"),
    [
        (0.0, 0, {"slow_start": 12.0}),
        (0.4, 0, {"slow_start": 12.0}),
        (0.5, 0, {}),
        (0.0, 3, {"slow_start": 12.0}),
        (0.0, 5, {"slow_start": 20.0}),
    ],
)
def test_a_hidden_queue_is_that_of_nearly_all_time_in_the_main_direction(
    tmp_path: Path, unknown_s: float, uplink_s: int, least: dict[str, float]
) -> None:
    known_s = 4 - unknown_s
    slices = [
        slice_(1, 1, 0, 1, "slow_start", least_queue_ms=2.0),
        slice_(1, 1, 1, known_s, "slow_start", least_queue_ms=12.0),
        slice_(1, 1, known_s, 4, "slow_start", least_queue_ms=None),
        slice_(1, 1, 4, 4 + uplink_s, "slow_start", least_queue_ms=20.0, direction="uplink"),
    ]
    tables = {"flows": [flow(1)], "transfers": [transfer(1, 1, 0, 9)], "slices": slices}
    sums = _sums.by_sql(airmile.Dataset(write(tmp_path / "hidden", tables)))
    assert sums["flows"][0]["least_queue_ms"] == least


def test_both_classes_of_transfers_are_held(tmp_path: Path) -> None:
    """The emulated sets have small calls; otherwise the tests above would not cover them."""
    judged = set()
    for capture in SETS:
        sums = _sums.of(analysed(capture, tmp_path))
        judged |= {"small_calls"} if sums["small_calls"] else set()
        judged |= {"transfers"} if sums["judged_flows"] else set()
        if judged == CLASSES:
            return
    assert judged == CLASSES


def test_a_condition_is_added_up_by_sql(tmp_path: Path) -> None:
    dataset = analysed(SETS[0], tmp_path)
    assert dict(_sums.of(dataset.where("false"))["time_ns"]) == {}
    assert _sums.of(dataset.where("true")) == _sums.of(dataset)


def test_sums_of_another_shape_are_added_up_by_sql(tmp_path: Path) -> None:
    dataset = analysed(SETS[0], tmp_path)
    sums = _sums.of(dataset)
    for verdict in (
        None,
        3,
        {"schema": 3, "sums": {}},
        {"schema": 1, "sums": {}},
        {"schema": 2, "sums": None},
    ):
        dataset = airmile.open(dataset.path)
        dataset.manifest["verdict"] = verdict
        assert _sums.of(dataset) == sums


def test_more_flows_than_the_manifest_holds_are_asked_of_the_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = analysed(SETS[0], tmp_path)
    every = list(_sums.flows(dataset, None))
    known = {**_sums.of(dataset), "judged_flows": len(every) + 1, "flows": []}
    monkeypatch.setattr(_sums, "of", lambda dataset: known)
    assert _sums.flows(dataset, None) == every


def test_the_engine_describes_the_same_columns_as_sql(tmp_path: Path) -> None:
    (flow, *_) = _sums.of(analysed(SETS[0], tmp_path))["flows"]
    assert set(_flows.COLUMNS) <= set(flow)
