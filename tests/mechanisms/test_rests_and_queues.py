"""Forgotten connections, needless retransmissions and bufferbloat (methods T10)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.mechanisms.test_rules import MS, SCALED, START, found

FLOW = {**SCALED, "ue": "10.0.0.1"}

LOST = {
    **{"uid": 7, "direction": "uplink", "start_ns": START + 60_300 * MS},
    **{"end_ns": START + 75_000 * MS, "closed": False, "repeats": 5},
    **{"duplicate_acks": 0, "sacked_bytes": 0, "repeated_bytes": 200, "size_acked": True},
}


def resting(seconds: int = 60, **values: Any) -> list[dict[str, Any]]:
    """Give a rest that ends before the losses, and a slice of another connection in them."""
    end = START + 60_000 * MS
    rest = {"uid": 7, "cause": "idle", "start_ns": end - seconds * 1000 * MS, "end_ns": end}
    other = {"uid": 8, "cause": "lte_downlink", "start_ns": START + 62_000 * MS}
    other |= {"end_ns": START + 63_000 * MS, "delivery_bps": 9e6}
    return [{**rest, "delivery_bps": 0.0, **values}, other]


@pytest.mark.parametrize(
    ("rest", "lost", "neighbour", "certainty"),
    [
        ({}, {}, "10.0.0.1", "likely"),
        ({}, {}, "10.0.0.2", "open"),
        ({"seconds": 31}, {}, "10.0.0.1", "likely"),
        ({}, {"direction": "downlink"}, "10.0.0.1", "likely"),
        ({}, {"repeats": 3}, "10.0.0.1", "likely"),
        ({}, {"start_ns": START + 61_000 * MS}, "10.0.0.1", "likely"),
    ],
)
def test_a_connection_that_dies_after_a_rest_was_forgotten(
    rest: dict[str, Any], lost: dict[str, Any], neighbour: str, certainty: str, tmp_path: Path
) -> None:
    every = found(
        tmp_path,
        flows=[FLOW, {**FLOW, "uid": 8, "ue": neighbour}],
        slices=resting(**rest),
        loss_episodes=[{**LOST, **lost}],
    )
    [finding] = every["connection_forgotten"]
    assert finding.certainty == certainty
    assert ("would look the same" in finding.evidence) == (certainty == "open")


@pytest.mark.parametrize(
    ("rest", "lost"),
    [
        pytest.param({"seconds": 20}, {}, id="a short rest"),
        pytest.param({}, {"closed": True}, id="an outage that ended"),
        pytest.param({}, {"repeats": 2}, id="a lost tail"),
        pytest.param({}, {"duplicate_acks": 3}, id="the receiver is there"),
        pytest.param({}, {"sacked_bytes": 700}, id="something arrived"),
        pytest.param({}, {"start_ns": START + 70_000 * MS}, id="it went on after the rest"),
        pytest.param({"cause": "sender_app"}, {}, id="no rest"),
        pytest.param({}, {"uid": 8}, id="something of it was acknowledged"),
    ],
)
def test_a_connection_that_dies_otherwise_was_not(
    rest: dict[str, Any], lost: dict[str, Any], tmp_path: Path
) -> None:
    every = found(
        tmp_path,
        flows=[FLOW, {**FLOW, "uid": 8}],
        slices=resting(**rest),
        loss_episodes=[{**LOST, **lost}],
    )
    assert "connection_forgotten" not in every


def repeats(needless: int, needed: int, way: str = "dl") -> dict[str, Any]:
    """Give a flow with such retransmissions."""
    none = {f"{each}_{kind}": 0 for each in ("dl", "ul") for kind in OTHERS}
    return {**FLOW, **none, f"{way}_{KINDS[0]}": needless, f"{way}_{KINDS[1]}": needed}


KINDS = ("spurious_retransmissions", "retransmissions")
OTHERS = (*KINDS, "recorded_twice", "upstream_losses", "tail_probes")

EPISODE = {
    **{"uid": 7, "direction": "downlink", "start_ns": START, "end_ns": START + 400 * MS},
    "timeout_undone": False,
}


@pytest.mark.parametrize(
    ("needless", "needed", "undone", "words"),
    [
        (3, 0, False, "3 of 3"),
        (3, 3, False, "3 of 6"),
        (40, 2, False, "40 of 42"),
        (5, 1, True, "1\u00a0timeout new data followed"),
        (12, 12, True, "12 of 24"),
        (1_200, 0, False, "1\u00a0200 of 1\u00a0200"),
    ],
)
@pytest.mark.parametrize("way", ["dl", "ul"])
def test_data_that_had_arrived_was_sent_again(
    needless: int, needed: int, undone: bool, words: str, way: str, tmp_path: Path
) -> None:
    direction = "downlink" if way == "dl" else "uplink"
    episode = {**EPISODE, "direction": direction, "timeout_undone": undone}
    every = found(tmp_path, flows=[repeats(needless, needed, way)], loss_episodes=[episode])
    [finding] = every["needless_retransmission"]
    assert words in finding.evidence
    assert ("the phone has RACK" in finding.advice) == (way == "ul")


@pytest.mark.parametrize(
    ("needless", "needed", "way"),
    [
        pytest.param(0, 9, "dl", id="all were needed"),
        pytest.param(2, 0, "dl", id="two early tail loss probes"),
        pytest.param(4, 5, "dl", id="losses are what matters"),
        pytest.param(0, 0, "dl", id="nothing was sent again"),
        pytest.param(9, 0, "ul", id="the other direction has no episode"),
        pytest.param(3, 300, "dl", id="a lossy link"),
    ],
)
def test_losses_are_not_needless(needless: int, needed: int, way: str, tmp_path: Path) -> None:
    every = found(tmp_path, flows=[repeats(needless, needed, way)], loss_episodes=[EPISODE])
    assert "needless_retransmission" not in every


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"dl_recorded_twice": 4}, id="the capture records packets twice"),
        pytest.param({"dl_syn": 8}, id="SYN-ACKs that were sent again"),
        pytest.param({"dl_upstream_losses": 1_000}, id="losses before the capture point"),
        pytest.param({"ul_rst": 3}, id="the receiver has reset the connection"),
    ],
)
def test_other_copies_are_not_needless(changed: dict[str, int], tmp_path: Path) -> None:
    flow = {**repeats(9, 0), **changed}
    every = found(tmp_path, flows=[flow], loss_episodes=[EPISODE])
    assert "needless_retransmission" not in every


def full(
    rtt_ms: float | None, least_ms: float, slices: int = 20, **values: Any
) -> list[dict[str, Any]]:
    """Give slices of 100 ms with such round trips."""
    return [
        {
            **{"uid": 7, "transfer_id": 1, "direction": "downlink", "cause": "lte_downlink"},
            **{"start_ns": START + at * 100 * MS, "end_ns": START + (at + 1) * 100 * MS},
            **{"rtt_ms": rtt_ms, "rtt_min_ms": least_ms, "certainty": "sure"},
            **{"first_frame": 1, "last_frame": 9},
            **values,
        }
        for at in range(slices)
    ]


@pytest.mark.parametrize(
    ("slices", "certainty"),
    [
        (full(400, 40), "sure"),
        (full(400, 40, certainty="likely"), "likely"),
        (full(200, 45), "sure"),
        (full(900, 40, direction="uplink", cause="lte_uplink"), "sure"),
        (full(400, 40, slices=10), "sure"),
        (full(2_000, 300), "sure"),
    ],
)
def test_a_long_queue_is_bufferbloat(
    slices: list[dict[str, Any]], certainty: str, tmp_path: Path
) -> None:
    [finding] = found(tmp_path, flows=[FLOW], slices=slices)["bufferbloat"]
    assert finding.certainty == certainty
    at_phone = slices[0]["direction"] == "uplink"
    assert ("at the phone" in finding.advice) == at_phone


@pytest.mark.parametrize(
    "slices",
    [
        pytest.param(full(80, 40), id="a short queue"),
        pytest.param(full(500, 400), id="a long path"),
        pytest.param(full(400, 40, slices=5), id="the end of a slow start"),
        pytest.param(full(400, 40, cause="slow_start"), id="no full link"),
        pytest.param(full(400, 40, cause="loss_recovery"), id="a slow retransmission"),
        pytest.param(full(None, 40), id="no round trip was seen"),
        pytest.param([*full(400, 40, slices=1), *full(None, 40)], id="one long wait"),
    ],
)
def test_what_is_slow_otherwise_is_not_bufferbloat(
    slices: list[dict[str, Any]], tmp_path: Path
) -> None:
    assert "bufferbloat" not in found(tmp_path, flows=[FLOW], slices=slices)
