"""How slices become shares of time: which ones count, and with what weight."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airmile.dataset import Dataset
from airmile.printed import Verdict
from airmile.render.text import render
from tests.support.handmade import MANIFEST, Rows, at, flow, slice_, transfer, write


def dataset(tmp_path: Path, flows: Rows, transfers: Rows, slices: Rows, **more: Rows) -> Dataset:
    out = tmp_path / "hand.airmile"
    tables = {"flows": flows, "transfers": transfers, "slices": slices, **more}
    return Dataset(write(out, tables))


def test_a_slice_weighs_as_much_as_it_lasts(tmp_path: Path) -> None:
    slices = [slice_(1, 1, 0, 3, "receive_window"), slice_(1, 1, 3, 4, "lte_downlink")]
    verdict = dataset(tmp_path, [flow(1)], [transfer(1, 1, 0, 4)], slices).verdict
    assert verdict.shares == {"receive_window": 0.75, "lte_downlink": 0.25}
    assert verdict.limited_by == "receive_window"
    assert verdict.link_is_bottleneck is False


def test_flows_are_weighted_by_their_time_and_not_by_their_bytes(tmp_path: Path) -> None:
    verdict = dataset(
        tmp_path,
        [flow(1), flow(2)],
        [transfer(1, 1, 0, 1, bytes=10**9), transfer(2, 1, 0, 9, bytes=10**3)],
        [slice_(1, 1, 0, 1, "lte_downlink"), slice_(2, 1, 0, 9, "sender_app")],
    ).verdict
    assert verdict.shares == {"sender_app": 0.9, "lte_downlink": 0.1}
    assert [found.uid for found in verdict.flows] == [2, 1]


def test_idle_between_transfers_and_control_transfers_stay_out(tmp_path: Path) -> None:
    verdict = dataset(
        tmp_path,
        [flow(1)],
        [transfer(1, 1, 0, 1), transfer(1, 2, 5, 6, control=True, bytes=200)],
        [
            slice_(1, 1, 0, 1, "lte_downlink"),
            slice_(1, None, 1, 5, "idle"),
            slice_(1, 2, 5, 6, "sender_app"),
        ],
    ).verdict
    assert verdict.shares == {"lte_downlink": 1.0}
    assert verdict.link_is_bottleneck is True
    assert [found.transfer_id for found in verdict.transfers] == [1, 2]


def test_undetermined_leaves_the_answer_open_and_gives_its_reason(tmp_path: Path) -> None:
    slices = [
        slice_(1, 1, 0, 2, "undetermined", reason="window scale unknown"),
        slice_(1, 1, 2, 3, "lte_downlink"),
    ]
    verdict = dataset(tmp_path, [flow(1)], [transfer(1, 1, 0, 3)], slices).verdict
    assert verdict.link_is_bottleneck is None
    assert verdict.reasons == {"window scale unknown": pytest.approx(2 / 3)}
    assert "window scale unknown" in str(verdict)


def test_without_a_transfer_nothing_is_judged_and_the_text_says_why(tmp_path: Path) -> None:
    verdict = dataset(tmp_path, [flow(1)], [], []).verdict
    assert (verdict.limited_by, verdict.shares, verdict.link_is_bottleneck) == (None, {}, None)
    assert "nothing to judge" in str(verdict)


def test_what_the_link_could_carry_comes_from_flows_that_show_it(tmp_path: Path) -> None:
    alone = flow(
        1,
        bandwidth_bps=10e6,
        bandwidth_source="queue_evident",
        dl_first_payload_ns=at(0),
        dl_last_payload_ns=at(8),
    )
    moved = transfer(1, 1, 0, 8, bytes=4_000_000)
    slices = [slice_(1, 1, 0, 8, "receive_window")]
    verdict = dataset(tmp_path, [alone], [moved], slices).verdict
    assert verdict.used_bps == pytest.approx(4e6)
    assert verdict.available_bps == 10e6
    assert "used 4.0 of about 10.0 Mbps (40 % of what the link could carry)" in one_line(verdict)


def test_data_in_the_queue_is_still_being_carried(tmp_path: Path) -> None:
    """1 MB passes the capture point in a second, and the radio needs three more for it: 2 Mbps."""
    slices = [slice_(1, 1, 0, 1, "lte_downlink"), slice_(1, None, 1, 4, "lte_downlink")]
    slices.append(slice_(1, None, 4, 9, "idle"))
    verdict = dataset(tmp_path, [flow(1)], [transfer(1, 1, 0, 1)], slices).verdict
    assert verdict.used_bps == pytest.approx(2e6)


def test_what_a_reset_leaves_in_the_queue_is_never_carried(tmp_path: Path) -> None:
    """Half of 1 MB in 2 s was in flight when the phone reset the connection: 2 Mbps."""
    slices = [
        slice_(1, 1, 0, 1, "lte_downlink", in_flight_bytes=900_000),
        slice_(1, 1, 1, 2, "lte_downlink", in_flight_bytes=500_000),
    ]
    moved = [transfer(1, 1, 0, 2)]
    verdict = dataset(tmp_path, [flow(1, ending="rst")], moved, slices).verdict
    assert verdict.used_bps == pytest.approx(2e6)


def test_parallel_transfers_of_a_phone_share_its_time(tmp_path: Path) -> None:
    """Two transfers of 1 MB over the same 4 s are 4 Mbps; one after the other, 2 Mbps."""
    slices = [slice_(1, 1, 0, 4, "sender_app")]
    parallel = [transfer(1, 1, 0, 4), transfer(2, 1, 0, 4)]
    verdict = dataset(tmp_path, [flow(1), flow(2)], parallel, slices).verdict
    assert verdict.used_bps == pytest.approx(4e6)
    assert verdict.available_bps is None
    assert verdict.available_reason is not None
    assert verdict.available_reason in str(verdict).replace("\n" + " " * 12, " ")


def test_samples_are_used_where_no_flow_was_alone(tmp_path: Path) -> None:
    def sample(
        span_s: float, bandwidth_bps: float, source: str, time_s: float = 0
    ) -> dict[str, object]:
        return {
            "uid": 1,
            "direction": "downlink",
            "time_ns": at(time_s),
            "span_s": span_s,
            "bandwidth_bps": bandwidth_bps,
            "source": source,
        }

    samples = [
        *(sample(0.1, 10e6, "queue_evident", time_s) for time_s in (0, 1)),
        *(sample(0.3, 6e6, "queue_evident", time_s) for time_s in (2, 3)),
        sample(0.1, 99e6, "c_rule"),
    ]
    verdict = dataset(
        tmp_path,
        [flow(1)],
        [transfer(1, 1, 0, 4)],
        [slice_(1, 1, 0, 4, "lte_downlink")],
        bandwidth_samples=samples,
    ).verdict
    assert verdict.available_bps == pytest.approx(7e6)


def test_where_restricts_every_table_to_the_chosen_flows(tmp_path: Path) -> None:
    whole = dataset(
        tmp_path,
        [flow(1), flow(2, server_port=80)],
        [transfer(1, 1, 0, 1), transfer(2, 1, 0, 1)],
        [slice_(1, 1, 0, 1, "lte_downlink"), slice_(2, 1, 0, 1, "sender_app")],
    )
    web = whole.where("server_port = 80")
    assert web.verdict.shares == {"sender_app": 1.0}
    assert web.transfers.num_rows == 1
    assert web.flows.schema.equals(whole.flows.schema, check_metadata=True)


def test_the_document_has_the_fields_of_the_contract(tmp_path: Path) -> None:
    found = dataset(
        tmp_path,
        [flow(2**63 + 7, server_name="a.example", ue_port=43815)],
        [transfer(2**63 + 7, 1, 0, 1, limited_by="lte_downlink", share_lte_downlink=1.0)],
        [slice_(2**63 + 7, 1, 0, 1, "lte_downlink", first_frame=12, last_frame=812)],
    ).verdict.to_dict()
    assert (found["schema"], found["scope"], found["small_calls"]) == (3, "capture", None)
    assert (found["vantage"], found["access"]) == ("monitor", "unproven")
    assert found["next"][0].startswith("access link, downlink: the access link is full")
    (shown,) = found["flows"]
    # A floating-point number of 64 bits cannot hold this value exactly.
    assert shown["uid"] == "9223372036854775815"
    assert (shown["server"], shown["name"], shown["duration_s"]) == (
        "203.0.113.9",
        "a.example",
        10.0,
    )
    assert shown["bytes"] == 1_000_000
    assert shown["evidence"][0] == {
        "text": "access link, downlink 100 %",
        "from_s": 0.0,
        "to_s": 1.0,
        "files": [],
        "first_frame": 12,
        "last_frame": 812,
        "display_filter": (
            "ip.addr==10.0.0.1 && tcp.port==43815 && frame.number>=12 && frame.number<=812"
        ),
    }
    assert found["transfers"] == [
        {
            "transfer_id": "1",
            "uid": "9223372036854775815",
            "limited_by": "lte_downlink",
            "certainty": None,
            "second": None,
            "shares": {"lte_downlink": 1.0},
        }
    ]


def test_bursts_do_not_show_what_the_link_could_carry(tmp_path: Path) -> None:
    burst = {"uid": 1, "direction": "downlink", "span_s": 0.02, "bandwidth_bps": 4e6}
    verdict = dataset(
        tmp_path,
        [flow(1)],
        [transfer(1, 1, 0, 4)],
        [slice_(1, 1, 0, 4, "receive_window")],
        bandwidth_samples=[{**burst, "source": "c_rule"}],
    ).verdict
    assert verdict.available_bps is None


QUEUE = {"uid": 1, "direction": "downlink", "span_s": 0.25, "source": "queue_evident"}


def samples_of(bps: float, windows: int) -> Rows:
    """Return a bandwidth sample in each of some windows."""
    times = [at(0.125 + 0.25 * number) for number in range(windows)]
    return [{**QUEUE, "time_ns": time, "bandwidth_bps": bps} for time in times]


@pytest.mark.parametrize("samples", [[], samples_of(1e6, 4)])
def test_a_full_link_can_carry_at_least_what_it_did(tmp_path: Path, samples: Rows) -> None:
    """2 Mbps over a full link disprove an estimate of 1 Mbps."""
    verdict = dataset(
        tmp_path,
        [flow(1)],
        [transfer(1, 1, 0, 4)],
        [slice_(1, 1, 0, 4, "lte_downlink")],
        bandwidth_samples=samples,
    ).verdict
    assert (verdict.available_bps, verdict.available_source) == (2e6, "used")
    assert (
        "Mainly the access link, full for 100 % of the time: used 2.0 Mbps, so the link can "
        "carry at least that." in one_line(verdict)
    )


@pytest.mark.parametrize(
    ("link_s", "words"),
    [
        (3.4, "The access link more than any other cause, for 34 % of the time: used"),
        (5.0, "Mainly the access link, full for 50 % of the time: used"),
    ],
)
def test_the_link_is_the_main_cause_from_half_of_the_time(
    tmp_path: Path, link_s: float, words: str
) -> None:
    rest_s = (10 - link_s) / 2
    slices = [
        slice_(1, 1, 0, link_s, "lte_downlink"),
        slice_(1, 1, link_s, link_s + rest_s, "receiver_app"),
        slice_(1, 1, link_s + rest_s, 10, "receive_window"),
    ]
    verdict = dataset(tmp_path, [flow(1)], [transfer(1, 1, 0, 10)], slices).verdict
    assert verdict.link_is_bottleneck is True
    assert words in one_line(verdict)


def test_an_estimate_below_the_use_is_none(tmp_path: Path) -> None:
    slices = [slice_(1, 1, 0, 3, "receive_window"), slice_(1, 1, 3, 4, "lte_downlink")]
    verdict = dataset(
        tmp_path, [flow(1)], [transfer(1, 1, 0, 4)], slices, bandwidth_samples=samples_of(1e6, 4)
    ).verdict
    assert (verdict.available_bps, verdict.available_source) == (None, None)
    assert "what its queues showed is less than was used" in one_line(verdict)


@pytest.mark.parametrize(("windows", "known"), [(3, False), (4, True)])
def test_a_rate_of_the_link_needs_a_second_with_a_queue(
    tmp_path: Path, windows: int, known: bool
) -> None:
    slices = [slice_(1, 1, 0, 4, "receive_window")]
    samples = [*samples_of(20e6, windows), *samples_of(20e6, windows)]
    verdict = dataset(
        tmp_path, [flow(1)], [transfer(1, 1, 0, 4)], slices, bandwidth_samples=samples
    ).verdict
    assert (verdict.available_bps is not None) == known
    brief = "its queues were too brief to show what it could carry" in one_line(verdict)
    assert brief != known


def test_a_link_with_queues_is_not_said_to_have_none(tmp_path: Path) -> None:
    slices = [slice_(1, 1, 0, 3, "receive_window"), slice_(1, 1, 3, 4, "lte_downlink")]
    text = one_line(dataset(tmp_path, [flow(1)], [transfer(1, 1, 0, 4)], slices).verdict)
    assert "no standing queue" not in text
    assert "its full queue gave no estimate of what it could carry" in text


@pytest.mark.parametrize(
    ("bytes", "end_s", "known"),
    [
        (14_599, 2.0, False),
        (14_600, 2.0, True),
        (10**6, 0.039, False),
        (10**6, 0.041, True),
    ],
)
def test_a_rate_needs_ten_segments_and_a_round_trip(
    tmp_path: Path, bytes: int, end_s: float, known: bool
) -> None:
    verdict = dataset(
        tmp_path,
        [flow(1, handshake_rtt_ms=40.0)],
        [transfer(1, 1, 0, end_s, bytes=bytes)],
        [slice_(1, 1, 0, end_s, "slow_start")],
    ).verdict
    assert (verdict.used_bps is not None) == known
    text = str(verdict)
    assert ("bps)" in text) == known
    assert ("Not mainly the access link." in text) != known
    assert ("ten segments" in (verdict.to_dict()["used_reason"] or "")) != known


def test_use_is_of_the_time_that_the_shares_are_of(tmp_path: Path) -> None:
    """1 MB in 1 s, after its request has waited for 3 s: 2 Mbps in the 4 s that are judged."""
    moved = transfer(1, 1, 0, 4, first_byte_ns=at(3))
    slices = [slice_(1, 1, 0, 3, "sender_app"), slice_(1, 1, 3, 4, "slow_start")]
    verdict = dataset(tmp_path, [flow(1)], [moved], slices).verdict
    assert verdict.used_bps == pytest.approx(2e6)
    assert verdict.judged_s == 4.0
    assert "Shares of 4.0 s of transfers" in one_line(verdict)
    assert "1.0 MB to the phone in 4.0 s (2.0 Mbps)" in one_line(verdict)


def test_transfers_that_take_longer_than_the_capture_are_said_to_be_parallel(
    tmp_path: Path,
) -> None:
    def said(flows: int) -> str:
        (tmp_path / str(flows)).mkdir()
        uids = range(1, flows + 1)
        each = [flow(uid, start_ns=at(0), end_ns=at(4)) for uid in uids]
        moved = [transfer(uid, 1, 0, 4) for uid in uids]
        slices = [slice_(uid, 1, 0, 4, "slow_start") for uid in uids]
        return one_line(dataset(tmp_path / str(flows), each, moved, slices).verdict)

    assert "Shares of 4.0 s of transfers, from the packets" in said(1)
    assert "transfers, parallel ones added up (within 4.0 s), from the packets" in said(2)


def test_of_several_servers_the_loop_is_that_of_the_one_that_took_longest(tmp_path: Path) -> None:
    slices = [slice_(1, 1, 0, 1, "round_trip"), slice_(2, 2, 0, 2, "round_trip")]
    verdict = dataset(
        tmp_path,
        [flow(1), flow(2, server="203.0.113.10", server_name="far.example")],
        [transfer(1, 1, 0, 1, loop_ms=20.0), transfer(2, 2, 0, 2, loop_ms=90.0)],
        slices,
    ).verdict
    assert (
        "round trip 100 % (90 ms from the capture point to the server and back, for far.example)"
        in one_line(verdict)
    )


def test_a_label_that_is_longer_than_a_line_is_wrapped(tmp_path: Path) -> None:
    servers = ["far-away.content.delivery.network.example", "near.example"]
    flows = [
        flow(uid, server=f"203.0.113.{uid}", server_name=name)
        for uid, name in enumerate(servers, 1)
    ]
    verdict = dataset(
        tmp_path,
        flows,
        [transfer(1, 1, 0, 2, loop_ms=90.0), transfer(2, 1, 0, 1, loop_ms=20.0)],
        [slice_(1, 1, 0, 2, "round_trip"), slice_(2, 1, 0, 1, "round_trip")],
    ).verdict
    assert servers[0] in one_line(verdict)
    assert max(map(len, render(verdict, 80).split("Tables")[0].splitlines())) <= 80


def test_evidence_names_the_longest_stretch_and_its_frames(tmp_path: Path) -> None:
    slices = [
        slice_(1, 1, 0, 1, "receive_window", first_frame=3, last_frame=90),
        slice_(1, 1, 1, 2, "lte_downlink", first_frame=91, last_frame=200),
        slice_(1, 1, 2, 3, "receive_window", first_frame=201, last_frame=1200),
        slice_(1, 1, 3, 4, "receive_window", first_frame=None, last_frame=None),
    ]
    (shown,) = dataset(tmp_path, [flow(1)], [transfer(1, 1, 0, 4)], slices).verdict.flows
    first, second, *_ = (text.replace("\u00a0", " ") for text in shown.why)
    assert first.endswith("longest from 2.00 to 4.00 s, frames 201-1 200")
    assert second.endswith("; from 1.00 to 2.00 s, frames 91-200")


@pytest.mark.parametrize(("ue", "field"), [("10.0.0.1", "ip"), ("2001:db8::1", "ipv6")])
def test_all_flows_have_display_filters(tmp_path: Path, ue: str, field: str) -> None:
    slices = [slice_(1, 1, 0, 4, "slow_start", first_frame=3, last_frame=90)]
    known = flow(1, ue=ue, ue_port=40001)
    verdict = dataset(tmp_path, [known], [transfer(1, 1, 0, 4)], slices).verdict
    shown = f"{field}.addr=={ue} && tcp.port==40001 && frame.number>=3 && frame.number<=90"
    lines = render(verdict, every_flow=True).splitlines()
    assert [line.strip() for line in lines if "frame.number" in line] == [shown]
    assert "frame.number" not in render(verdict)


@pytest.mark.parametrize(
    ("end_s", "shown"),
    [
        (1.0006, "at 1.000 s, frames 3-9"),
        (1.0011, "from 1.0000 to 1.0011 s, frames 3-9"),
        (1.02, "from 1.00 to 1.02 s, frames 3-9"),
    ],
)
def test_a_short_span_has_ends_that_differ(tmp_path: Path, end_s: float, shown: str) -> None:
    slices = [slice_(1, 1, 1, end_s, "slow_start", first_frame=3, last_frame=9)]
    verdict = dataset(tmp_path, [flow(1)], [transfer(1, 1, 1, end_s)], slices).verdict
    line = str(verdict.flows[0].evidence[0]).replace("\u00a0", " ")
    assert line == f"slow start 100 %; {shown}"


@pytest.mark.parametrize(
    ("least_ms", "median_ms", "shown"),
    [
        (0.4, 3.26, ["RTT of data between here and the phone 0.4 ms at least, 3.3 ms median"]),
        (0.0, 0.04, ["RTT of data between here and the phone < 0.1 ms median"]),
        (0.0, 0.0, []),
    ],
)
def test_a_round_trip_is_never_0_ms(
    tmp_path: Path, least_ms: float, median_ms: float, shown: list[str]
) -> None:
    known = flow(1, dl_rtt_min_ms=least_ms, dl_rtt_p50_ms=median_ms)
    slices = [slice_(1, 1, 0, 1, "slow_start")]
    verdict = dataset(tmp_path, [known], [transfer(1, 1, 0, 1)], slices).verdict
    texts = [line.text.replace("\u00a0", " ") for line in verdict.flows[0].evidence]
    assert [text for text in texts if text.startswith("RTT")] == shown


def test_times_across_a_step_of_the_clock_are_left_out(tmp_path: Path) -> None:
    """70 s were recorded, and the clock jumped ahead by years before the second flow."""
    years = 1.3e8
    slices = [
        slice_(1, 1, 1, 2, "slow_start", first_frame=3, last_frame=9),
        slice_(2, 2, years, years + 1, "slow_start", first_frame=20, last_frame=29),
        slice_(2, 2, years + 1, years + 2, "lte_downlink"),
    ]
    tables = {
        "flows": [flow(1), flow(2)],
        "transfers": [transfer(1, 1, 1, 2), transfer(2, 2, years, years + 2)],
        "slices": slices,
    }
    manifest = {
        "counts": {"clock_jumps_ahead": 1},
        "inputs": [{**MANIFEST["inputs"][0], "recorded_ns": 70 * 10**9}],
    }
    path = write(tmp_path / "stepped.airmile", tables, manifest)
    shown = {found.uid: found.evidence for found in Dataset(path).verdict.flows}
    assert "from 1.00 to 2.00" in str(shown[1][0])
    link, start = sorted(shown[2][:2], key=str)
    assert str(link).replace("\u00a0", " ") == "access link, downlink 50 %"
    assert str(start).replace("\u00a0", " ") == "slow start 50 %; in frames 20-29"
    assert (start.to_dict()["from_s"], start.to_dict()["first_frame"]) == (None, 20)


@pytest.mark.parametrize(
    ("quality", "again", "shown"),
    [
        ("", 0, ["none of 1 000 packets retransmitted"]),
        ("mid_stream,one_sided", 0, []),
        ("one_sided", 4, ["4 of 1 000 packets retransmitted (0.4 %)"]),
    ],
)
def test_that_nothing_was_sent_again_needs_both_directions(
    tmp_path: Path, quality: str, again: int, shown: list[str]
) -> None:
    known = flow(1, quality=quality, dl_retransmissions=again)
    slices = [slice_(1, 1, 0, 1, "slow_start")]
    verdict = dataset(tmp_path, [known], [transfer(1, 1, 0, 1)], slices).verdict
    texts = [line.text.replace("\u00a0", " ") for line in verdict.flows[0].evidence]
    assert [text for text in texts if "retransmitted" in text] == shown


def test_a_loss_before_the_capture_is_not_denied(tmp_path: Path) -> None:
    known = flow(1, dl_retransmissions=0)
    slices = [slice_(1, 1, 0, 1, "loss_recovery")]
    verdict = dataset(tmp_path, [known], [transfer(1, 1, 0, 1)], slices).verdict
    texts = [line.text.replace("\u00a0", " ") for line in verdict.flows[0].evidence]
    assert not any("retransmitted" in text for text in texts)
    assert any(text.startswith("none of 1 000 packets passed here twice") for text in texts)


def test_a_tail_probe_was_sent_again(tmp_path: Path) -> None:
    known = flow(1, dl_retransmissions=0, dl_tail_probes=2)
    slices = [slice_(1, 1, 0, 1, "slow_start")]
    verdict = dataset(tmp_path, [known], [transfer(1, 1, 0, 1)], slices).verdict
    texts = [line.text.replace("\u00a0", " ") for line in verdict.flows[0].evidence]
    assert "2 of 1 000 packets retransmitted (0.2 %), all as tail loss probes" in texts


def test_a_single_frame_is_filtered_for_as_such(tmp_path: Path) -> None:
    slices = [slice_(1, 1, 0, 4, "slow_start", first_frame=315, last_frame=315)]
    verdict = dataset(tmp_path, [flow(1)], [transfer(1, 1, 0, 4)], slices).verdict
    shown = verdict.flows[0].evidence[0].display_filter
    assert shown == "ip.addr==10.0.0.1 && tcp.port==40001 && frame.number==315"


def test_every_line_of_evidence_has_a_time(tmp_path: Path) -> None:
    known = flow(1, dl_rtt_min_ms=20.0, dl_rtt_p50_ms=30.0, dl_retransmissions=4, timeouts_seen=1)
    known["dl_rtt_max_ms"] = 90.0
    slices = [
        slice_(1, 1, 0, 1, "slow_start", rtt_ms=20.0, first_frame=1, last_frame=9),
        slice_(1, 1, 1, 2, "slow_start", rtt_ms=90.0, first_frame=10, last_frame=19),
        slice_(1, 1, 2, 3, "slow_start", retransmissions=4, first_frame=20, last_frame=29),
    ]
    (shown,) = dataset(tmp_path, [known], [transfer(1, 1, 0, 3)], slices).verdict.flows
    why = [text.replace("\u00a0", " ") for text in shown.why]
    assert why[1].endswith("longest from 1.00 to 2.00 s, frames 10-19")
    assert why[2].endswith("retransmitted (0.4 %); all from 2.00 to 3.00 s, frames 20-29")
    assert why[3] == "1 retransmission timeout; from 0.00 to 3.00 s, frames 1-29"


def test_a_name_from_a_packet_cannot_speak_to_the_terminal(tmp_path: Path) -> None:
    known = flow(1, server_name="a\x1b[2J.example")
    slices = [slice_(1, 1, 0, 4, "slow_start")]
    text = str(dataset(tmp_path, [known], [transfer(1, 1, 0, 4)], slices).verdict)
    assert "a??2J.example (203.0.113.9:443)" in text


def test_the_heaviest_and_the_slowest_flow_come_first(tmp_path: Path) -> None:
    """Flow 2 takes most of the time, and flow 3 has most of the bytes."""
    verdict = dataset(
        tmp_path,
        [flow(1), flow(2), flow(3)],
        [transfer(1, 1, 0, 2), transfer(2, 2, 0, 9), transfer(3, 3, 0, 1)],
        [
            slice_(1, 1, 0, 2, "slow_start"),
            slice_(2, 2, 0, 9, "sender_app"),
            slice_(3, 3, 0, 1, "slow_start", bytes=10**6),
        ],
    ).verdict
    assert [found.uid for found in verdict.flows] == [3, 2, 1]


def test_a_tunnel_of_other_traffic_proves_nothing_of_the_flows(tmp_path: Path) -> None:
    other = flow(2, protocol="udp", teid=7, vantage_source="tunnel")
    slices = [slice_(1, 1, 0, 1, "lte_downlink")]
    verdict = dataset(tmp_path, [flow(1), other], [transfer(1, 1, 0, 1)], slices).verdict
    assert not verdict.cellular


def test_requests_as_large_as_answers_are_data_too(tmp_path: Path) -> None:
    slices = [
        slice_(1, 1, 0, 9, "slow_start", direction="uplink"),
        slice_(1, 1, 9, 10, "sender_app"),
    ]
    sizes = {"dl_unique_bytes": 200_003, "ul_unique_bytes": 200_026, "ul_payload_bytes": 246_746}
    shown = one_line(dataset(tmp_path, [flow(1, **sizes)], [transfer(1, 1, 0, 10)], slices).verdict)
    assert "Most data" not in shown
    assert "Data to the phone took 1.0 s, limited by sender application 100 %" in shown


def test_calls_below_the_step_of_the_clock_have_no_median(tmp_path: Path) -> None:
    transfers = [transfer(1, n, n, n, control=True, bytes=300) for n in range(1, 9)]
    transfers.append(transfer(1, 9, 9, 9.5, control=True, bytes=300))
    slices = [slice_(1, 9, 9, 9.5, "round_trip")]
    shown = one_line(dataset(tmp_path, [flow(1)], transfers, slices).verdict)
    assert "9 small calls, most below the clock's step: round trip 100 %" in shown


def test_a_tunnel_proves_a_cellular_link(tmp_path: Path) -> None:
    slices = [slice_(1, 1, 0, 4, "lte_downlink")]
    text = one_line(dataset(tmp_path, [flow(1, teid=7)], [transfer(1, 1, 0, 4)], slices).verdict)
    assert "Limited by LTE downlink 100 % Mainly the cellular link" in text


def upload(tmp_path: Path, *slices: dict[str, Any], **facts: Any) -> Verdict:
    """Return the verdict of 1 MB from the phone in 0.1 s, whose answer came 0.9 s later."""
    sent = slice_(1, 1, 0, 0.1, "congestion_window", direction="uplink", bytes=1_000_000)
    moved = transfer(1, 1, 0, 1, direction="uplink", bytes=1_000_000)
    known = flow(1, **{"ul_payload_bytes": 1_000_000, **facts})
    return dataset(tmp_path, [known], [moved], [sent, *slices]).verdict


def test_an_upload_is_not_described_by_the_time_of_its_answer(tmp_path: Path) -> None:
    """Headline, title and advice name the direction of each time, and the rate is the upload's."""
    verdict = upload(tmp_path, slice_(1, 1, 0.1, 1, "sender_app"))
    shown = one_line(verdict)
    assert verdict.uplink_shares == {"congestion_window": pytest.approx(0.1)}
    assert "sender application 90 % (to the phone) congestion window 10 % (from the phone)" in shown
    assert (
        "Most data went from the phone: it sent for 100 ms, limited by congestion window 100 %; in "
        "the other 900 ms it received data or waited for them." in shown
    )
    assert "Shares of 1.0 s of transfers (100 ms of it sending from the phone), from the" in shown
    assert "1.0 MB from the phone in 1.0 s, 100 ms of it sending (80.0 Mbps)" in shown
    assert "the phone had sent its data, and the server, or a system behind it, had not" in shown
    assert "used 8.0 Mbps, waits included, and its capacity is unknown" in shown


def test_a_download_beside_a_long_upload_has_causes_of_its_own(tmp_path: Path) -> None:
    """The phone sends little for long, and the download is short."""
    slices = [
        slice_(1, 1, 0, 0.2, "slow_start"),
        slice_(1, 1, 0.2, 1, "sender_app", direction="uplink"),
    ]
    known = flow(1, ul_payload_bytes=20_000)
    shown = one_line(dataset(tmp_path, [known], [transfer(1, 1, 0, 1)], slices).verdict)
    assert (
        "Most data went to the phone: this took 200 ms, limited by slow start 100 %; in the other "
        "800 ms the phone sent." in shown
    )


def test_a_cause_of_both_directions_is_described_in_both(tmp_path: Path) -> None:
    """One downlink span is long, and many uplink spans are short: one length does not decide."""
    short = [
        slice_(1, 1, at_s / 10, at_s / 10 + 0.1, "sender_app", direction="uplink")
        for at_s in range(1, 11, 2)
    ]
    shown = one_line(upload(tmp_path, *short, slice_(1, 1, 1.2, 1.6, "sender_app")))
    assert (
        "sender application 50 % (from the phone) sender application 40 % (to the phone) "
        "congestion window 10 % (from the phone)" in shown
    )
    assert "Most data went" not in shown, "the direction of most data has most of the time"
    assert shown.index("the phone had nothing to send") < shown.index("the phone had sent its data")


def test_the_handshake_is_no_sending(tmp_path: Path) -> None:
    opening = slice_(1, 1, 0.1, 1, "handshake_dns", direction="uplink")
    shown = one_line(upload(tmp_path, opening))
    assert "1.0 MB from the phone in 1.0 s, 100 ms of it sending (80.0 Mbps)" in shown
    assert "(from the phone)" not in shown


def test_one_direction_alone_is_not_named(tmp_path: Path) -> None:
    shown = one_line(upload(tmp_path))
    assert "congestion window 100 % Not" in shown
    assert "1.0 MB from the phone in 100 ms (80.0 Mbps)" in shown


def test_what_is_of_the_other_direction_is_called_so(tmp_path: Path) -> None:
    """A sentence about 7 others would contradict the flow's own 3 retransmitted packets."""
    verdict = upload(
        tmp_path,
        slice_(1, 1, 0.1, 1, "loss_recovery", retransmissions=7),
        dl_retransmissions=9,
        ul_retransmissions=3,
        ul_packets=700,
    )
    shown = one_line(verdict)
    assert "7 packets of the server retransmitted in this time" in shown
    assert "3 of 700 packets retransmitted" in shown


def test_a_request_that_is_sent_again_is_the_phones(tmp_path: Path) -> None:
    """The phone waits for data, but the lost packet was sent by the phone."""
    reason = "the request was not acknowledged in time and is sent again"
    verdict = dataset(
        tmp_path,
        [flow(1, dl_retransmissions=7, ul_retransmissions=3, ul_packets=9, timeouts_seen=2)],
        [transfer(1, 1, 0, 1)],
        [slice_(1, 1, 0, 1, "loss_recovery", reason=reason)],
    ).verdict
    shown = one_line(verdict)
    assert f"{reason}; in the whole flow 3 packets of the phone retransmitted; from" in shown
    assert "SACK and RACK-TLP are on at the phone" in shown


def test_a_download_beside_an_upload_keeps_its_rate(tmp_path: Path) -> None:
    slices = [
        slice_(1, 1, 0, 0.5, "slow_start", direction="uplink"),
        slice_(1, 1, 0.5, 1, "slow_start"),
    ]
    known = flow(1, ul_payload_bytes=900_000)
    shown = one_line(dataset(tmp_path, [known], [transfer(1, 1, 0, 1)], slices).verdict)
    assert "1.0 MB to the phone in 1.0 s (8.0 Mbps), 500 ms of it while the phone sent" in shown
    assert "slow start 50 % (to the phone) slow start 50 % (from the phone)" in shown


def test_a_time_of_the_flow_is_not_one_of_the_share_beside_it(tmp_path: Path) -> None:
    """A closed window counts as full; the receiving application has its share of the 8 s."""
    slices = [slice_(1, 1, 0, 6, "receive_window"), slice_(1, 1, 6, 10, "receiver_app")]
    known = flow(1, window_full_s=8.0, zero_window_s=3.0, duration_s=10.0)
    shown = one_line(dataset(tmp_path, [known], [transfer(1, 1, 0, 10)], slices).verdict)
    assert "receive window 60 %: full or closed for 8.0 s of the flow's 10.0 s" in shown


def test_an_answer_that_began_at_once_did_not_take_0_ms(tmp_path: Path) -> None:
    moved = transfer(1, 1, 0, 1, server_wait_ms=0.0)
    verdict = dataset(tmp_path, [flow(1)], [moved], [slice_(1, 1, 0, 1, "sender_app")]).verdict
    assert "an answer took" not in one_line(verdict)


def one_line(verdict: Verdict) -> str:
    return " ".join(str(verdict).split())


def test_a_condition_that_no_flow_meets_is_said_in_place_of_counts(tmp_path: Path) -> None:
    made = dataset(tmp_path, [flow(1)], [transfer(1, 1, 0, 1)], [slice_(1, 1, 0, 1, "idle")])
    text = one_line(made.where("server_port = 1").verdict)
    assert "no flow where server_port = 1" in text
    assert "0 packets" not in text


@pytest.mark.parametrize(
    ("cause", "second", "certainty", "bottleneck", "words"),
    [
        ("sender_app", None, "sure", False, "Not mainly the access link"),
        ("lte_downlink", "upstream_path", "likely", True, "the access link or the path behind it"),
        ("receive_window", "lte_downlink", "likely", None, "Likely, not sure: a full access link"),
        (
            "undetermined",
            "lte_downlink,sender_app",
            "open",
            None,
            "Open between access link (downlink) and",
        ),
        ("undetermined", None, "open", None, "Whether the access link is the bottleneck is unknow"),
    ],
)
def test_a_verdict_says_what_else_would_look_the_same(
    tmp_path: Path,
    cause: str,
    second: str | None,
    certainty: str,
    bottleneck: bool | None,
    words: str,
) -> None:
    verdict = dataset(
        tmp_path,
        [flow(1)],
        [transfer(1, 1, 0, 1)],
        [slice_(1, 1, 0, 1, cause, second=second)],
    ).verdict
    assert (verdict.certainty, verdict.link_is_bottleneck) == (certainty, bottleneck)
    assert ",".join(verdict.second) == (second or "")
    assert words in " ".join(str(verdict).split()).replace("\u00a0", " ")
