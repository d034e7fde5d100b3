"""Each mechanism is found where its proof is, and not where its twins are (methods T10)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airmile import mechanisms
from airmile.dataset import Dataset
from tests.support import handmade, made

START = handmade.START
MS = 1_000_000

FLOW = {
    "uid": 7,
    "start_ns": START,
    "ul_syn": 1,
    "dl_syn": 1,
    "ue_mss_bytes": 1460,
    "server_mss_bytes": 1460,
}
SCALED = {**FLOW, "ue_window_scale": 7, "server_window_scale": 7}

HOLE = {
    **{"uid": 7, "direction": "downlink", "start_ns": START, "end_ns": START + 9000 * MS},
    **{"closed": False, "repeated_bytes": 1460, "repeats": 5, "size_acked": False},
    **{"smaller_bytes": None, "sacked_bytes": 300, "duplicate_acks": 1},
}

OF_PHONE = "the phone may have held the rest of its request until the ACK (Nagle's algorithm)"
OF_SENDER = "the sender may have held its next data until the ACK (Nagle's algorithm)"
LOST = "the SYN was lost, and its sender waited for its timer"


def slices(*lengths_ms: int, **values: Any) -> list[dict[str, Any]]:
    """Give slices with a pause of a second after each."""
    begins = [START + number * 1500 * MS for number in range(len(lengths_ms))]
    return [
        {
            **{"uid": 7, "transfer_id": 1, "direction": "downlink", "cause": "undetermined"},
            **{"start_ns": begin, "end_ns": begin + length * MS, "reason": "x"},
            **{"first_frame": 10 * number + 1, "last_frame": 10 * number + 9},
            **values,
        }
        for number, (begin, length) in enumerate(zip(begins, lengths_ms, strict=True))
    ]


def dataset(path: Path, **rows: list[dict[str, Any]]) -> Dataset:
    given = {"flows": [SCALED], "slices": slices(100), **rows}
    return made.dataset(path / "d.airmile", **given)


def found(path: Path, **rows: list[dict[str, Any]]) -> dict[str, list[mechanisms.Finding]]:
    return mechanisms.found(dataset(path, **rows))


def found_of(name: str, path: Path, **rows: list[dict[str, Any]]) -> list[mechanisms.Finding]:
    """Return what one rule finds, which takes a tenth of the time."""
    return list(mechanisms.mechanism(name).find(dataset(path, **rows)))


@pytest.mark.parametrize(
    ("changed", "certainty"),
    [
        ({}, "likely"),
        ({"direction": "uplink"}, "likely"),
        ({"repeats": 2}, "likely"),
        ({"smaller_bytes": 1024, "closed": True}, "sure"),
        ({"smaller_bytes": 1024, "sacked_bytes": 2048, "duplicate_acks": 2}, "likely"),
        ({"sacked_bytes": 0, "duplicate_acks": 0}, "open"),
    ],
)
def test_a_segment_that_never_passes_is_a_black_hole(
    changed: dict[str, Any], certainty: str, tmp_path: Path
) -> None:
    every = found(tmp_path, loss_episodes=[{**HOLE, **changed}])
    [finding] = every["path_mtu_black_hole"]
    assert finding.certainty == certainty
    assert (finding.first_frame, finding.last_frame) == (1, 9)
    sender = "phone" if changed.get("direction") == "uplink" else "server"
    assert f"reach the {sender}" in finding.advice


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"size_acked": True}, id="policer or outage: the size passed before"),
        pytest.param({"closed": True}, id="outage: it passed in the end"),
        pytest.param({"size_acked": None}, id="larger ones were sent"),
        pytest.param({"sacked_bytes": 2920}, id="others of its size arrived"),
        pytest.param({"repeats": 1}, id="a loss like any other"),
        pytest.param({"repeated_bytes": 517}, id="a filter: every path carries this size"),
        pytest.param({"sacked_bytes": 0, "duplicate_acks": 9}, id="what arrived is unknown"),
        pytest.param({"smaller_bytes": 700, "sacked_bytes": 2920}, id="one of its size arrived"),
        pytest.param({"repeats": None, "repeated_bytes": None}, id="nothing was repeated"),
        pytest.param(
            {"repeats": 3, "sacked_bytes": 0, "duplicate_acks": 0}, id="tail loss: too few repeats"
        ),
    ],
)
def test_what_looks_like_a_black_hole_is_none(changed: dict[str, Any], tmp_path: Path) -> None:
    assert "path_mtu_black_hole" not in found(tmp_path, loss_episodes=[{**HOLE, **changed}])


@pytest.mark.parametrize(
    ("ue", "server", "direction", "words"),
    [
        (7, None, "downlink", "the SYN-ACK has none"),
        (7, None, "uplink", "the SYN-ACK has none"),
        (None, None, "downlink", "the phone's SYN offered no window scale"),
        (None, 7, "uplink", "the phone's SYN offered no window scale"),
        (0, 7, "downlink", "the phone offered a window scale of 0"),
        (7, 0, "uplink", "the server offered a window scale of 0"),
    ],
)
def test_a_full_window_without_a_scale_is_found(
    ue: int | None, server: int | None, direction: str, words: str, tmp_path: Path
) -> None:
    flow = {**FLOW, "ue_window_scale": ue, "server_window_scale": server}
    full = slices(100, 100, cause="receive_window", direction=direction, window_bytes=65_535)
    [finding] = found(tmp_path, flows=[flow], slices=full)["window_without_scale"]
    assert words in finding.evidence
    assert finding.evidence.endswith("full for 200\u00a0ms")
    if ue is None:
        assert "switch window scaling on at the phone" in finding.advice


@pytest.mark.parametrize(
    ("flow", "cause", "direction"),
    [
        pytest.param(SCALED, "receive_window", "downlink", id="a small buffer"),
        pytest.param({**SCALED, "ue_window_scale": 0}, "receive_window", "uplink", id="other way"),
        pytest.param(
            {**SCALED, "server_window_scale": 0}, "receive_window", "downlink", id="its own way"
        ),
        pytest.param({**FLOW, "ue_window_scale": 7}, "lte_downlink", "downlink", id="a full link"),
        pytest.param({**FLOW, "ue_window_scale": 7}, "receiver_app", "downlink", id="slow reader"),
        pytest.param(
            {"uid": 7, "start_ns": START}, "receive_window", "downlink", id="no handshake seen"
        ),
        pytest.param(
            {**FLOW, "ue_window_scale": 7, "ul_syn": 2}, "receive_window", "downlink", id="two SYNs"
        ),
        pytest.param(
            {**FLOW, "ul_cut_options": 1}, "receive_window", "downlink", id="options were cut"
        ),
        pytest.param(
            {**FLOW, "dl_in_flight_max_bytes": 175_000},
            "receive_window",
            "downlink",
            id="more is in flight",
        ),
    ],
)
def test_a_full_window_with_a_scale_is_none(
    flow: dict[str, Any], cause: str, direction: str, tmp_path: Path
) -> None:
    full = slices(100, 100, cause=cause, direction=direction, window_bytes=65_535)
    assert "window_without_scale" not in found(tmp_path, flows=[flow], slices=full)


def test_a_small_buffer_without_a_scale_is_a_small_buffer(tmp_path: Path) -> None:
    flow = {**FLOW, "ue_window_scale": 0, "server_window_scale": 7}
    full = slices(100, 100, cause="receive_window", window_bytes=20_000)
    assert "window_without_scale" not in found(tmp_path, flows=[flow], slices=full)


@pytest.mark.parametrize(
    ("reason", "direction", "holder"),
    [
        (OF_PHONE, "downlink", "the phone held"),
        (OF_PHONE, "uplink", "the phone held"),
        (OF_SENDER, "uplink", "the phone held"),
        (OF_SENDER, "downlink", "the server held"),
    ],
)
def test_waits_for_delayed_acks_are_found(
    reason: str, direction: str, holder: str, tmp_path: Path
) -> None:
    waits = slices(200, 200, 200, reason=reason, direction=direction)
    [finding] = found(tmp_path, slices=waits)["nagle_and_delayed_ack"]
    assert "3 times" in finding.evidence.replace("\u00a0", " ")
    assert holder in finding.evidence


def test_waits_without_a_pause_between_them_are_found(tmp_path: Path) -> None:
    waits = [
        {**each, "start_ns": START + at * 100 * MS, "end_ns": START + (at + 1) * 100 * MS}
        for at, each in enumerate(slices(*[100] * 20, reason=OF_SENDER))
    ]
    [finding] = found(tmp_path, slices=waits)["nagle_and_delayed_ack"]
    assert finding.evidence.startswith("again and again the server")


@pytest.mark.parametrize(
    "waits",
    [
        pytest.param(slices(200, 200, reason=OF_SENDER), id="two may be chance"),
        pytest.param(slices(200, 200, 200, 200), id="other reasons"),
        pytest.param(
            [
                {
                    **each,
                    "start_ns": START + number * 100 * MS,
                    "end_ns": START + (number + 1) * 100 * MS,
                }
                for number, each in enumerate(slices(100, 100, 100, 100, reason=OF_SENDER))
            ],
            id="one wait in four slices",
        ),
    ],
)
def test_few_waits_are_no_finding(waits: list[dict[str, Any]], tmp_path: Path) -> None:
    assert "nagle_and_delayed_ack" not in found(tmp_path, slices=waits)


@pytest.mark.parametrize("syns", [2, 3, 4])
def test_a_lost_syn_is_found(syns: int, tmp_path: Path) -> None:
    opening = slices(1000, cause="handshake_dns", reason=LOST)
    [finding] = found(tmp_path, flows=[{**SCALED, "ul_syn": syns}], slices=opening)["lost_syn"]
    assert finding.evidence.startswith(f"{syns}\u00a0SYNs were sent")
    assert finding.certainty == "likely"


def test_a_late_syn_is_not_lost(tmp_path: Path) -> None:
    opening = slices(1000, cause="handshake_dns", reason="the SYN was repeated: lost, or late")
    assert "lost_syn" not in found(tmp_path, flows=[{**SCALED, "ul_syn": 2}], slices=opening)


def test_the_table_has_a_row_for_each_finding(tmp_path: Path) -> None:
    rows = mechanisms.table(dataset(tmp_path, loss_episodes=[HOLE])).to_pylist()
    assert [row["mechanism"] for row in rows] == ["path_mtu_black_hole"]
    assert "\u00a0" not in rows[0]["evidence"]


def test_without_the_tables_nothing_is_looked_for(tmp_path: Path) -> None:
    assert mechanisms.found(made.dataset(tmp_path / "d.airmile", flows=[SCALED])) == {}
