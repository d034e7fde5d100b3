"""Pairs of captures of one emulated path with one clock: the offset and the drift are 0."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

import airmile
from airmile.testbed.record.captures import POINTS

CORPUS = os.environ.get("AIRMILE_CORPUS")


def pairs() -> list[tuple[Path, Path]]:
    """Give the pairs of captures of each path; beyond a proxy there are other connections."""
    sets = sorted((Path(CORPUS) / "emu").glob("*/meta.json")) if CORPUS else []
    found = []
    for meta in sets:
        points = list(POINTS)[:2] if "proxy" in meta.parent.name else POINTS
        captures = [meta.with_name(f"{point}.pcap.gz") for point in points]
        found += [(one, two) for n, one in enumerate(captures) for two in captures[n + 1 :]]
    return found


@pytest.mark.skipif(CORPUS is None, reason="AIRMILE_CORPUS is not set")
def test_the_emulated_sets_are_there() -> None:
    assert len(pairs()) >= 14


@pytest.mark.parametrize(("near", "far"), pairs(), ids=lambda p: f"{p.parent.name}-{p.name[:3]}")
def test_captures_of_one_clock(near: Path, far: Path) -> None:
    found = airmile.align(near, far)
    assert found.nearer == "first"
    assert found.steps == () and found.left_out == 0
    assert found.offset_ms is not None and found.offset_uncertainty_ms is not None
    assert abs(found.offset_ms) <= found.offset_uncertainty_ms
    if found.drift_ppm is not None:
        assert abs(found.drift_ppm) <= (found.drift_uncertainty_ppm or 0)


@pytest.mark.parametrize("near", [one for one, two in pairs() if two.name == "monitor.pcap.gz"])
def test_what_the_emulator_dropped_is_what_was_lost(near: Path) -> None:
    with near.with_name("events.csv").open() as text:
        events = list(csv.DictReader(text))
    dropped = sum("drop" in row["event"] and row["dir"] == "DL" for row in events)
    found = airmile.align(near, near.with_name("monitor.pcap.gz"))
    assert found.downlink.lost == dropped
