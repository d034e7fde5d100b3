"""Exhibits of HWY18, from datasets that are small enough to compute by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import airmile as am
from airmile.study import Missing, hwy18
from airmile.study._curves import Points
from tests.support.made import Rows, at, campaign, dataset, flow, transfer, tti


def cell(ms: float, sinr: float | None, **values: Any) -> dict[str, Any]:
    """Return a measurement of the serving cell 1."""
    place = {"user": 0, "cell": 1, "earfcn": 2000, "carrier": 0, "serving": True}
    return {"time_ns": at(ms), "sinr_db": sinr, **place, **values}


def handover(end_ms: float | None, **values: Any) -> dict[str, Any]:
    """Return a handover of user 0."""
    end = None if end_ms is None else at(end_ms)
    return {"user": 0, "start_ns": at(0), "end_ns": end, "kind": "handover", **values}


def test_a_block_falls_into_the_bin_of_its_second_and_carrier(tmp_path: Path) -> None:
    ttis = [
        tti(0, 50, modulation="64QAM"),
        tti(500, 50, modulation="QPSK", crc_ok=False),
        tti(999, 50, modulation="64QAM", retransmission=True),
        tti(600, 50, modulation="16QAM", carrier=1),
        tti(1500, 50, modulation="QPSK"),  # a second without a measurement
        tti(2500, 50, modulation="QPSK"),
        tti(100, 50, modulation="QPSK", direction="uplink"),
        tti(100, 50, modulation="QPSK", rnti="other"),
        tti(100, 50, modulation=None),
    ]
    cells = [
        *(cell(100, 24.0), cell(900, 28.0)),  # 26 dB
        cell(100, -3.0, serving=False),
        cell(100, 7.0, carrier=1),
        cell(2000, -0.5),
        cell(1500, None),
    ]
    rows = hwy18.fig4.table(dataset(tmp_path / "d", ttis=ttis, cells=cells)).to_pylist()
    assert [(row["bin_db"], row["modulation"], row["blocks"]) for row in rows] == [
        (-5, "QPSK", 1),
        (5, "16QAM", 1),
        (25, "QPSK", 1),
        (25, "64QAM", 2),
        (None, "QPSK", 1),
    ]
    assert [row["ratio"] for row in rows][2:4] == [pytest.approx(1 / 3), pytest.approx(2 / 3)]


def test_a_block_without_a_carrier_is_one_of_the_primary_carrier(tmp_path: Path) -> None:
    ttis = [tti(0, 50, modulation="64QAM", carrier=None)]
    d = dataset(tmp_path / "d", ttis=ttis, cells=[cell(100, 26.0)])
    assert [row["bin_db"] for row in hwy18.fig4.table(d).to_pylist()] == [25]


def test_figure_4_says_whether_modulation_or_sinr_is_lacking(tmp_path: Path) -> None:
    block, measured = tti(0, 50, modulation="64QAM"), cell(100, 26.0)
    without = dataset(tmp_path / "a", ttis=[{**block, "modulation": None}], cells=[measured])
    with pytest.raises(Missing, match=r"(?m)no downlink block with a modulation$") as lacking:
        hwy18.fig4.table(without)
    assert "needs the modulation of the blocks" in (lacking.value.hint or "")
    elsewhere = dataset(tmp_path / "b", ttis=[block], cells=[cell(2500, 26.0)])
    with pytest.raises(Missing, match="in a second with a SINR"):
        hwy18.fig4.table(elsewhere)


def test_a_download_has_the_mean_sinr_of_its_seconds(tmp_path: Path) -> None:
    d = dataset(
        tmp_path / "d",
        flows=[flow(1)],
        transfers=[
            transfer(1, 1, 1200, 3800),
            transfer(1, 2, 9000, 9500),  # no measurement
            transfer(1, 3, 1200, 3800, bytes=999_999),
            transfer(1, 4, 1200, 3800, direction="uplink"),
        ],
        cells=[cell(900, 30.0), *(cell(1000 + 10 * n, 10.0) for n in range(5)), cell(3900, 20.0)],
        handovers=[],
    )
    (row,) = hwy18.fig3.table(d).to_pylist()
    assert (row["transfer_id"], row["sinr_db"]) == (1, pytest.approx(15.0))
    (row,) = hwy18.fig9.table(d).to_pylist()
    assert (row["bin_db"], row["control"]) == (15, "all")
    assert row["throughput_bps"] == pytest.approx(2_000_000 * 8 / 2.6)


def driven() -> dict[str, Rows]:
    """Return four downloads of 1 s with measurements each 200 ms, and their handovers."""
    cells: Rows = [cell(ms, 12.0) for ms in range(0, 10_000, 200)]
    cells += [cell(ms, None, cell=9, serving=False) for ms in range(1000, 2000, 200)]
    cells += [cell(3500, 12.0, cell=2)]
    cells += [cell(5200, 12.0, cell=2), cell(5400, 12.0, cell=2, earfcn=300)]
    cells += [cell(5300, 12.0, cell=77, user=1)]
    return {
        "flows": [flow(1)],
        "transfers": [transfer(1, n, 2000 * n - 1000, 2000 * n) for n in (1, 2, 3, 8)],
        "cells": cells,
        "handovers": [
            *(handover(3500), handover(5200), handover(5400)),
            handover(1500, kind="reestablishment"),
            handover(1500, user=1),
            handover(None),
            handover(2500),  # between downloads
        ],
    }


def test_cells_and_handovers_inside_of_a_download(tmp_path: Path) -> None:
    d = dataset(tmp_path / "d", **driven())
    rows = hwy18.fig10.table(d).to_pylist()
    numbers = {(row["quantity"], row["number"]): row["downloads"] for row in rows}
    assert numbers == {
        **{("serving_cells", 1): 1, ("serving_cells", 2): 1, ("serving_cells", 3): 1},
        **{("detected_cells", 2): 2, ("detected_cells", 3): 1},
        **{("handovers", 0): 1, ("handovers", 1): 1, ("handovers", 2): 1},
    }
    here = [each.here.replace("\u00a0", " ") for each in hwy18.fig10.findings(hwy18.fig10.table(d))]
    assert here == ["3", "67 %", "33 %"]


def test_a_download_outside_of_the_log_has_an_unknown_number_of_handovers(tmp_path: Path) -> None:
    d = dataset(tmp_path / "d", **driven())
    rows = {row["transfer_id"]: row["handovers"] for row in hwy18.fig11.table(d).to_pylist()}
    assert rows == {1: 0, 2: 1, 3: 2}


def test_runs_distinguish_congestion_controls(tmp_path: Path) -> None:
    def run(control: str) -> dict[str, Rows]:
        asked = {"time_ns": at(0), "local_port": 443, "peer_port": 40001, "cc": control}
        truth: Rows = [{**asked, "place": "server"}, {**asked, "place": "phone", "cc": "reno"}]
        return {**driven(), "truth_tcp": truth}

    d: am.Dataset = campaign(tmp_path / "c", one=run("cubic"), two=run("bbr"))
    rows = hwy18.fig11.table(d).to_pylist()
    assert [(row["control"], row["run"], row["handovers"]) for row in rows] == [
        *(("bbr", "two", 0), ("bbr", "two", 1), ("bbr", "two", 2)),
        *(("cubic", "one", 0), ("cubic", "one", 1), ("cubic", "one", 2)),
    ]


RADIO = ("fig3", "fig4", "fig9", "fig10", "fig11")
"""The figures that need a modem log."""


@pytest.mark.parametrize("name", sorted({*hwy18.EXHIBITS} - {*RADIO, "numbers"}))
def test_without_downloads_the_figures_of_tcp_say_so(name: str, tmp_path: Path) -> None:
    d = dataset(tmp_path / "d", flows=[flow(1, vantage="server")])
    with pytest.raises(Missing, match=r"no download of 1 MB or more|no handshake of a download"):
        hwy18.EXHIBITS[name].table(d)


@pytest.mark.parametrize("name", RADIO)
def test_without_measurements_every_exhibit_says_what_it_lacks(name: str, tmp_path: Path) -> None:
    d = dataset(
        tmp_path / "d", flows=[flow(1)], transfers=[transfer(1, 1, 0, 1000)], ttis=[tti(0, 50)],
        cells=[], handovers=[],
    )  # fmt: skip
    with pytest.raises(Missing) as lacking:
        hwy18.EXHIBITS[name].table(d)
    assert "SINR" in (lacking.value.hint or "")


def test_pictures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    d = dataset(tmp_path / "d", ttis=[tti(0, 50, modulation="QPSK")], **driven())
    trials = dataset(tmp_path / "trials", flows=[trial(1), trial(2)])
    # Figure 5 reads the capture again, which a made dataset does not have.
    for name in hwy18.EXHIBITS.keys() - {"fig5"}:
        figure, table = hwy18.EXHIBITS[name](d if name in RADIO else trials)
        assert table.num_rows > 0
        assert (figure is None) == (name in ("numbers", "table1"))


def trial(uid: int, **values: Any) -> dict[str, Any]:
    """Return a download of 10 MB in 8 s, whose first megabyte had twice its rate."""
    of_trial = {
        "protocol": "tcp", "ue_port": 40_000 + uid, "server_port": 80,
        "dl_unique_bytes": 10_000_000, "dl_first_payload_ns": at(0), "dl_last_payload_ns": at(8000),
        "first_bps": 2e7, "first_self_inflicted_ms": 50.0, "self_inflicted_delay_ms": 20.0,
        "handshake_rtt_ms": 60.0, "dl_duplicate_acks": 5, "dl_acks": 100,
        "dl_retransmissions": 2, "dl_packets": 1000, "vantage": "server",
    }  # fmt: skip
    return flow(uid, **{**of_trial, **values})


def test_trials_are_downloads_of_a_megabyte_by_congestion_control(tmp_path: Path) -> None:
    flows = [trial(1), trial(2), trial(3, dl_unique_bytes=999_999), trial(4, protocol="udp")]
    sender = {"place": "server", "local_port": 80, "time_ns": at(0)}
    truth = [
        {**sender, "peer_port": 40_001, "cc": "bbr"},
        {**sender, "peer_port": 40_002, "cc": "cubic"},
    ]
    d = dataset(tmp_path / "d", flows=flows, truth_tcp=truth)
    whole = hwy18.fig6.table(d)
    assert {(r["curve"], r["n"]) for r in whole.to_pylist()} == {("bbr", 1), ("cubic", 1)}
    assert Points(whole, "bbr").quantile(0.5) == pytest.approx(1e7)
    assert Points(hwy18.fig7.table(d), "cubic").quantile(0.5) == 2e7
    assert Points(hwy18.fig12.table(d), "bbr").quantile(0.5) == 20
    assert Points(hwy18.fig13.table(d), "bbr").quantile(0.5) == 50
    assert Points(hwy18.fig14.table(d), "bbr").quantile(0.5) == pytest.approx(5)
    assert Points(hwy18.fig15.table(d), "bbr").quantile(0.5) == pytest.approx(0.2)


@pytest.mark.parametrize("name", ["fig5", "fig12", "fig13", "fig15", "fig16", "fig17"])
def test_what_passes_after_the_queue_shows_no_flight_and_no_loss(tmp_path: Path, name: str) -> None:
    d = dataset(tmp_path / "d", flows=[trial(1, vantage="ue")])
    with pytest.raises(Missing, match="captured at the phone, and only a capture at a monitor"):
        hwy18.EXHIBITS[name].table(d)


@pytest.mark.parametrize("name", ["fig16", "fig17"])
def test_throughput_against_an_unknown_delay_is_no_figure(tmp_path: Path, name: str) -> None:
    unknown = {"self_inflicted_delay_ms": None, "first_self_inflicted_ms": None}
    with pytest.raises(Missing, match="with a self-inflicted delay"):
        hwy18.EXHIBITS[name].table(dataset(tmp_path / "d", flows=[trial(1, **unknown)]))


def test_a_mean_has_an_interval_from_two_trials_on(tmp_path: Path) -> None:
    d = dataset(tmp_path / "one", flows=[trial(1)])
    shown = {each.quantity: each.here for each in hwy18.table1.findings(hwy18.table1.table(d))}
    assert shown["  95 % interval of the mean"] == "unknown: one trial"
    both = [trial(1), trial(2, dl_last_payload_ns=at(4000))]
    (row,) = hwy18.table1.table(dataset(tmp_path / "two", flows=both)).to_pylist()
    assert (row["control"], row["trials"], row["mean_bps"]) == ("all", 2, pytest.approx(1.5e7))
    # Deviation of 10 and 20 Mbps: 7.07 Mbps; 1.96 x 7.07 / sqrt(2) = 9.8 Mbps.
    assert row["error_bps"] == pytest.approx(9.8e6)
    (first,) = hwy18.fig17.table(am.open(tmp_path / "two")).to_pylist()
    assert (first["mean_bps"], first["delay_ms"]) == (2e7, 50)


def test_handshakes_that_woke_the_radio_are_no_round_trips(tmp_path: Path) -> None:
    flows = [trial(1), trial(2, handshake_rtt_ms=400.0, handshake_after_idle=True)]
    d = dataset(tmp_path / "d", flows=flows, pings=[{"rtt_ms": 70.0}, {"rtt_ms": None}])
    rows = hwy18.fig8.table(d)
    assert (Points(rows, "handshakes").n, Points(rows, "pings").n) == (1, 1)
    assert Points(rows, "handshakes").share_to(80) == 1
