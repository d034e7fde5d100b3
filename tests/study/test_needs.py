"""What exhibits need of the data: where it is lacking they are refused, and say how to get it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from airmile.study import Missing, lte13, up16
from airmile.study._curves import Points, names
from airmile.study._needs import BEFORE_RADIO, MONITOR, PHONE, Needs, met
from airmile.study._notes import notes_of
from tests.support.made import Rows, at, campaign, dataset, flow

RATIO = "RTT(M-S) / RTT(C-M)"


def seen(uid: int, place: str | None, **values: Any) -> dict[str, Any]:
    """Return a flow without proxy whose two round trips are 20 and 40 ms."""
    trips = {"pep": False, "upstream_rtt_ms": 20.0, "downstream_rtt_ms": 40.0}
    return flow(uid, **{**trips, "handshake_rtt_ms": 60.0, "vantage": place, **values})


def slot(uid: int) -> dict[str, Any]:
    return {
        "uid": uid, "session_id": 1, "slot": uid, "start_ns": at(1000 * uid), "ul_bytes": 200_000,
        "dl_bytes": 0, "ul_rtt_ms": 90.0, "ul_rtt_samples": 3, "on_device_delay_samples": 0,
    }  # fmt: skip


@pytest.mark.parametrize("place", ["monitor", "server", None])
def test_the_rtt_increase_of_uploads_is_seen_on_the_phone_alone(
    tmp_path: Path, place: str | None
) -> None:
    """At a monitor the round trip of uplink data is that of the wired half (methods B4)."""
    d = dataset(tmp_path / "d", flows=[seen(1, place, ul_rtt_min_ms=20.0)], slots=[slot(1)])
    with pytest.raises(Missing, match="only a capture at the phone shows it") as lacking:
        up16.fig4a.table(d)
    assert "--vantage ue" in (lacking.value.hint or "")


def test_flows_from_another_place_are_left_out_and_counted(tmp_path: Path) -> None:
    flows = [seen(uid, "ue", ul_rtt_min_ms=20.0) for uid in (1, 2, 3)]
    flows.append(seen(4, "monitor", ul_rtt_min_ms=20.0))
    slots = [slot(uid) for uid in (1, 2, 3, 4)]
    rows = up16.fig4a.table(dataset(tmp_path / "d", flows=flows, slots=slots))
    assert Points(rows, "above 100 KB").n == 3
    assert any("1 of 4\xa0TCP flows left out" in note for note in notes_of(rows))


def test_a_capture_has_one_place_whatever_single_flows_seem_to_have(tmp_path: Path) -> None:
    """Of a capture on the phone a few handshakes are slow, which makes no monitor of it."""
    flows = [seen(uid, "ue", upstream_rtt_ms=None, downstream_rtt_ms=None) for uid in range(9)]
    d = dataset(tmp_path / "d", flows=[*flows, seen(9, "monitor")])
    with pytest.raises(Missing, match="captured at the phone, and only a capture at a monitor"):
        lte13.fig8.table(d)
    rows = lte13.fig7.table(d)
    assert names(rows) == ["client to server (C-S)"]


def test_what_the_numbers_of_a_text_leave_out_is_said_once(tmp_path: Path) -> None:
    flows = [flow(1), flow(2, quality="mid_stream")]
    notes = notes_of(lte13.numbers.table(dataset(tmp_path / "d", flows=flows)))
    (own,) = [note for note in notes if "had begun before" in note]
    assert re.match(r"of \d+\snumbers: 1 of 2\sTCP flows left out", own)


def test_each_run_has_a_place_of_its_own(tmp_path: Path) -> None:
    runs: dict[str, dict[str, Rows]] = {
        "phone": {"flows": [seen(1, "ue"), seen(2, "ue"), seen(3, "monitor")]},
        "core": {"flows": [seen(1, "monitor"), seen(2, "monitor", upstream_rtt_ms=80.0)]},
    }
    rows = lte13.fig8.table(campaign(tmp_path / "runs", **runs))
    assert Points(rows, RATIO).n == 2
    assert any("3 of 5\xa0TCP flows left out" in note for note in notes_of(rows))


@pytest.mark.parametrize("name", ["fig10", "fig13", "fig18", "fig22"])
def test_what_passes_after_the_queue_does_not_show_it(tmp_path: Path, name: str) -> None:
    d = dataset(tmp_path / "d", flows=[seen(1, "ue", ue_timestamps=True)])
    with pytest.raises(Missing, match="captured at the phone, and only a capture at a monitor"):
        lte13.EXHIBITS[name].table(d)


def test_a_handshake_that_woke_the_radio_is_no_round_trip_on_the_phone(tmp_path: Path) -> None:
    """Methods B1: on the phone a promotion lies within the handshake."""
    flows = [
        seen(1, "ue", handshake_after_idle=True, handshake_rtt_ms=600.0),
        seen(2, "ue", handshake_after_idle=False),
        seen(3, "ue", handshake_after_idle=None, handshake_rtt_ms=600.0),
    ]
    own = Points(lte13.fig7.table(dataset(tmp_path / "d", flows=flows)), "client to server (C-S)")
    assert (own.n, own.quantile(1)) == (1, 60.0)


@pytest.mark.parametrize("places", [PHONE, MONITOR, BEFORE_RADIO])
def test_other_protocols_stay_whatever_the_place(tmp_path: Path, places: tuple[str, ...]) -> None:
    flows = [seen(1, "ue"), seen(2, "monitor"), flow(3, protocol="udp")]
    manifest_of_two = dataset(tmp_path / "d", flows=[{**each, "ue": str(each["uid"])}
                                                     for each in flows])  # fmt: skip
    manifest_of_two.manifest["inputs"] = [{"name": "a"}, {"name": "b"}]
    left, notes = met(manifest_of_two, Needs(places=places))
    assert sorted(left.flows["uid"].to_pylist()) == [1 if places == PHONE else 2, 3]
    assert len(notes) == 1
