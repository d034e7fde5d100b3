"""Advice fits the cause and the settings that the user already has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airmile import causes
from airmile.causes import cause_name
from airmile.dataset import Dataset
from airmile.render.advice import MOST, advice
from tests.support.handmade import MANIFEST, at, flow, slice_, transfer, write

SCALE = "the receiver's window may be full: its scale is unknown"


def given(
    tmp_path: Path,
    cause: str,
    manifest: dict[str, Any] | None = None,
    slices: dict[str, Any] | None = None,
    **facts: Any,
) -> list[str]:
    """Return the advice for a flow that one cause limited all the time."""
    tables = {
        "flows": [flow(1, **facts)],
        "transfers": [transfer(1, 1, 0, 4)],
        "slices": [slice_(1, 1, 0, 4, cause, **(slices or {}))],
    }
    path = tmp_path / f"{len(list(tmp_path.iterdir()))}.airmile"
    return advice(Dataset(write(path, tables, manifest)).verdict)


def test_a_window_is_to_hold_rate_times_round_trip(tmp_path: Path) -> None:
    """10 Mbps over 80 ms is 100 KB."""
    (text,) = given(
        tmp_path,
        "receive_window",
        handshake_rtt_ms=80.0,
        bandwidth_bps=10e6,
        bandwidth_source="queue_evident",
        utilisation_ratio=0.5,
        dl_first_payload_ns=at(0),
        dl_last_payload_ns=at(4),
    )
    assert text.startswith("receive window: ")
    assert "100 KB" in text.replace("\u00a0", " ")


@pytest.mark.parametrize(("offered", "enough"), [(99_000, False), (200_000, True)])
def test_a_window_that_would_do_is_not_to_be_raised(
    tmp_path: Path, offered: int, enough: bool
) -> None:
    (text,) = given(
        tmp_path,
        "receive_window",
        slices={"window_bytes": offered},
        handshake_rtt_ms=80.0,
        bandwidth_bps=10e6,
        bandwidth_source="queue_evident",
        dl_first_payload_ns=at(0),
        dl_last_payload_ns=at(4),
    )
    assert ("its application does not read as fast as data arrive" in text) == enough
    assert ("raise the receive buffer" in text) != enough


def test_a_window_without_a_known_link_gets_no_number(tmp_path: Path) -> None:
    (text,) = given(tmp_path, "receive_window", handshake_rtt_ms=80.0)
    assert "KB" not in text


def test_a_full_link_is_not_blamed_on_the_server(tmp_path: Path) -> None:
    texts = given(tmp_path, "lte_downlink", self_inflicted_delay_ms=300.0)
    assert len(texts) == 2
    assert "300" in texts[1]


def test_a_given_vantage_is_not_suggested(tmp_path: Path) -> None:
    unknown = {**MANIFEST["vantage"], "value": None, "source": None}
    asked = given(tmp_path, "undetermined", {"vantage": unknown})
    assert any("--vantage" in text for text in asked)
    shown = given(
        tmp_path, "undetermined", {"vantage": {**unknown, "value": "ue", "source": "given"}}
    )
    assert not any("--vantage" in text for text in shown)


def test_named_phones_are_not_suggested(tmp_path: Path) -> None:
    reason = {
        "reason": "a request waits, and no handshake or lone ACK shows how long its way takes"
    }
    asked = given(tmp_path, "undetermined", slices=reason, quality="mid_stream")
    assert any("--ue-net" in text for text in asked)
    networks = {"ue_nets": ["10.0.0.0/8"]}
    named = given(tmp_path, "undetermined", networks, reason, quality="mid_stream")
    assert not any("--ue-net" in text for text in named)
    opened = given(tmp_path, "undetermined", slices=reason)
    assert not any("--ue-net" in text for text in opened), "the handshake shows the phone"


@pytest.mark.parametrize("quality", ["", "mid_stream"])
def test_timestamps_are_advised_where_they_are_missing(tmp_path: Path, quality: str) -> None:
    """A handshake would not help: the same is open of the whole connection."""
    reason = {
        "reason": "no RTT sample and no timestamps: a queue cannot be distinguished from a window"
    }
    (first, *others) = given(tmp_path, "undetermined", slices=reason, quality=quality)
    assert "net.ipv4.tcp_timestamps" in first
    assert not any("from before" in text for text in others)


def test_phones_are_not_suggested_where_they_explain_nothing(tmp_path: Path) -> None:
    reason = {"reason": "the window's scale is unknown: its SYN was not captured"}
    asked = given(tmp_path, "undetermined", slices=reason)
    assert not any("--ue-net" in text for text in asked)


def test_a_server_that_never_answered_late_has_no_slow_disk(tmp_path: Path) -> None:
    (text,) = given(tmp_path, "sender_app")
    assert "look at its application, or at pacing" in text
    (late,) = causes.cause("sender_app").declared.advice(
        causes.Case({**flow(1), "direction": "downlink", "server_wait_ms": 80.0}, True, "monitor")
    )
    assert "look at its application, its disk and its back ends, or at pacing" in late


def test_a_phone_that_downloads_asks_and_does_not_send(tmp_path: Path) -> None:
    (text,) = given(tmp_path, "sender_app", slices={"direction": "uplink"})
    assert "the phone had not requested more" in text


def test_one_direction_calls_for_the_other(tmp_path: Path) -> None:
    first = given(tmp_path, "undetermined", quality="mid_stream,one_sided")[0]
    assert "both directions" in first


def test_missing_acks_call_for_another_filter(tmp_path: Path) -> None:
    reason = {"reason": "ACKs of this data are missing from the capture"}
    first = given(tmp_path, "undetermined", quality="mid_stream", slices=reason)[0]
    assert "a filter by length or by flags drops its ACKs" in first


@pytest.mark.parametrize(
    ("flows", "reason", "said"),
    [
        (1, SCALE, "1 connection: a capture from before the connection opens shows the window"),
        (2, SCALE, "2 connections: a capture from before they open shows the window scale"),
        (1, "", "1 connection: a capture from before the phone's transfers begin, or with a pause"),
    ],
)
def test_missing_handshakes_are_linked_to_what_is_undetermined(
    tmp_path: Path, flows: int, reason: str, said: str
) -> None:
    tables = {
        "flows": [flow(uid, quality="mid_stream") for uid in range(1, flows + 1)],
        "transfers": [transfer(1, 1, 0, 4)],
        "slices": [slice_(1, 1, 0, 4, "undetermined", reason=reason)],
    }
    verdict = Dataset(write(tmp_path / "cut.airmile", tables)).verdict
    (first, *_) = advice(verdict)
    begins = f"undetermined: the capture begins in the middle of {said}"
    assert first.replace("\xa0", " ").startswith(begins)
    assert ("window scale" in first) == bool(reason)
    shown = [text for text in verdict.quality if "no handshake shows the window scale" in text]
    assert len(shown) == 1 and shown[0].startswith(f"{flows} of {flows}")


def test_every_cause_that_can_be_mended_has_advice(tmp_path: Path) -> None:
    unmendable = {"idle", "undetermined", "handover"}
    for cause in causes.every():
        texts = [text for text in given(tmp_path, cause) if text.startswith(cause_name(cause))]
        assert bool(texts) == (cause not in unmendable), cause
        assert len(texts) <= MOST


def test_an_upload_blames_and_mends_the_right_end(tmp_path: Path) -> None:
    """The sender of an upload is the phone, its receiver the server."""
    for cause, end, other in (
        ("receive_window", "the server's application", "phone"),
        ("receiver_app", "the server's application", "phone"),
        ("slow_start", "initial window at the phone", "server"),
        ("slow_start_restart", "at the phone", "server"),
        ("loss_recovery", "on at the phone", "server"),
        ("sender_app", "the phone had nothing to send", "server"),
    ):
        tables = {
            "flows": [flow(1, timeouts_seen=3, initial_window_bytes=14_600)],
            "transfers": [transfer(1, 1, 0, 4, direction="uplink")],
            "slices": [slice_(1, 1, 0, 4, cause, direction="uplink")],
        }
        verdict = Dataset(write(tmp_path / f"{cause}.airmile", tables)).verdict
        (text,) = advice(verdict)
        assert end in text, cause
        assert other not in text, cause
        # The server's timeouts and first flight say nothing about an upload.
        assert not any("14" in line or "timeout" in line for line in verdict.flows[0].why), cause


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ([("failed", None)], ["leave out the file that is no capture"]),
        ([("failed", None)] * 2, ["leave out the files that are no capture"]),
        ([("partial", "pcap")], ["copy the damaged capture again"]),
        (
            [("failed", None), ("partial", "pcap")],
            ["leave out the file that is no capture", "copy the damaged capture again"],
        ),
    ],
)
def test_a_file_of_another_kind_is_not_to_be_copied_again(
    tmp_path: Path, bad: list[tuple[str, str | None]], said: list[str]
) -> None:
    problem = {"offset": None, "kind": "unreadable", "text": "no capture", "hint": None}
    inputs = [
        {"name": "x", "status": status, "format": form, "problems": [problem]}
        for status, form in bad
    ]
    manifest = {"status": "partial", "inputs": [*MANIFEST["inputs"], *inputs]}
    shown = given(tmp_path, "receive_window", manifest)
    files = [text for text in shown if text.startswith(("leave", "copy"))]
    assert [text[: len(begin)] for text, begin in zip(files, said, strict=True)] == said
