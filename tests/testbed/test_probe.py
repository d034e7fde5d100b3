"""The kernel's state of senders at every segment, recorded by BPF programs."""

from __future__ import annotations

import csv
import mmap
import os
import struct
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from airmile.testbed.experiment.toml_file import parse
from airmile.testbed.hosts import clang
from airmile.testbed.hosts.ringbuf import Ring
from airmile.testbed.record import probe

NEEDS_ROOT = pytest.mark.skipif(
    "AIRMILE_TESTBED" not in os.environ,
    reason="makes network namespaces: make testbed-test, as root",
)
SIZE = 4096
BUSY, DISCARD = 1 << 31, 1 << 30


def _ring(path: Path, consumer: int, records: list[tuple[int, bytes]]) -> Ring:
    """Write a ring to a file as the kernel has it in memory, with its data twice."""
    data, at = bytearray(SIZE), consumer
    for flags, content in records:
        whole = struct.pack("=II", len(content) | flags, 0) + content
        for offset, byte in enumerate(whole):
            data[(at + offset) % SIZE] = byte
        at += (len(whole) + 7) // 8 * 8
    page = mmap.PAGESIZE
    pages = [struct.pack("=Q", position).ljust(page, b"\0") for position in (consumer, at)]
    path.write_bytes(b"".join(pages) + bytes(data) * 2)
    with path.open("r+b") as file:
        return Ring(file.fileno(), SIZE)


def test_records_are_read_over_the_end_and_once(tmp_path: Path) -> None:
    records = [(0, b"first"), (DISCARD, b"no"), (0, b"x" * 60), (BUSY, b"not yet"), (0, b"later")]
    ring = _ring(tmp_path / "ring", 10 * SIZE - 40, records)
    assert list(ring.records()) == [b"first", b"x" * 60]
    assert list(ring.records()) == []


def test_a_record_is_a_line_with_the_place_and_the_time_of_day() -> None:
    numbers = (10, 7, 49_993, 5_000, 1_000, 64_256, 65_160, 3, 1)
    record = struct.pack("=Q14I", 2_500_000_123, 2, 77, 80, 40_000, *numbers, 3)
    shown = probe.line(record, {77: "server"}, 1_000_000_000_000)
    assert shown == "1002.500000,ca_state,server,80,40000," + ",".join(map(str, numbers)) + (
        ",recovery\n"
    )
    assert len(shown.split(",")) == len(probe.COLUMNS.split(","))


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("airmile.testbed.hosts.clang.shutil.which", lambda *_, **__: None)
    with pytest.raises(clang.MissingError, match="clang is not installed"):
        clang.check()


@NEEDS_ROOT
def test_every_retransmission_of_a_run_is_reported(tmp_path: Path) -> None:
    from airmile.testbed.run.emulated_run import run

    table = {
        "workload": {"name": "bulk_download", "bytes": 2_000_000},
        # A random loss, because a short queue may not overflow.
        "link": {"downlink": {"forced_drops": [200, 700]}},
        "longest_s": 20,
    }
    facts = run(parse("probed", table), tmp_path / "run")
    if not facts["bpf"]["present"]:
        pytest.skip(f"no BPF: {facts['bpf']['why']}")
    assert facts["bpf"]["lost"] == 0
    with (tmp_path / "run" / "probe.csv").open() as file:
        rows = list(csv.DictReader(file))
    kinds = Counter((row["event"], row["place"]) for row in rows)
    assert kinds["received", "phone"] > 1_000
    # One call retransmits one packet, or several consecutive ones.
    segments = max(int(row["total_retrans"]) for row in rows if row["place"] == "server")
    assert 0 < kinds["retransmitted", "server"] <= segments


def test_a_probe_whose_runner_was_killed_ends_quietly(tmp_path: Path) -> None:
    words = [
        sys.executable,
        "-m",
        "airmile.testbed.record.probe",
        str(tmp_path),
        str(tmp_path / "x"),
    ]
    # Without clang the probe prints the reason at once, and needs no rights.
    alone = {**os.environ, "PATH": "/nowhere", "PYTHONPATH": os.pathsep.join(sys.path)}
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [*words, "1", "2", "3"], stdout=writing, stderr=subprocess.PIPE, env=alone
    )
    os.close(writing)
    assert ended.stderr == b""
    assert ended.returncode == 0
