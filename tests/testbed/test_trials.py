"""The tables of what a run's workloads did, from its log and the tables of its analysis."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import airmile
from airmile.testbed.truth import trials
from tests.support import made
from tests.support.made_up import sample

S = 1_000_000_000
START_S = made.START // S

EXPERIMENT: dict[str, Any] = {
    "name": "x-2",
    "link": {"seed": 2},
    "workload": "sequence",
    "options": {
        "repeat": 3,
        "steps": [
            {"name": "ping", "count": 3, "pause_s": 3},
            {"name": "bulk_download", "bytes": 2_000_000, "congestion_control": "bbr"},
            {"name": "dash", "adaptation": "buffer", "micro_fetch_gap_s": 0.1},
        ],
    },
    "background": [{"name": "bulk_upload", "options": {}, "start_s": 0.0}],
    "proxy": None,
    "routes": {},
}
FACTS = {"experiment": EXPERIMENT, "sender": "server", "trustworthy": True}


def said(event: str, at_s: float, **more: Any) -> dict[str, Any]:
    return {"event": event, "t_unix": START_S + at_s, **more}


def fetched(from_s: float, to_s: float, size: int, ue_port: int) -> dict[str, Any]:
    return {
        "request_unix": START_S + from_s,
        "first_unix": START_S + from_s + 0.1,
        "end_unix": START_S + to_s,
        "bytes": size,
        "ue_port": ue_port,
        "port": 80,
    }


def segment(number: int, from_s: float, to_s: float, mbps: float, **more: Any) -> dict[str, Any]:
    player = {"buffered_before_s": 0, "buffered_s": 4, "stalled_s": 0.5, "micro_fetches": 2}
    size = int(mbps * 1e6 / 8 * 4)
    seen = fetched(from_s, to_s, size, 5002)
    played = {"number": number, "mbps": mbps, "got_mbps": 9.0, **player}
    return said("segment", to_s, **played, **seen, **more)


def flow(uid: int, ue_port: int, from_s: float, to_s: float) -> dict[str, Any]:
    return made.flow(
        uid=uid, ue_port=ue_port, server_port=80, start_ns=made.START + int(from_s * S),
        end_ns=made.START + int(to_s * S),
    )  # fmt: skip


def run(path: Path, events: list[dict[str, Any]], **facts: Any) -> airmile.Dataset:
    """Write a run with its flows, senders, cells and handovers, and its trials."""
    at = made.START
    cells = [
        {"time_ns": at + second * S, "user": 0, "cell": 1, "carrier": 0, "serving": True,
         "sinr_db": 10.0 + second}
        for second in range(60)
    ]  # fmt: skip
    senders = [
        {**sample(0, peer_port=port, cc=cc), "time_ns": at + second * S}
        for port, cc, second in [(5001, "bbr", 11), (5001, "bbr", 12), (5002, "cubic", 21)]
    ]
    handovers = [
        {"time_ns": at + int(second * S), "event": "handover_end", "value": 50.0}
        for second in (9.5, 11.5, 12.5)
    ]
    made.write(
        path,
        flows=[flow(1, 5001, 10, 14), flow(2, 5002, 20, 40), flow(3, 5003, 0, 60)],
        cells=cells, truth_tcp=senders, truth_events=handovers,
    )  # fmt: skip
    (path / "workload.jsonl").write_text("".join(json.dumps(each) + "\n" for each in events))
    trials.write(airmile.open(path), {**FACTS, **facts})
    return airmile.open(path)


def test_a_download_has_its_flow_control_sinr_and_handovers(tmp_path: Path) -> None:
    events = [
        said("step", 10, step=2, turn=1, workload="bulk_download"),
        said("download", 14, step=2, turn=1, number=0, **fetched(10, 14, 2_000_000, 5001)),
    ]
    [row] = run(tmp_path / "x", events).trials.to_pylist()
    assert row["start_ns"] == made.START + 10 * S
    assert row["first_ns"] - row["start_ns"] == S // 10
    expected = {
        "trial": 1, "experiment": "x-2", "seed": 2, "turn": 1, "step": 2, "background": None,
        # Of the second seed with three repetitions the second: 3 + 1 + 1.
        "iteration": 5, "workload": "bulk_download", "kind": "download", "number": 0, "uid": 1,
        "ue_port": 5001, "port": 80, "congestion_control": "bbr", "bytes": 2_000_000,
        "duration_s": 4.0, "rate_bps": 4e6, "rtt_ms": None, "sent": None, "answered": None,
        # The seconds 10 to 14 have 20 to 24 dB.
        "sinr_mean_db": 22.0, "handovers": 2, "trustworthy": True,
    }  # fmt: skip
    assert {name: row[name] for name in expected} == expected


def test_pings_have_a_mean_round_trip_and_no_rate(tmp_path: Path) -> None:
    shared = {"step": 1, "turn": 0}
    events = [
        said("reply", 1.05, sequence=1, rtt_ms=50.0, **shared),
        said("reply", 2.07, sequence=2, rtt_ms=70.0, **shared),
        said("pings", 3, sent=3, answered=2, **shared),
    ]
    [row] = run(tmp_path / "x", events).trials.to_pylist()
    assert (row["kind"], row["rtt_ms"], row["sent"], row["answered"]) == ("pings", 60.0, 3, 2)
    assert (row["start_ns"] - made.START, row["rate_bps"], row["uid"]) == (S, None, None)
    assert row["congestion_control"] is None


def test_a_video_is_a_trial_a_clip_and_its_segments(tmp_path: Path) -> None:
    shared = {"step": 3, "turn": 0}
    events = [
        segment(0, 20, 21, 0.2, **shared),
        segment(1, 22, 24, 4.0, **shared),
        said("video", 30, stalls=1, stalled_s=0.5, startup_s=1.2, **shared),
    ]
    found = run(tmp_path / "x", events)
    [row] = found.trials.to_pylist()
    assert (row["kind"], row["uid"], row["bytes"]) == ("video", 2, 2_100_000)
    assert (row["start_ns"], row["end_ns"]) == (made.START + 20 * S, made.START + 24 * S)
    [clip] = found.clips.to_pylist()
    assert clip == {
        "trial": 1, "seed": 2, "iteration": 4, "turn": 0, "step": 3, "adaptation": "buffer",
        "micro_fetch": True, "port": 80, "congestion_control": "cubic", "segments": 2,
        # 2.1 MB in 1 + 2 s.
        "bitrate_bps": pytest.approx(2.1e6), "got_bps": 5.6e6, "switches": 1, "stalls": 1,
        "stalled_s": 0.5, "startup_s": 1.2, "complete": True,
    }  # fmt: skip
    assert found.video["bitrate_bps"].to_pylist() == [0.2e6, 4e6]
    assert found.video["trial"].to_pylist() == [1, 1]


def test_a_video_that_was_cut_off_is_incomplete_and_its_stalls_are_unknown(tmp_path: Path) -> None:
    found = run(tmp_path / "x", [segment(0, 20, 21, 0.2, step=3, turn=0)])
    [clip] = found.clips.to_pylist()
    assert (clip["complete"], clip["stalls"], clip["startup_s"]) == (False, None, None)
    assert found.trials["number"].to_pylist() == [None]


def test_what_is_in_the_background_is_beside_and_trials_are_by_their_start(tmp_path: Path) -> None:
    events = [
        said("download", 14, step=2, turn=0, number=0, **fetched(10, 14, 100, 5001)),
        said("upload", 15, background=1, number=0, **fetched(2, 15, 300, 5003)),
    ]
    up, down = run(tmp_path / "x", events).trials.to_pylist()
    assert (up["trial"], up["background"], up["workload"]) == (1, 1, "bulk_upload")
    assert (up["step"], up["uid"], up["first_ns"]) == (None, 3, None)
    assert (down["trial"], down["background"], down["step"]) == (2, None, 2)


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "x"
    made.write(path, flows=[flow(1, 5001, 10, 14)])
    whole = said("download", 14, step=2, turn=0, number=0, **fetched(10, 14, 100, 5001))
    (path / "workload.jsonl").write_text(json.dumps(whole) + '\n{"event": "downlo')
    trials.write(airmile.open(path), FACTS)
    [row] = airmile.open(path).trials.to_pylist()
    # Without the tables of the link and of the hosts the wanted control is known, and no SINR.
    assert (row["congestion_control"], row["sinr_mean_db"], row["handovers"]) == ("bbr", None, None)


def test_ports_that_two_flows_had_at_the_time_name_none(tmp_path: Path) -> None:
    path = tmp_path / "x"
    made.write(path, flows=[flow(1, 5001, 10, 12), flow(2, 5001, 13, 14)])
    event = said("download", 14, step=2, turn=0, number=0, **fetched(10, 14, 100, 5001))
    (path / "workload.jsonl").write_text(json.dumps(event) + "\n")
    trials.write(airmile.open(path), FACTS)
    assert airmile.open(path).trials["uid"].to_pylist() == [None]
