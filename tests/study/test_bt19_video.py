"""Figures 1, 7a, 9b and 9c of BT19, from invented videos."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import airmile as am
from airmile.study import Missing, bt19
from tests.support.made import MS, at, campaign, dataset

SHOWN = ("fig1", "fig7a", "fig9b", "fig9c")


def clip(trial: int, port: int, iteration: int, **values: Any) -> dict[str, Any]:
    return {
        "trial": trial, "port": port, "iteration": iteration, "seed": iteration, "turn": 0,
        "step": trial, "micro_fetch": False, "segments": 2, "bitrate_bps": 1e6, "got_bps": 3e6,
        "switches": 2, "stalls": 1, "stalled_s": 0.5, "complete": True, **values,
    }  # fmt: skip


def segment(trial: int, number: int, begin_ms: float, end_ms: float) -> dict[str, Any]:
    return {
        "trial": trial, "segment": number, "start_ns": at(begin_ms), "end_ns": at(end_ms),
        "bytes": 500_000, "bitrate_bps": 1e6 * (number + 1), "got_bps": 2e6,
        "buffered_before_s": 4.0, "buffered_s": 8.0,
    }  # fmt: skip


def trial(number: int, step: int, begin_ms: float, end_ms: float, kind: str) -> dict[str, Any]:
    return {
        "trial": number, "turn": 0, "step": step, "kind": kind, "bytes": 1_000_000,
        "start_ns": at(begin_ms), "end_ns": at(end_ms),
    }  # fmt: skip


def test_a_speed_test_is_all_downloads_of_its_step_together(tmp_path: Path) -> None:
    trials = [
        trial(1, 1, 0, 1000, "download"), trial(2, 1, 0, 2000, "download"),
        trial(3, 2, 3000, 9000, "video"), trial(4, 3, 10_000, 11_000, "download"),
    ]  # fmt: skip
    clips = [clip(3, 80, 1, step=2, got_bps=3e6)]
    rows = bt19.fig1.table(dataset(tmp_path / "d", trials=trials, clips=clips)).to_pylist()
    assert [(row["part"], row["throughput_bps"]) for row in rows] == [
        ("speed test before", 8e6), ("video", 3e6), ("speed test after", 8e6)
    ]  # fmt: skip


def test_a_video_without_a_speed_test_after_it_is_no_such_sequence(tmp_path: Path) -> None:
    trials = [trial(1, 1, 0, 1000, "download"), trial(2, 2, 1000, 2000, "video")]
    with pytest.raises(Missing, match="between two downloads"):
        bt19.fig1.table(dataset(tmp_path / "d", trials=trials, clips=[clip(2, 80, 1, step=2)]))


def test_the_first_clip_of_each_port_is_shown_from_its_first_request(tmp_path: Path) -> None:
    clips = [clip(1, 80, 1), clip(2, 7777, 1), clip(3, 80, 2)]
    video = [segment(n, k, 1000 * n + 100 * k, 1000 * n + 100 * k + 50)
             for n in (1, 2, 3) for k in (0, 1)]  # fmt: skip
    rows = bt19.fig9b.table(dataset(tmp_path / "d", clips=clips, video=video)).to_pylist()
    assert [(row["port"], row["trial"], row["time_s"]) for row in rows] == [
        (80, 1, 0.05), (80, 1, 0.15), (7777, 2, 0.05), (7777, 2, 0.15)
    ]  # fmt: skip


def test_a_change_is_that_of_pairs_of_one_iteration(tmp_path: Path) -> None:
    runs = {
        f"r{n}": {
            "clips": [
                clip(1, 80, n, bitrate_bps=1e6 * n),
                clip(2, 7777, n, bitrate_bps=1.5e6 * n, stalled_s=0.0),
            ]
        }
        for n in (1, 2, 3)
    }
    runs["alone"] = {"clips": [clip(1, 80, 9, bitrate_bps=99e6)]}
    rows = bt19.fig9c.table(campaign(tmp_path / "runs", **runs)).to_pylist()
    found = {row["quantity"]: row for row in rows}
    assert found["bitrate_bps"]["pairs"] == 3
    assert found["bitrate_bps"]["change_ratio"] == pytest.approx(0.5)
    assert found["stalled_s"]["change_ratio"] == pytest.approx(-1)
    assert found["switches"]["change_ratio"] == pytest.approx(0)


def test_a_change_of_nothing_is_unknown_with_its_reason(tmp_path: Path) -> None:
    clips = [clip(1, 443, 1, stalled_s=0.0), clip(2, 7777, 1, stalled_s=3.0)]
    table = bt19.fig9c.table(dataset(tmp_path / "d", clips=clips))
    found = {each.quantity: each for each in bt19.fig9c.findings(table)}
    assert found["time in stalls"].here == "unknown"
    assert "no time in stalls on ports 80 and 443" in found["time in stalls"].reason


def test_clips_that_were_cut_off_do_not_count(tmp_path: Path) -> None:
    clips = [clip(1, 443, 1, complete=False, stalls=None), clip(2, 7777, 1)]
    with pytest.raises(Missing, match="no pair"):
        bt19.fig9c.table(dataset(tmp_path / "d", clips=clips))


def release(tmp_path: Path) -> am.Dataset:
    """Return a segment of 100 KB that comes within 10 ms, and is served within 100."""
    truth, queue = [], 0
    for ms in range(200):
        arrived = 10_000 if ms < 10 else 0
        served = min(queue + arrived, 1000) if ms < 100 else 0
        truth.append(
            {"time_ns": at(0) + ms * MS, "direction": "downlink", "queue_bytes": queue,
             "served_bytes": served}
        )  # fmt: skip
        queue += arrived - served
    video, clips = [segment(1, 0, 0, 150)], [clip(1, 80, 1)]
    return dataset(tmp_path / "d", truth_ttis=truth, video=video, clips=clips)


def test_what_reached_the_queue_is_its_growth_and_what_was_served(tmp_path: Path) -> None:
    rows = bt19.fig7a.table(release(tmp_path)).to_pylist()
    arrived = {row["time_ms"]: row["arrived_bytes"] for row in rows}
    served = [row["served_bytes"] for row in rows if row["served_bytes"]]
    assert {time: size for time, size in arrived.items() if size} == {0: 100_000}
    assert served == [25_000] * 4


def test_the_bulk_is_the_shortest_time_with_nine_tenths_of_the_bytes(tmp_path: Path) -> None:
    found = {e.quantity: e.here for e in bt19.fig7a.findings(bt19.fig7a.table(release(tmp_path)))}
    assert found["90 % of the bytes sent, at the base station within"] == "25\xa0ms"
    assert found["90 % of the bytes delivered to the phone within"] == "100\xa0ms"


@pytest.mark.parametrize("narrow", [False, True])
def test_pictures_of_videos(narrow: bool, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    trials = [
        trial(1, 1, 0, 1000, "download"), trial(2, 2, 1000, 9000, "video"),
        trial(3, 3, 9000, 9900, "download"),
    ]  # fmt: skip
    clips = [clip(2, 80, 1, step=2), clip(4, 7777, 1, step=4, stalls=0)]
    video = [segment(2, 0, 0, 150), segment(4, 0, 0, 150)]
    d = dataset(tmp_path / "d", trials=trials, clips=clips, video=video)
    tables = {name: bt19.EXHIBITS[name].table(d) for name in ("fig1", "fig9b", "fig9c")}
    tables["fig7a"] = bt19.fig7a.table(release(tmp_path / "r"))
    for name in SHOWN:
        figure = bt19.EXHIBITS[name].draw(tables[name], narrow=narrow)
        assert figure is not None
        figure.canvas.draw()


@pytest.mark.parametrize("name", SHOWN)
def test_without_videos_it_says_what_is_needed(name: str, tmp_path: Path) -> None:
    with pytest.raises(Missing) as caught:
        bt19.EXHIBITS[name].table(dataset(tmp_path / "d", flows=[]))
    assert "airmile testbed run" in (caught.value.hint or "")
