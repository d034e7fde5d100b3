"""Of the time between captures nothing is known (methods A1, A3, F3)."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

import airmile as am
from airmile.dataset import Dataset
from tests.support import wire

SECOND = 10**9
START = 1_700_000_000 * SECOND


def captures(folder: Path, names: list[str], pause_s: int) -> list[Path]:
    """Write a capture of the same exchanges under each name, one every `pause_s` seconds."""
    return [
        wire.write(
            folder / name, wire.exchanges(4000 + 10 * at, start=START + at * pause_s * SECOND)
        )
        for at, name in enumerate(names)
    ]


def analyze(paths: list[Path], folder: Path) -> Dataset:
    return am.analyze(*paths, out=folder / "d.airmile", overwrite=True)


def column(dataset: Dataset, sql: str) -> list[object]:
    return [next(iter(row.values())) for row in dataset.sql(sql).to_pylist()]


PAGES = ["page_a.pcap", "page_b.pcap", "page_c.pcap"]


def test_three_captures_with_pauses_are_three_times_one(tmp_path: Path) -> None:
    paths = captures(tmp_path, PAGES, 600)
    alone = analyze(paths[:1], tmp_path).sql("FROM sessions").to_pylist()[0]
    together = analyze(paths, tmp_path)
    sessions = together.sql("FROM sessions ORDER BY start_ns").to_pylist()
    assert [each["capture"] for each in sessions] == [0, 1, 2]
    for name in ("radio_on_s", "promotions", "energy_j", "flows", "dl_bytes", "ul_bytes"):
        assert [each[name] for each in sessions] == pytest.approx([alone[name]] * 3), name
    longest = "SELECT coalesce(max(silence_s), 0) FROM silences"
    assert column(together, longest)[0] < 10  # type: ignore[operator]
    idle = "SELECT max(ue_idle_before_s) FROM flows"
    assert column(together, idle)[0] < 10  # type: ignore[operator]


def test_flows_and_transfers_name_their_capture(tmp_path: Path) -> None:
    dataset = analyze(captures(tmp_path, PAGES, 600), tmp_path)
    for table in ("flows", "transfers"):
        found = column(dataset, f"SELECT DISTINCT capture FROM {table} ORDER BY capture")
        assert found == [0, 1, 2], table
    assert column(dataset, "SELECT name FROM coverage ORDER BY capture") == [
        str(tmp_path / name) for name in PAGES
    ]
    assert [each["capture"] for each in dataset.manifest["inputs"]] == [0, 1, 2]


def test_files_of_a_series_are_one_capture(tmp_path: Path) -> None:
    names = ["x.pcap", "x.pcap1", "x.pcap2"]
    dataset = analyze(captures(tmp_path, names, 600), tmp_path)
    assert column(dataset, "SELECT files FROM coverage") == [3]
    assert column(dataset, "SELECT count(*) FROM sessions") == [1]
    silences = column(dataset, "SELECT silence_s FROM silences WHERE silence_s > 100")
    assert len(silences) == 2


def halves(folder: Path, names: tuple[str, str], lost: int) -> list[Path]:
    """Write a connection as two captures; between them 60 s, and `lost` packets are in neither."""
    made = wire._Made(4000, START)
    made.open()
    made.request()
    made.request()
    middle = len(made.packets)
    made.time += 60 * SECOND
    made.request()
    made.close()
    parts = made.packets[:middle], made.packets[middle + lost :]
    return [wire.write(folder / name, part) for name, part in zip(names, parts, strict=True)]


def test_a_connection_without_a_missing_byte_goes_on(tmp_path: Path) -> None:
    dataset = analyze(halves(tmp_path, ("a.pcap", "b.pcap"), 0), tmp_path)
    assert column(dataset, "SELECT ending FROM flows") == ["fin"]
    assert column(dataset, "SELECT count(*) FROM sessions") == [2]


def test_a_connection_with_missing_bytes_ends_with_its_capture(tmp_path: Path) -> None:
    dataset = analyze(halves(tmp_path, ("a.pcap", "b.pcap"), 8), tmp_path)
    flows = dataset.sql("SELECT ending, quality, capture FROM flows ORDER BY start_ns").to_pylist()
    assert [each["ending"] for each in flows] == ["open", "fin"]
    assert [each["capture"] for each in flows] == [0, 1]
    assert "mid_stream" in flows[1]["quality"]


def block(kind: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 4)
    return struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))


def pcapng(packets: list[wire.Packet], start: int, end: int, dropped: int) -> bytes:
    """Return a pcapng capture whose interface statistics say when it began and ended."""
    resolution = struct.pack("<HHBxxx", 9, 1, 9) + bytes(4)
    head = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    head += block(1, struct.pack("<HHI", wire.RAW_IP, 0, 0) + resolution)
    body = b"".join(
        block(
            6, struct.pack("<IIIII", 0, *divmod(time, 1 << 32), len(packet), len(packet)) + packet
        )
        for time, packet in packets
    )
    times = [
        struct.pack("<HHII", code, 8, *divmod(time, 1 << 32))
        for code, time in ((2, start), (3, end))
    ]
    options = b"".join(times) + struct.pack("<HHQ", 5, 8, dropped) + bytes(4)
    return head + body + block(5, struct.pack("<III", 0, 0, 0) + options)


@pytest.mark.parametrize("unit_ns", [1, 1000], ids=["declared", "microseconds of dumpcap"])
def test_the_capturing_system_says_when_it_recorded(tmp_path: Path, unit_ns: int) -> None:
    path = tmp_path / "a.pcapng"
    packets = wire.exchanges(start=START)
    begin, end = START - 20 * SECOND, START + 90 * SECOND
    path.write_bytes(pcapng(packets, begin // unit_ns, end // unit_ns, dropped=7))
    dataset = analyze([path, *captures(tmp_path, ["b.pcap"], 0)], tmp_path)
    rows = dataset.sql("FROM coverage ORDER BY capture").to_pylist()
    assert (rows[0]["start_ns"], rows[0]["end_ns"], rows[0]["dropped"]) == (begin, end, 7)
    assert rows[0]["packets"] == len(packets)
    assert rows[1]["dropped"] is None
