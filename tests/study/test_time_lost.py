"""How much longer large downloads took than at their bandwidth (methods F3), by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from airmile.answers import derived, time_lost
from airmile.store._needs import Missing
from tests.support.made import at, dataset, flow


def test_time_lost_with_and_without_tails(tmp_path: Path) -> None:
    """A download of 40 s that used a quarter of its bandwidth would have taken 10 s."""
    flows = [flow(1, start_ns=at(0), end_ns=at(40_000), large=True, utilisation_paper_ratio=0.25)]
    (row,) = derived.table(dataset(tmp_path / "d", flows=flows), "time_lost", 10.0).to_pylist()
    assert (row["lasted_s"], row["ideal_s"]) == (40, 10)
    assert (row["longer_ratio"], row["lost_ratio"]) == (3, 0.75)
    for end in ("low", "high"):
        assert row[f"longer_with_tail_{end}_ratio"] == pytest.approx(50 / 20 - 1)
        assert row[f"lost_with_tail_{end}_ratio"] == pytest.approx(1 - 20 / 50)
    assert row["reason"] is None


def test_what_is_not_known_is_null_with_its_reason(tmp_path: Path) -> None:
    flows = [
        flow(1, start_ns=at(0), end_ns=at(8_000), large=True, utilisation_paper_ratio=None),
        flow(2, start_ns=at(0), end_ns=at(8_000), large=False, utilisation_paper_ratio=0.5),
    ]
    (row,) = time_lost.table(dataset(tmp_path / "d", flows=flows), 10.0).to_pylist()
    assert row["uid"] == 1
    assert row["ideal_s"] is row["lost_ratio"] is row["longer_with_tail_low_ratio"] is None
    assert row["reason"] == time_lost.NO_ESTIMATE


def test_faster_than_the_estimate_is_a_negative_loss(tmp_path: Path) -> None:
    flows = [flow(1, start_ns=at(0), end_ns=at(10_000), large=True, utilisation_paper_ratio=1.25)]
    (row,) = time_lost.table(dataset(tmp_path / "d", flows=flows), 10.0).to_pylist()
    assert row["lost_ratio"] == pytest.approx(-0.25)
    assert row["longer_with_tail_low_ratio"] <= row["longer_with_tail_high_ratio"] < 0


def test_while_the_data_do_not_show_the_tail_what_needs_it_is_null(tmp_path: Path) -> None:
    flows = [flow(1, start_ns=at(0), end_ns=at(40_000), large=True, utilisation_paper_ratio=0.25)]
    (row,) = time_lost.table(dataset(tmp_path / "d", flows=flows)).to_pylist()
    assert row["lost_ratio"] == 0.75
    assert row["lost_with_tail_low_ratio"] is row["lost_with_tail_high_ratio"] is None
    assert row["reason"] == time_lost.NO_TAIL


def test_data_without_a_large_download_say_so(tmp_path: Path) -> None:
    flows = [flow(1, start_ns=at(0), end_ns=at(8_000), large=False)]
    with pytest.raises(Missing, match=r"no large download: .* 5 s and 1 MB") as raised:
        time_lost.table(dataset(tmp_path / "d", flows=flows))
    assert "bulk_download" in (raised.value.hint or "")
