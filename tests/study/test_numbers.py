"""The numbers in the texts of the papers, from datasets small enough to compute by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import airmile
from airmile.study import bt19, hwy18, up16
from tests.study.test_hwy18 import trial
from tests.support.made import START, dataset, tti, write


def by_quantity(table: pa.Table) -> dict[str, dict[str, Any]]:
    return {row["quantity"]: row for row in table.to_pylist()}


def session(number: int, ul_bytes: int, dl_bytes: int) -> dict[str, Any]:
    return {"session_id": number, "start_ns": START, "ul_bytes": ul_bytes, "dl_bytes": dl_bytes}


def test_up16_sessions_and_uploads(tmp_path: Path) -> None:
    sessions = [
        *(session(n, 100, 100) for n in range(8)),
        session(8, 1_000_000, 3_000_000),
        session(9, 2_000_000, 2_000_000),
    ]
    upload = {"protocol": "tcp", "uid": 1}
    flows = [
        {**upload, "ul_payload_bytes": 1_000_000, "ul_burst_bps": 1e6},
        {**upload, "ul_payload_bytes": 9_999_999, "ul_burst_bps": 3e6},
        {**upload, "ul_payload_bytes": 10_000_000, "ul_burst_bps": 8e6},
        {**upload, "ul_payload_bytes": 999_999, "ul_burst_bps": 99e6},
    ]
    found = by_quantity(up16.numbers.table(dataset(tmp_path / "d", sessions=sessions, flows=flows)))
    values = {name: row["value"] for name, row in found.items()}
    assert values["sessions with more than 1 MB downlink"] == pytest.approx(0.2)
    assert values["sessions with more than 1 MB uplink"] == pytest.approx(0.1)
    assert values["share of upload in all sessions, 50 %"] == 0.5
    assert values["share of upload in the largest 20 % of sessions, 25 %"] == 0.3125
    assert found["share of upload in the largest 20 % of sessions, 50 %"]["n"] == 2
    assert values["most upload in a session"] == 2_000_000
    assert values["rate of uploads of 1 to 10 MB, 50 %"] == 2e6
    assert values["rate of uploads above 10 MB, most"] == 8e6
    assert "no table 'http'" in found["video, of HTTP bytes down"]["reason"]


def test_hwy18_trials(tmp_path: Path) -> None:
    flows = [trial(n, dl_payload_bytes=1_100_000 * n) for n in range(4)]
    found = by_quantity(hwy18.numbers.table(dataset(tmp_path / "d", flows=flows)))
    assert found["throughput of a download, 25 %"]["value"] == 1e7
    assert found["handshakes with a round trip of 40 to 80 ms"]["value"] == 1
    assert found["flows with payload above 1 MB downlink"]["value"] == 0.75
    assert found["bbr: throughput, median"]["value"] is None
    assert "'cells'" in found["downloads with 1 handover or more"]["reason"]


def test_round_trips_of_hwy18_are_those_that_the_phone_captured(tmp_path: Path) -> None:
    here = {"flows": [trial(1, handshake_rtt_ms=20.0)], "pings": [{"rtt_ms": 25.0}]}
    there = {"flows": [trial(7, handshake_rtt_ms=60.0)], "pings": [{"rtt_ms": 70.0}]}
    run = write(tmp_path / "run", **here)
    write(run / "ue.airmile", **there)
    found = by_quantity(hwy18.numbers.table(airmile.open(run)))
    assert found["round trips of pings, median"]["value"] == 70
    assert found["handshakes with a round trip of 40 to 80 ms"]["value"] == 1
    assert found["throughput of a download, 25 %"]["value"] == 1e7
    alone = by_quantity(hwy18.numbers.table(dataset(tmp_path / "alone", **here)))
    assert alone["round trips of pings, median"]["value"] == 25


def test_bt19_thresholds(tmp_path: Path) -> None:
    ttis = [tti(0, 50), tti(1, 46), tti(2, 45), tti(3, 20), tti(4, 19)]
    found = by_quantity(bt19.numbers.table(dataset(tmp_path / "d", ttis=ttis)))
    above, below = ("ACTIVE ms {} of the PRBs".format(f"{way} {{}}") for way in ("above", "below"))
    assert found[above.format("90 %")]["value"] == pytest.approx(0.4)
    assert found[above.format("85 %")]["value"] == pytest.approx(0.6)
    assert found[below.format("40 %")]["value"] == pytest.approx(0.2)
    assert found[below.format("50 %")]["value"] == pytest.approx(0.4)
    assert found["link demand of files less that of videos, paper's burst rule"]["value"] is None
