"""LTE13's use of a changing bandwidth and HWY18's single trials, from invented runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import airmile as am
from airmile.study import Missing, hwy18, lte13
from airmile.study._curves import names
from tests.support.made import MS, Rows, at, campaign, dataset, flow, transfer

BBR = Path(__file__).parents[1] / "data" / "emu" / "t18_bbr"


def run(rtt_ms: float, rates: tuple[int, ...], used: float) -> dict[str, Rows]:
    """Return a download of 6 s over a link whose bytes per millisecond change every 500 ms."""
    truth = []
    for ms in range(6000):
        could = rates[ms // 500 % len(rates)]
        truth.append(
            {"time_ns": at(0) + ms * MS, "direction": "downlink", "available_bytes": could,
             "served_bytes": round(could * used * 0.9), "cell_prbs": 50, "repeated_prbs": 5}
        )  # fmt: skip
    download: dict[str, Any] = flow(
        1, dl_payload_bytes=2_000_000, dl_first_payload_ns=at(0), dl_last_payload_ns=at(5999),
        handshake_rtt_ms=rtt_ms, utilisation_ratio=used, utilisation_paper_ratio=None,
        utilisation_reason=None,
    )  # fmt: skip
    return {"flows": [download], "truth_ttis": truth}


def test_use_is_what_was_served_over_what_the_link_could_carry(tmp_path: Path) -> None:
    runs = {"a": run(60, (1000, 1000), 0.97), "b": run(500, (1500, 500), 0.4)}
    rows = lte13.utilisation.table(campaign(tmp_path / "runs", **runs)).to_pylist()
    assert [row["rtt_ms"] for row in rows] == [60, 500]
    assert [row["used_ratio"] for row in rows] == pytest.approx([0.97, 0.4])
    assert [row["variation_ratio"] for row in rows] == pytest.approx([0, 0.5])


def test_variation_does_not_depend_on_where_the_flow_begins_between_two_changes(
    tmp_path: Path,
) -> None:
    late = run(60, (1500, 500), 0.9)
    late["flows"][0]["dl_first_payload_ns"] = at(250)
    (row,) = lte13.utilisation.table(dataset(tmp_path / "d", **late)).to_pylist()
    assert row["variation_ratio"] == pytest.approx(0.5, abs=0.06)


def test_a_flow_beside_another_large_one_is_not_compared_with_the_truth(tmp_path: Path) -> None:
    both = run(60, (1000,), 0.9)
    both["flows"].append({**both["flows"][0], "uid": 2})
    with pytest.raises(Missing, match="one large flow"):
        lte13.utilisation.table(dataset(tmp_path / "d", **both))


def test_an_application_that_pauses_does_not_show_what_tcp_uses(tmp_path: Path) -> None:
    paced = run(60, (1000,), 0.2)
    for seconds, shown in ((5.9, True), (1, False)):
        parts = [transfer(1, n, 1000 * n, 1000 * n + 1000 * seconds / 6) for n in range(6)]
        d = dataset(tmp_path / str(seconds), **paced, transfers=parts)
        if shown:
            assert lte13.utilisation.table(d).num_rows == 1
            continue
        with pytest.raises(Missing, match="one large flow that never pauses"):
            lte13.utilisation.table(d)


def test_an_estimate_that_is_unknown_has_its_reason(tmp_path: Path) -> None:
    unseen = run(60, (1000, 1000), 0.9)
    unseen["flows"][0] |= {"utilisation_ratio": None, "utilisation_reason": "unseen"}
    (found,) = lte13.utilisation.findings(
        lte13.utilisation.table(dataset(tmp_path / "d", **unseen))
    )
    assert "unknown" in found.here and "'unseen'" in found.reason


def beside(path: Path, other_bytes: int) -> am.Dataset:
    """Return a download of 2 MB in 10 s on a link of 4 Mbps, beside UDP and another phone."""
    large: dict[str, Any] = {
        "vantage": "monitor", "start_ns": at(0), "end_ns": at(10_000),
        "dl_payload_bytes": 2_000_000, "dl_first_payload_ns": at(100),
        "dl_last_payload_ns": at(9900), "bandwidth_bps": 4e6, "utilisation_paper_ratio": None,
    }  # fmt: skip
    flows = [flow(1, **large), flow(2, protocol="udp"), flow(3, ue="10.0.0.2")]
    bin_ = {"direction": "downlink", "throughput_bps": other_bytes * 16.0, "bytes": other_bytes}
    bins = [
        {**bin_, "uid": uid, "start_ns": at(begin)}
        for uid, begin in ((2, 5000), (2, 9750), (2, 20_000), (3, 5000), (1, 5000))
    ]
    return dataset(path, flows=flows, throughput=bins)


def used(d: am.Dataset, by: str) -> tuple[float | None, int]:
    """Return the median use by flows or by phones, and their number."""
    rows = {row["quantity"]: row for row in lte13.numbers.table(d).to_pylist()}
    row = rows[f"used {by}, median"]
    return row["value"], row["n"]


def test_use_is_of_the_phone_and_of_the_flow_that_carries_nine_tenths(tmp_path: Path) -> None:
    """Methods E4: 2 MB in 10 s are 1.6 of 4 Mbps. Of the bin at 9.75 s half lies within."""
    little, much = (beside(tmp_path / str(size), size) for size in (140_000, 160_000))
    (own, flows), (whole, phones) = (
        used(little, "over estimated bandwidth"),
        used(little, "by the phone"),
    )
    assert (flows, phones) == (1, 1)
    assert own == pytest.approx(0.4)
    assert whole == pytest.approx((2_000_000 + 1.5 * 140_000) / 5_000_000)
    assert used(much, "over estimated bandwidth") == (None, 0)
    assert used(much, "by the phone")[0] == pytest.approx((2_000_000 + 1.5 * 160_000) / 5_000_000)
    assert names(lte13.fig21.table(little)) == ["flow, as in the paper", "phone, all its flows"]
    assert names(lte13.fig21.table(much)) == ["phone, all its flows"]


@pytest.mark.parametrize("narrow", [False, True])
def test_the_picture_of_use(narrow: bool, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    table = lte13.utilisation.table(dataset(tmp_path / "d", **run(60, (1000, 10), 0.9)))
    figure = lte13.utilisation.draw(table, narrow=narrow)
    assert figure is not None
    figure.canvas.draw()


def test_a_trial_is_shown_in_bins_from_its_first_payload(tmp_path: Path) -> None:
    d = am.analyze(BBR / "monitor.pcap.gz", out=tmp_path / "x.airmile")
    table = hwy18.fig5.table(d)
    rows = table.to_pylist()
    assert {row["control"] for row in rows} == {"all"}
    assert rows[0]["time_s"] == 0
    assert max(row["in_flight_bytes"] or 0 for row in rows) > 20_000
    assert sum(row["samples"] for row in rows) > 100
    figure = pytest.importorskip("matplotlib") and hwy18.fig5.draw(table)
    assert figure is not None
    figure.canvas.draw()


def test_without_a_download_there_is_no_trial(tmp_path: Path) -> None:
    with pytest.raises(Missing, match="no download of 1 MB"):
        hwy18.fig5.table(dataset(tmp_path / "d", flows=[]))
