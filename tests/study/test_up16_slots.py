"""Figure 4 of UP16, from slots that are small enough to compute by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airmile.study import Missing, up16
from airmile.study._curves import Points, names
from tests.support.made import at, dataset, flow


def slot(uid: int, number: int, up: int, down: int, **values: Any) -> dict[str, Any]:
    """Return a second of a flow of session 1, without samples."""
    none = {"ul_rtt_samples": 0, "on_device_delay_samples": 0}
    return {
        **none, "uid": uid, "session_id": 1, "slot": number, "start_ns": at(1000 * number),
        "ul_bytes": up, "dl_bytes": down, **values,
    }  # fmt: skip


def phone(uid: int, **values: Any) -> dict[str, Any]:
    """Return a flow that was captured on the phone."""
    return flow(uid, vantage="ue", **values)


def test_the_increase_of_a_slot_is_the_mean_over_its_packets_above_each_flows_least(
    tmp_path: Path,
) -> None:
    slots = [
        slot(1, 0, 60_000, 0, ul_rtt_ms=150.0, ul_rtt_samples=3),
        slot(2, 0, 60_000, 0, ul_rtt_ms=90.0, ul_rtt_samples=1),
        slot(1, 1, 60_000, 5000, ul_rtt_ms=900.0, ul_rtt_samples=9),
        slot(2, 2, 500, 0),
    ]
    flows = [phone(1, ul_rtt_min_ms=50.0), phone(2, ul_rtt_min_ms=70.0)]
    rows = up16.fig4a.table(dataset(tmp_path / "d", flows=flows, slots=slots))
    # Slot 0: (3 x 100 + 1 x 20) / 4 ms over 120 KB; slot 1 has 5 KB downlink; slot 2 no sample.
    assert names(rows) == ["above 100 KB"]
    assert Points(rows, "above 100 KB").n == 1
    assert Points(rows, "above 100 KB").quantile(0.5) == pytest.approx(0.080)


def test_the_delay_on_the_phone_is_of_slots_with_payload_both_ways(tmp_path: Path) -> None:
    slots = [
        slot(1, 0, 20_000, 0),
        slot(2, 0, 0, 9000, on_device_delay_ms=4.0, on_device_delay_samples=2),
        slot(2, 1, 0, 9000, on_device_delay_ms=1.0, on_device_delay_samples=2),
    ]
    rows = up16.fig4b.table(dataset(tmp_path / "d", flows=[phone(1), phone(2)], slots=slots))
    assert names(rows) == ["10 to 100 KB"]
    assert Points(rows, "10 to 100 KB").quantile(0.5) == pytest.approx(0.004)


@pytest.mark.parametrize("exhibit", [up16.fig4a, up16.fig4b])
def test_without_samples_it_says_how_to_get_them(exhibit: Any, tmp_path: Path) -> None:
    with pytest.raises(Missing) as lacking:
        exhibit.table(dataset(tmp_path / "d", flows=[phone(1)]))
    assert "--samples" in (lacking.value.hint or "")
