"""Captures of the same traffic: counted once at one place, refused at two (methods A1)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import airmile as am
from airmile._errors import UsageError
from tests.support import taps

MONITOR = Path(__file__).parents[1] / "data" / "emu" / "t05_slow_start" / "monitor.pcap.gz"
MS = 1_000_000


def test_two_captures_of_one_interface_count_once(tmp_path: Path) -> None:
    records = taps.read(MONITOR)
    one = taps.write(tmp_path / "one.pcap", records)
    late = [replace(record, ns=record.ns + MS // 10) for record in records]
    other = taps.write(tmp_path / "other.pcap", late)
    alone = am.analyze(one, out=tmp_path / "a.airmile")
    both = am.analyze(one, other, out=tmp_path / "b.airmile")
    assert both.verdict.shares == alone.verdict.shares
    columns = ("dl_packets", "ul_packets", "dl_retransmissions", "dl_capture_duplicates")
    for name in columns:
        assert both.flows[name].to_pylist() == alone.flows[name].to_pylist(), name
    assert any("in two captures of one place" in each for each in both.manifest["warnings"])


def test_captures_at_two_places_are_refused_with_the_way_out(tmp_path: Path) -> None:
    records = taps.read(MONITOR)
    here = taps.write(tmp_path / "here.pcap", records)
    moved = taps.farther(records, lambda _: 12 * MS, lambda _: 12 * MS)
    there = taps.write(tmp_path / "there.pcap", moved)
    with pytest.raises(UsageError, match="recorded at two places") as caught:
        am.analyze(here, there, out=tmp_path / "x.airmile")
    assert f"airmile align {here} {there}" in (caught.value.hint or "")
    assert not (tmp_path / "x.airmile").exists()
