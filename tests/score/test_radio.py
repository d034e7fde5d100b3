"""Link demand and the verdict with modem logs, against the truth of the emulated sets."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

import airmile
from airmile.testbed.scoring import Score
from tests.score import kept

SETS = kept.EMU
MONITOR_ERROR = 0.03
UE_ERROR = 0.03
WORSE = 0.005
CLOCK_MS = 5.0


@pytest.mark.parametrize("folder", kept.WITH_LOG, ids=lambda folder: folder.name)
def test_link_demand_of_each_transfer(folder: Path) -> None:
    for row in kept.demands(folder):
        monitor, phone = row.estimates["joint+monitor"], row.estimates.get("joint+ue")
        assert monitor is not None
        assert abs(monitor - row.truth) <= MONITOR_ERROR, row
        assert phone is None or abs(phone - row.truth) <= UE_ERROR, row


def test_there_are_demands_of_all_sizes() -> None:
    rows = [row for folder in kept.WITH_LOG for row in kept.demands(folder)]
    truths = [row.truth for row in rows]
    assert len(truths) > 50
    assert min(truths) < 0.1
    assert max(truths) > 0.95
    assert sum("joint+ue" in row.estimates for row in rows) > 10


def test_the_columns_of_transfers_are_those_of_the_table_of_bursts(tmp_path: Path) -> None:
    folder = SETS / "t22_dash"
    dataset = airmile.analyze(
        folder / "monitor.pcap.gz", modem=folder / "modem.csv.gz", out=tmp_path / "dash.airmile"
    )
    query = """SELECT link_demand_ratio AS said, other_bytes_ratio AS others,
            coalesce((SELECT sum(least(b.end_ns, t.end_ns) - greatest(b.start_ns, first_byte_ns))
                FROM bursts b WHERE estimator = 'joint' AND b.end_ns > first_byte_ns
                AND b.start_ns < t.end_ns), 0) / (t.end_ns - first_byte_ns) AS counted
        FROM transfers t WHERE direction = 'downlink' AND end_ns > first_byte_ns"""
    rows = dataset.sql(query).to_pylist()
    assert len(rows) >= 5
    for row in rows:
        assert row["said"] == pytest.approx(row["counted"], abs=0.02)
        assert row["others"] == pytest.approx(0, abs=1e-3)


def test_a_modem_log_makes_the_verdict_better_and_nowhere_worse() -> None:
    before = {folder: kept.verdict(folder) for folder in kept.WITH_LOG}
    after = {folder: kept.verdict_with_log(folder) for folder in kept.WITH_LOG}
    worse = {
        folder.name: (before[folder].agreement, after[folder].agreement)
        for folder in kept.WITH_LOG
        if after[folder].agreement < before[folder].agreement - WORSE
    }
    assert not worse
    assert sum(after.values(), Score()).agreement > sum(before.values(), Score()).agreement


def moved(log: Path, out: Path, shift_s: float, stretch_ppm: float) -> None:
    """Write a log again with another clock, by moving the digits of its times."""
    with gzip.open(log, "rt") as source, gzip.open(out, "wt") as target:
        reader = csv.DictReader(source)
        writer = csv.DictWriter(target, reader.fieldnames or [])
        writer.writeheader()
        first: int | None = None
        for row in reader:
            seconds, _, fraction = row["t_unix"].partition(".")
            time_ns = int(seconds) * 10**9 + int((fraction + "0" * 9)[:9])
            first = time_ns if first is None else first
            shown_ns = first + round((time_ns - first) * (1 + stretch_ppm / 1e6) + shift_s * 1e9)
            row["t_unix"] = f"{shown_ns // 10**9}.{shown_ns % 10**9:09d}"
            writer.writerow(row)


@pytest.mark.parametrize("name", ["a_link_cubic", "t10_sender_app", "t18_bbr", "t22_dash"])
@pytest.mark.parametrize(("shift_s", "stretch_ppm"), [(3.7, 50.0), (-8.25, -50.0), (7200.0, 50.0)])
def test_the_clock_of_the_modem_is_found(
    name: str, shift_s: float, stretch_ppm: float, tmp_path: Path
) -> None:
    folder = SETS / name
    log = next(iter(folder.glob("modem*.csv.gz")))
    moved(log, tmp_path / "moved.csv.gz", shift_s, stretch_ppm)
    dataset = airmile.analyze(
        folder / "monitor.pcap.gz", modem=tmp_path / "moved.csv.gz", out=tmp_path / "a.airmile"
    )
    true = airmile.radio(log, out=tmp_path / "true.airmile")
    query = "SELECT time_ns FROM ttis WHERE direction = 'downlink' ORDER BY tti, carrier, block"
    shown, truth = (d.sql(query)["time_ns"].to_pylist() for d in (dataset, true))
    errors_ms = [abs(a - b) / 1e6 for a, b in zip(shown, truth, strict=True)]
    assert max(errors_ms) <= CLOCK_MS
