"""What the verdict reports about its input, and what it does not judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from airmile.answers.verdict._summary import summary
from airmile.dataset import Dataset
from tests.support.handmade import at, flow, slice_, transfer, write

NO_VOTES = {"ue": 0, "monitor": 0, "server": 0, "by_acks": 0}


def dataset(tmp_path: Path, flows: list[dict[str, Any]], **manifest: Any) -> Dataset:
    shares = {"share_lte_downlink": 1.0}
    tables = {
        "flows": flows,
        "transfers": [transfer(1, 1, 0, 1, **shares)],
        "slices": [slice_(1, 1, 0, 1, "lte_downlink")],
    }
    return Dataset(write(tmp_path / "hand.airmile", tables, manifest))


def udp(uid: int, service: str, size: int) -> dict[str, Any]:
    return flow(uid, protocol="udp", service=service, dl_payload_bytes=size, ul_payload_bytes=0)


@pytest.mark.parametrize(
    ("lost", "shown"),
    [
        (400, "40 % of its payload"),
        (1000, "as much as its payload"),
        (16_580, "16.6 times its payload"),
    ],
)
def test_missed_packets_are_reported_beside_captured_ones(
    tmp_path: Path, lost: int, shown: str
) -> None:
    row = flow(1, quality="capture_loss", dl_capture_lost_bytes=lost, ul_capture_lost_bytes=0)
    flows = [{**row, "dl_payload_bytes": 1000, "ul_payload_bytes": 0}]
    (said,) = (text for text in dataset(tmp_path, flows).verdict.quality if "missed" in text)
    assert shown in said.replace("\xa0", " ")


def test_quic_and_other_udp_are_shown_as_not_assessable(tmp_path: Path) -> None:
    flows = [
        flow(1, dl_payload_bytes=600, ul_payload_bytes=0),
        udp(2, "quic", 200),
        udp(3, "quic", 100),
        udp(4, "dns", 100),
    ]
    verdict = dataset(tmp_path, flows).verdict
    quic, other = json.loads(json.dumps(verdict.to_dict()))["not_assessable"]
    assert (quic["kind"], quic["flows"], quic["bytes"], quic["payload_ratio"]) == (
        *("quic", 2, 300, 0.3),
    )
    assert (quic["limited_by"], quic["reason"]) == (None, "encrypted")
    assert (other["kind"], other["bytes"], other["payload_ratio"]) == ("udp", 100, 0.1)
    line = next(text for text in str(verdict).splitlines() if "not judged" in text)
    assert "only TCP shows what limits it: 40 %" in line
    assert verdict.shares == {"lte_downlink": 1.0}


def test_tcp_without_its_header_is_not_another_protocol(tmp_path: Path) -> None:
    cut = {"protocol": "other", "ul_payload_bytes": 0}
    flows = [
        flow(1, dl_payload_bytes=600, ul_payload_bytes=0),
        flow(2, quality="no_header", dl_payload_bytes=300, **cut),
        flow(3, quality="", dl_payload_bytes=100, **cut),
    ]
    verdict = dataset(tmp_path, flows).verdict
    header, other = (kind.to_dict() for kind in verdict.not_assessable)
    assert (header["kind"], header["bytes"]) == ("no_header", 300)
    assert header["reason"] == "the TCP headers are not in the capture"
    assert (other["kind"], other["bytes"]) == ("other", 100)
    shown = [text.replace("\u00a0", " ") for text in verdict.quality if "not judged" in text]
    assert shown == [
        "not judged, because only TCP shows what limits it: 10 % of the payload, "
        "100 B of other protocols",
        "not judged, because the TCP header is not in the capture: 30 % of the payload, "
        "300 B of packets without it",
    ]


def test_a_share_that_no_transfer_shows_is_null(tmp_path: Path) -> None:
    verdict = dataset(tmp_path, [flow(1)]).verdict
    row = summary(verdict, ["lte_downlink", "handover", "idle"]).to_pylist()[0]
    assert row["share_lte_downlink"] == 1.0
    assert row["share_handover"] is None
    # A cause without a column had no time.
    assert row["share_idle"] == 0.0


def test_without_votes_the_capture_is_judged_as_at_a_monitor_and_said_so(tmp_path: Path) -> None:
    none: dict[str, Any] = {"value": None, "source": None, "assumed": "monitor", "votes": NO_VOTES}
    verdict = dataset(tmp_path, [flow(1)], vantage=none).verdict
    assert any("judged as captured at a monitor" in text for text in verdict.quality)


def test_acks_that_show_the_vantage_are_named(tmp_path: Path) -> None:
    votes = {"ue": 3, "monitor": 0, "server": 0, "by_acks": 2}
    verdict = dataset(
        tmp_path, [flow(1)], vantage={"value": "ue", "source": "acks", "votes": votes}
    ).verdict
    shown = next(text for text in verdict.quality if "captured at the phone" in text)
    assert shown == (
        "captured at the phone, as the timing of all 3\xa0connections shows (2 without a handshake)"
    )


@pytest.mark.parametrize(
    ("votes", "said"),
    [
        ({"ue": 1}, "as the timing of the handshake shows"),
        ({"ue": 4, "monitor": 1}, "as the timing of 4 of 5\xa0handshakes shows"),
        ({"ue": 1, "by_acks": 1}, "as the timing of data and ACKs in the connection shows"),
        (
            {"ue": 4, "server": 1, "by_acks": 2},
            "4 of 5\xa0connections shows (of all 5\xa0connections, 2 have no handshake)",
        ),
    ],
)
def test_what_shows_the_vantage_is_said(tmp_path: Path, votes: dict[str, int], said: str) -> None:
    found = {"value": "ue", "source": "handshakes", "votes": {**NO_VOTES, **votes}}
    verdict = dataset(tmp_path, [flow(1)], vantage=found).verdict
    assert verdict.quality[0].startswith("captured at the phone, as the timing of ")
    assert verdict.quality[0].endswith(said)


def test_a_tunnel_that_shows_the_vantage_is_no_handshake(tmp_path: Path) -> None:
    verdict = dataset(tmp_path, [flow(1, vantage_source="tunnel")]).verdict
    shown = next(text.replace("\u00a0", " ") for text in verdict.quality if "captured" in text)
    assert shown.endswith(", as the GTP-U tunnels of the connection show")


def test_a_tunnel_is_no_witness_of_another_place(tmp_path: Path) -> None:
    """One UDP flow in a tunnel, beside nine handshakes that show the phone."""
    found = {"value": "ue", "source": "handshakes", "votes": {**NO_VOTES, "ue": 9, "monitor": 1}}
    flows = [flow(1), flow(2, protocol="udp", vantage_source="tunnel")]
    verdict = dataset(tmp_path, flows, vantage=found).verdict
    assert verdict.quality[0].endswith("as the timing of all 9\xa0handshakes shows")


def test_a_capture_of_several_phones_is_at_none_of_them(tmp_path: Path) -> None:
    found = {"value": "ue", "source": "handshakes", "votes": {**NO_VOTES, "ue": 2}}
    verdict = dataset(tmp_path, [flow(1), flow(2, ue="10.0.0.2")], vantage=found).verdict
    assert verdict.quality[0] == (
        "captured beside the phones, as the timing of both handshakes shows"
    )
    assert "captured beside the phones" in " ".join(str(verdict).split())


def test_the_length_is_counted_from_where_times_are(tmp_path: Path) -> None:
    """A frame without IP is 600 ms before the first flow, and the flow lasts 10 s."""
    first = at(0) - 600_000_000
    verdict = dataset(tmp_path, [flow(1)], first_ns=first).verdict
    assert "hand.pcap 10.6 s " in " ".join(str(verdict).split())


def test_a_tunnel_needs_no_handshake(tmp_path: Path) -> None:
    votes = {**NO_VOTES, "monitor": 3, "by_acks": 1}
    found = {"value": "monitor", "source": "handshakes", "votes": votes}
    verdict = dataset(tmp_path, [flow(1, vantage_source="tunnel")], vantage=found).verdict
    assert verdict.quality[0].endswith("the GTP-U tunnels of all 3\xa0connections show")


def test_the_papers_c_says_what_it_gave_and_which_would_do(tmp_path: Path) -> None:
    large = {"dl_payload_bytes": 10**7, "dl_first_payload_ns": at(0), "dl_last_payload_ns": at(9)}
    flows = [
        flow(1, send_max_bps=20e6, **large),
        flow(2, send_max_bps=40e6, bandwidth_c_rule_bps=8e6, **large),
    ]
    parameters = {
        **{"bandwidth.use_c_rule": 1.0, "bandwidth.min_send_bps": 30e6},
        **{"flows.large_bytes": 1e6, "flows.large_s": 5.0},
    }
    verdict = dataset(tmp_path, flows, parameters=parameters).verdict
    shown = next(text.replace("\u00a0", " ") for text in verdict.quality if text.startswith("C ="))
    assert "1 of 2 large flows" in shown
    advice = "C = 22.0 Mbps would give nine of ten flows one (--set bandwidth.min_send_bps=2.2e+07)"
    assert advice in shown


def test_users_of_a_modem_log_that_are_no_phone_of_the_capture_are_not_listed(
    tmp_path: Path,
) -> None:
    short = "the modem log or the capture holds less than two seconds of traffic"
    others = [{"user": n, "aligned": None, "not_aligned": short, "reason": None} for n in (1, 2)]
    phone = {
        "user": 0,
        "aligned": {"offset_ms": 3.0, "uncertainty_ms": 1.0},
        "not_aligned": None,
        "reason": None,
    }

    def reasons(name: str, users: list[dict[str, Any]]) -> list[str]:
        (tmp_path / name).mkdir()
        verdict = dataset(tmp_path / name, [flow(1)], radio=users).verdict
        return [text for text in verdict.quality if "modem log" in text]

    assert reasons("aligned", [phone, *others]) == []
    assert reasons("alone", others) == [f"the modem log is not used for the verdict: {short}"]
    other_radio = phone | {"reason": "another radio carries the rest"}
    assert reasons("mixed", [other_radio, *others]) == [
        "the modem log is not used for the verdict: another radio carries the rest"
    ]


@pytest.mark.parametrize(("ue", "alone"), [("127.0.0.1", True), ("::1", True), ("10.0.0.1", False)])
def test_a_host_that_speaks_to_itself_is_no_phone(tmp_path: Path, ue: str, alone: bool) -> None:
    text = " ".join(str(dataset(tmp_path, [flow(1, ue=ue, server=ue)]).verdict).split())
    assert ("1 host, 1 TCP flow" in text) == alone
    assert ("1 phone, 1 TCP flow" in text) != alone
    assert ("a host speaks to itself here" in text) == alone


@pytest.mark.parametrize(("step_s", "said"), [(2e-6, False), (0.001, True)])
def test_a_step_of_the_clock_that_changes_no_shown_time_is_not_said(
    tmp_path: Path, step_s: float, said: bool
) -> None:
    counts = {"clock_steps_back": 1, "largest_clock_step_s": step_s}
    source = {"name": "hand.pcap", "status": "ok", "problems": [], "recorded_ns": 10**10}
    stepped = dataset(tmp_path, [flow(1)], counts=counts, inputs=[source])
    assert ("clock steps left out" in str(stepped.verdict)) == said
