"""Figures and numbers of LTE13 from datasets that are small enough to compute by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from airmile.study import Missing, lte13
from airmile.study._curves import Points
from airmile.study._notes import notes_of
from tests.support.made import dataset, flow


def test_a_curve_has_exact_quantiles_and_the_exact_share_up_to_each_mark(tmp_path: Path) -> None:
    payload = [0, 0, 500, 1_000_000, 1_000_001, 2_000_000, 3_000_000, 40, 41, 42]
    flows = [flow(uid, dl_payload_bytes=each) for uid, each in enumerate(payload, 1)]
    down = Points(lte13.fig2.table(dataset(tmp_path / "d", flows=flows)), "downlink")
    assert down.n == 10
    assert down.share_to(0) == pytest.approx(0.2)
    assert down.share_to(1e6) == pytest.approx(0.7)
    assert down.quantile(0.9) == 2_000_000


def test_flows_of_other_protocols_do_not_count(tmp_path: Path) -> None:
    flows = [flow(1, dl_payload_bytes=5), flow(2, dl_payload_bytes=7, protocol="udp")]
    assert Points(lte13.fig2.table(dataset(tmp_path / "d", flows=flows)), "downlink").n == 1


def test_a_number_that_the_data_cannot_give_is_null_with_its_reason(tmp_path: Path) -> None:
    flows = [flow(uid, server_port=port) for uid, port in ((1, 80), (2, 443), (3, 443), (4, 22))]
    table = lte13.numbers.table(dataset(tmp_path / "d", flows=flows))
    rows = {row["quantity"]: row for row in table.to_pylist()}
    assert rows["HTTPS, of TCP flows"]["value"] == 0.5
    assert rows["HTTPS, of TCP flows"]["n"] == 4
    assert all((row["value"] is None) == bool(row["reason"]) for row in rows.values())
    assert any("DNS look-ups below 10 ms" in note for note in notes_of(table))


@pytest.mark.parametrize("name", lte13.EXHIBITS)
def test_an_empty_dataset_is_refused_with_what_is_lacking(tmp_path: Path, name: str) -> None:
    with pytest.raises(Missing):
        lte13.EXHIBITS[name].table(dataset(tmp_path / "d", slices=[]))
