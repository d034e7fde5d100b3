"""Small captures with a right answer by construction (the folder ``everyday3`` of the corpus)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import airmile
from airmile import causes, mechanisms
from airmile.printed import Verdict

CORPUS = os.environ.get("AIRMILE_CORPUS")

pytestmark = pytest.mark.skipif(CORPUS is None, reason="AIRMILE_CORPUS is not set")

FULL_RATIO = 0.9
"""The least share of the link where it is always full."""


def verdict(name: str, scratch: Path) -> Verdict:
    """Analyse a capture of the folder."""
    capture = Path(CORPUS or "") / "everyday3" / f"{name}.pcap.gz"
    return airmile.analyze(capture, out=scratch / "x.airmile").verdict


@pytest.mark.parametrize("name", ["bulk_nots", "bulk_ts", "hs_ts", "mid_nots"])
def test_acks_that_the_capture_misses_decide_nothing(name: str, tmp_path: Path) -> None:
    said = verdict(f"filtered_acks-{name}", tmp_path)
    assert (said.limited_by, said.certainty, said.link_is_bottleneck) == (
        *("undetermined", "open"),
        None,
    )
    assert any("ACKs of this data are missing" in reason for reason in said.reasons)


@pytest.mark.parametrize("name", ["k64", "k128", "k256", "k512", "n256_60", "r64", "r128"])
def test_a_throttled_phone_without_timestamps_is_no_silent_sender(
    name: str, tmp_path: Path
) -> None:
    said = verdict(f"throttled_phone-{name}_nots", tmp_path)
    assert said.shares.get("sender_app", 0) <= 0.02
    full = causes.of_links(said.shares)
    assert full >= FULL_RATIO or "lte_downlink" in said.second


@pytest.mark.parametrize("name", ["r64", "r8000", "k64", "k512"])
def test_timestamps_show_the_queue_of_a_throttled_phone(name: str, tmp_path: Path) -> None:
    said = verdict(f"throttled_phone-{name}_ts", tmp_path)
    assert said.shares["lte_downlink"] >= FULL_RATIO
    assert said.link_is_bottleneck


def test_the_least_of_many_waits_bounds_the_loop(tmp_path: Path) -> None:
    said = verdict("midstream_waits-ue", tmp_path)
    assert said.shares.get("sender_app", 0) >= 0.6 or "sender_app" in said.second


@pytest.mark.parametrize("name", ["with", "without", "monitor"])
def test_an_answer_acknowledges_its_request(name: str, tmp_path: Path) -> None:
    """Four small records beside each download are no requests, and show no server time."""
    said = verdict(f"answer_must_ack-{name}", tmp_path)
    loop_ms, share = (170, 0.53) if name == "monitor" else (200, 0.58)
    assert "sender_app" not in said.shares
    assert said.shares["round_trip"] == pytest.approx(share, abs=0.02)
    transfers = said.dataset.transfers.to_pylist()
    assert [row["server_wait_ms"] for row in transfers] == [0, 0, 0, 0]
    assert transfers[0]["loop_ms"] == pytest.approx(loop_ms, abs=1)


@pytest.mark.parametrize("tap", ["ue", "monitor", "server"])
@pytest.mark.parametrize("held_by", ["nagle", "delack"])
def test_a_request_of_two_writes_ends_with_the_second(
    held_by: str, tap: str, tmp_path: Path
) -> None:
    said = verdict(f"two_writes-{held_by}_{tap}", tmp_path)
    first_byte_ms = {"monitor": 20.5, "ue": 50.5, "server": 0.55}[tap]
    for row in said.dataset.transfers.to_pylist():
        assert row["server_wait_ms"] <= 1
        assert row["first_byte_ms"] == pytest.approx(first_byte_ms, abs=0.1)
    assert said.shares.get("sender_app", 0) <= 0.05
    assert any("Nagle" in reason for reason in said.reasons)


@pytest.mark.parametrize("tap", ["ue", "monitor", "server"])
def test_an_answer_that_waits_for_a_delayed_ack_is_nobodys_alone(tap: str, tmp_path: Path) -> None:
    said = verdict(f"nagle_of_answers-lan_{tap}", tmp_path)
    assert said.shares["undetermined"] >= 0.95
    assert any("Nagle" in reason for reason in said.reasons)


@pytest.mark.parametrize("name", ["monitor", "server", "icmp", "up_ue"])
def test_the_repair_of_what_never_arrives_is_loss_recovery(name: str, tmp_path: Path) -> None:
    said = verdict(f"pmtu_blackhole-blackhole_{name}", tmp_path)
    assert said.shares["loss_recovery"] >= 0.95


@pytest.mark.parametrize("tap", ["ue", "monitor", "fast_ue"])
def test_small_records_of_the_receiver_change_nothing(tap: str, tmp_path: Path) -> None:
    """HTTP/2 window updates leave one upload with the shares that it has without them."""
    (tmp_path / "none").mkdir()
    plain = verdict(f"upload_window_updates-{tap}_none", tmp_path / "none")
    updated = verdict(f"upload_window_updates-{tap}_wu", tmp_path)
    assert updated.dataset.transfers.num_rows == 1
    for cause in plain.shares.keys() | updated.shares.keys():
        assert updated.shares.get(cause, 0) == pytest.approx(plain.shares.get(cause, 0), abs=0.02)


@pytest.mark.parametrize("name", ["none", "plain", "plain_swapped", "gtp", "gtp_swapped"])
def test_the_later_fragments_of_a_segment_belong_to_it(name: str, tmp_path: Path) -> None:
    said = verdict(f"fragments-{name}", tmp_path)
    flows = said.dataset.flows.to_pylist()
    assert sum(row["dl_payload_bytes"] for row in flows if row["protocol"] == "tcp") == 438_000
    assert "used 4.5 Mbps" in str(said)


@pytest.mark.parametrize("name", ["pktap258", "pktap149", "nflog239"])
def test_the_header_of_a_capturing_system_changes_nothing(name: str, tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    raw = verdict("iphone_rvi-raw101", tmp_path / "raw")
    said = verdict(f"iphone_rvi-{name}", tmp_path)
    assert said.dataset.manifest["inputs"][0]["counts"]["tcp_packets"] == 404
    assert said.shares == raw.shares
    assert (said.limited_by, said.certainty) == (raw.limited_by, raw.certainty)


@pytest.mark.parametrize("name", ["lost1", "lost2", "lost2_short"])
def test_a_lost_syn_is_no_radio_that_wakes_up(name: str, tmp_path: Path) -> None:
    said = verdict(f"syn_lost-{name}", tmp_path)
    assert "promotion_delay" not in said.shares
    assert said.limited_by == "handshake_dns"
    reasons = said.dataset.slices.column("reason").to_pylist()
    assert any("SYN was lost" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("name", "mechanism", "certainty"),
    [
        *((f"pmtu_blackhole-blackhole_{tap}", "path_mtu_black_hole", "likely")
          for tap in ("monitor", "server", "icmp")),
        ("pmtu_blackhole-blackhole_up_ue", "path_mtu_black_hole", "open"),
        *((f"window_scale-{kind}", "window_without_scale", "sure")
          for kind in ("both0", "stripped")),
        *((f"{kind}_{tap}", "nagle_and_delayed_ack", "likely")
          for kind in ("two_writes-nagle", "two_writes-delack", "nagle_of_answers-lan")
          for tap in ("monitor", "server", "ue")),
        ("syn_lost-lost1", "lost_syn", "likely"),
        ("syn_lost-lost2", "lost_syn", "likely"),
    ],
)  # fmt: skip
def test_a_mechanism_is_found_by_name(
    name: str, mechanism: str, certainty: str, tmp_path: Path
) -> None:
    said = verdict(name, tmp_path)
    every = mechanisms.found(said.dataset)
    assert list(every) == [mechanism]
    [told, *_] = said.to_dict()["findings"]
    assert told["uid"] == str(every[mechanism][0].uid)
    assert "\nFound " in str(said)
    assert {each.certainty for each in every[mechanism]} == {certainty}
