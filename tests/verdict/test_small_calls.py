"""Small calls have a verdict of their own, beside that of larger transfers (methods T1)."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from tests.support.handmade import Rows, flow, slice_, transfer
from tests.verdict.test_verdict import dataset, one_line


def small_calls(number: int, *causes: tuple[float, str]) -> tuple[Rows, Rows]:
    """Return calls of less than 1 KB, one a second, with the seconds of each cause."""
    transfers, slices = [], []
    for call in range(number):
        start = end = float(call)
        for length, cause in causes:
            slices.append(slice_(1, call, end, end + length, cause))
            end += length
        transfers.append(transfer(1, call, start, end, control=True, bytes=300, loop_ms=20.0))
    return transfers, slices


def test_small_calls_have_a_verdict_beside_what_carried_the_bytes(tmp_path: Path) -> None:
    transfers, slices = small_calls(100, (0.054, "round_trip"), (0.008, "handshake_dns"))
    transfers.append(transfer(1, 100, 100, 101))
    slices.append(slice_(1, 100, 100, 101, "lte_downlink"))
    verdict = dataset(tmp_path, [flow(1)], transfers, slices).verdict
    assert (verdict.limited_by, verdict.shares) == ("lte_downlink", {"lte_downlink": 1.0})
    small = verdict.small_calls
    assert small is not None and verdict.small_calls_limited_by == "round_trip"
    assert small.small_calls is small
    assert small.shares == {
        "round_trip": pytest.approx(54 / 62),
        "handshake_dns": pytest.approx(8 / 62),
    }
    said = one_line(verdict)
    assert "Limited by access link, downlink 100 %" in said
    assert (
        "Beside 100 small calls (below 1 KB both ways), median 62 ms, 6.2 s in all: "
        "round trip 87 % (20 ms from the capture point to the server and back) "
        "handshake and DNS 13 %; the server's own time is not told from the round trip" in said
    )
    assert "Shares of 1.0 s of transfers" in said and "left out" not in said
    document = verdict.to_dict()
    assert document["limited_by"] == "lte_downlink"
    beside = document["small_calls"]
    assert (beside["limited_by"], beside["calls"]) == ("round_trip", 100)
    assert beside["median_ms"] == pytest.approx(62.0)
    assert beside["shares"] == dict(small.shares)


def test_of_small_calls_alone_the_report_is_theirs(tmp_path: Path) -> None:
    transfers, slices = small_calls(100, (0.054, "round_trip"), (0.008, "handshake_dns"))
    verdict = dataset(tmp_path, [flow(1)], transfers, slices).verdict
    assert (verdict.limited_by, verdict.small_calls_limited_by) == ("round_trip", "round_trip")
    assert verdict.small_calls is verdict
    sent = pickle.loads(pickle.dumps(verdict))
    assert [flow.shares for flow in sent.flows] == [flow.shares for flow in verdict.flows] != []
    said = one_line(verdict)
    assert "Limited by 100 small calls, median 62 ms: round trip 87 %" in said
    assert "Shares of 6.2 s of small calls (below 1 KB both ways)" in said
    document = verdict.to_dict()
    assert document["shares"] == document["small_calls"]["shares"] != {}


def test_a_server_that_takes_time_is_distinguishable(tmp_path: Path) -> None:
    transfers, slices = small_calls(3, (0.02, "round_trip"), (0.03, "sender_app"))
    text = one_line(dataset(tmp_path, [flow(1)], transfers, slices).verdict)
    assert "sender application 60 %" in text
    assert "is not told from" not in text


def test_small_calls_below_a_tenth_of_the_time_are_not_mentioned(tmp_path: Path) -> None:
    transfers, slices = small_calls(1, (0.1, "round_trip"))
    transfers.append(transfer(1, 100, 100, 101))
    slices.append(slice_(1, 100, 100, 101, "lte_downlink"))
    verdict = dataset(tmp_path, [flow(1)], transfers, slices).verdict
    assert verdict.small_calls_limited_by == "round_trip"
    assert "Beside" not in one_line(verdict)


def test_small_calls_are_explained_where_they_are_judged(tmp_path: Path) -> None:
    transfers, slices = small_calls(3, (0.1, "round_trip"))
    slices[0].update(direction="uplink")
    known = flow(1, ul_payload_bytes=900_000)
    shown = one_line(dataset(tmp_path, [known], transfers, slices).verdict)
    assert "Shares of 300 ms of small calls (below 1 KB both ways), from the" in shown
