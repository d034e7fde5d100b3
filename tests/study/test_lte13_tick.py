"""Figure 18 of LTE13 on recorded flows whose phones had clocks of 1 and of 10 ms."""

from __future__ import annotations

from pathlib import Path

import pytest

import airmile as am
from airmile.store._needs import Missing
from airmile.study import lte13
from tests.support.made import dataset

RECORDED = Path(__file__).parents[1] / "data" / "emu" / "a_link_cubic"


@pytest.mark.parametrize(("capture", "tick_ms"), [("monitor", 1.0), ("monitor_uets10ms", 10.0)])
def test_the_error_falls_with_the_time_between_the_packets(
    capture: str, tick_ms: float, tmp_path: Path
) -> None:
    d = am.analyze(RECORDED / f"{capture}.pcap.gz", out=tmp_path / "x.airmile")
    rows = {row["apart_s"]: row for row in lte13.fig18.table(d).to_pylist()}
    assert rows[3.0]["tick_ms"] == pytest.approx(tick_ms, rel=0.001)
    errors = [rows[apart_s]["error_mean_ratio"] for apart_s in (0.1, 1.0, 3.0, 7.0)]
    assert errors == sorted(errors, reverse=True)
    assert 0 < rows[3.0]["error_mean_ratio"] < 0.005
    assert rows[0.1]["error_mean_ratio"] > 0.01


def test_the_error_is_that_of_pairs_by_hand() -> None:
    from airmile.study.lte13.fig18_tick import _of_pairs

    points = [(0, 2**32 - 500), (1_000_000_000, 500), (2_100_000_000, 1600)]
    found = list(_of_pairs(points, [time for time, _ in points], 1.0, 1.0))
    assert found == pytest.approx([0.0, 0.0])
    found = list(_of_pairs(points, [time for time, _ in points], 2.0, 1.05))
    assert found == pytest.approx([1 - 1 / 1.05])


def test_without_a_long_flow_it_says_what_is_needed(tmp_path: Path) -> None:
    short = {"protocol": "tcp", "uid": 1, "start_ns": 0, "end_ns": 9_000_000_000, "tick_ms": 1.0,
             "duration_s": 9.0, "vantage": "monitor", "ue_timestamps": True}  # fmt: skip
    with pytest.raises(Missing, match="10 s or more"):
        lte13.fig18.table(dataset(tmp_path / "d", flows=[short]))
