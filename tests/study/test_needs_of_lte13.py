"""What figures and numbers of LTE13 need of the data: losses, timeouts, windows, whole flows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airmile.study import Missing, lte13
from airmile.study._curves import Points
from tests.support.made import MS, Rows, at, dataset, flow


def test_the_size_of_a_flow_that_had_begun_before_the_capture_is_unknown(tmp_path: Path) -> None:
    flows = [
        flow(1, dl_payload_bytes=5), flow(2, dl_payload_bytes=7, quality="mid_stream"),
        flow(3, ul_payload_bytes=0, quality="capture_loss,one_sided"),
    ]  # fmt: skip
    rows = lte13.fig2.table(dataset(tmp_path / "d", flows=flows))
    assert Points(rows, "downlink").n == 1
    cut = [flow(1, quality="mid_stream")]
    with pytest.raises(Missing, match="had begun before the capture"):
        lte13.fig3.table(dataset(tmp_path / "cut", flows=cut))


def test_a_flow_that_has_not_ended_shows_no_ending(tmp_path: Path) -> None:
    flows = [flow(1, ending="fin"), flow(2, ending="open"), flow(3, ending="rst")]
    rows = lte13.numbers.table(dataset(tmp_path / "d", flows=flows)).to_pylist()
    (fin,) = [row for row in rows if row["quantity"] == "ended by FIN"]
    assert (fin["value"], fin["n"]) == (0.5, 2)


def test_retransmissions_are_unknown_on_the_phone(tmp_path: Path) -> None:
    """What was lost before the phone never passed it, so its retransmission passes once."""
    lost = {"dl_retransmissions": 0, "dl_packets": 100}
    for place, known in (("ue", None), ("monitor", 1.0)):
        d = dataset(tmp_path / place, flows=[flow(1, vantage=place, **lost)])
        rows = {row["quantity"]: row for row in lte13.numbers.table(d).to_pylist()}
        assert rows["no retransmission"]["value"] == known
        assert bool(rows["no retransmission"]["reason"]) == (known is None)


@pytest.mark.parametrize("name", ["fig15", "fig16"])
def test_round_trips_of_downloads_and_timeouts_are_not_seen_on_the_phone(
    tmp_path: Path, name: str
) -> None:
    d = dataset(tmp_path / "d", flows=[flow(1, vantage="ue")], loss_episodes=[train(0)])
    with pytest.raises(Missing, match="captured at the phone, and only a capture at a monitor"):
        lte13.EXHIBITS[name].table(d)


def train(start_ms: int, **values: Any) -> dict[str, Any]:
    return {
        "uid": 1, "direction": "downlink", "start_ns": at(start_ms), "end_ns": at(start_ms + 50),
        "duplicate_acks": 40, "in_flight_bytes": 100_000, "rss_ratio": 3.0, "timeouts_seen": 0,
        "undesired_slow_start": True, "rss_start_ns": at(start_ms + 50),
        "rss_end_ns": at(start_ms + 250), **values,
    }  # fmt: skip


LARGE = {
    "dl_payload_bytes": 9_000_000, "dl_first_payload_ns": at(0), "dl_last_payload_ns": at(9000),
    "undesired_slow_starts": 1, "dl_retransmissions": 1, "dl_upstream_losses": 0,
    "timeouts_seen": 0,
}  # fmt: skip


def slow_starts(path: Path, timeouts: int, **more: Rows) -> dict[str, Any]:
    d = dataset(
        path, flows=[flow(1, vantage="monitor", **{**LARGE, "timeouts_seen": timeouts})],
        loss_episodes=[train(1000, timeouts_seen=timeouts)], **more,
    )  # fmt: skip
    return {row["quantity"]: row["value"] for row in lte13.numbers.table(d).to_pylist()}


def test_a_slow_start_by_r_ss_alone_is_beside_one_with_a_timeout(tmp_path: Path) -> None:
    alone, confirmed = (slow_starts(tmp_path / str(n), n) for n in (0, 1))
    by_rule, seen_too = "undesired slow start", "undesired slow start with a timeout seen"
    assert (alone[f"{by_rule}, of all large"], alone[f"{seen_too}, of all large"]) == (1, 0)
    assert confirmed[f"{seen_too}, of all large"] == 1


def test_r_ss_says_nothing_where_the_application_paused(tmp_path: Path) -> None:
    pause = {"uid": 1, "direction": "downlink", "cause": "sender_app"}
    during = [{**pause, "start_ns": at(1100), "end_ns": at(1200)}]
    later = [{**pause, "start_ns": at(1000) + 251 * MS, "end_ns": at(1400)}]
    quantity = "undesired slow start, of all large"
    assert slow_starts(tmp_path / "during", 0, slices=during)[quantity] == 0
    assert slow_starts(tmp_path / "later", 0, slices=later)[quantity] == 1


def test_without_a_timeout_none_was_prevented_and_no_figure_shows_one(tmp_path: Path) -> None:
    exceeded = {"dl_rto_prevented_lte13": 3, "dl_rto_exceeded_lte13": 4}
    d = dataset(
        tmp_path / "d",
        flows=[flow(1, vantage="monitor", **LARGE, **exceeded)],
        loss_episodes=[train(1000)],
    )
    with pytest.raises(Missing, match=r"1 with R_ss above 1\.5, none of them with a timeout"):
        lte13.fig16.table(d)
    rows = {row["quantity"]: row for row in lte13.numbers.table(d).to_pylist()}
    prevented = rows["timeouts that RTTs of duplicate ACKs prevent"]
    assert prevented["value"] is None
    assert "no flow shows a timeout" in prevented["reason"]


def test_a_window_that_was_full_and_did_not_limit_is_no_example(tmp_path: Path) -> None:
    full = {"window_full_s": 5.0, "window_full_first_ratio": 0.1, "dl_first_payload_ns": at(0)}
    slices = [
        {"uid": 1, "direction": "downlink", "start_ns": at(0), "end_ns": at(950),
         "cause": "lte_downlink"},
        {"uid": 1, "direction": "downlink", "start_ns": at(950), "end_ns": at(1000),
         "cause": "receive_window"},
    ]  # fmt: skip
    d = dataset(tmp_path / "d", flows=[flow(1, **full)], slices=slices)
    with pytest.raises(Missing, match="limited by receive window or receiver application"):
        lte13.fig23.table(d)
