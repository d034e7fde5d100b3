"""Slices become shares of time: which ones count, and with what weight."""

from __future__ import annotations

from pathlib import Path

import pytest

from airmile.dataset import Dataset
from tests.handmade import Rows, at, flow, slice_, transfer, write


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


def test_what_the_link_could_carry_comes_from_flows_that_tell_it(tmp_path: Path) -> None:
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
    assert "used 4.0 of about 10.0 Mbps (40 %)" in str(verdict)


def test_what_stands_in_the_queue_is_still_being_carried(tmp_path: Path) -> None:
    """1 MB passes the tap in a second, and the radio needs three more for it: 2 Mbps."""
    slices = [slice_(1, 1, 0, 1, "lte_downlink"), slice_(1, None, 1, 4, "lte_downlink")]
    slices.append(slice_(1, None, 4, 9, "idle"))
    verdict = dataset(tmp_path, [flow(1)], [transfer(1, 1, 0, 1)], slices).verdict
    assert verdict.used_bps == pytest.approx(2e6)


def test_what_a_reset_leaves_in_the_queue_is_never_carried(tmp_path: Path) -> None:
    """Of 1 MB in 2 s half was in flight when the phone gave up: 2 Mbps."""
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


def test_samples_stand_in_where_no_flow_was_alone(tmp_path: Path) -> None:
    def sample(span_s: float, bandwidth_bps: float, source: str) -> dict[str, object]:
        return {
            "uid": 1,
            "direction": "downlink",
            "span_s": span_s,
            "bandwidth_bps": bandwidth_bps,
            "source": source,
        }

    samples = [
        sample(1.0, 10e6, "queue_evident"),
        sample(3.0, 6e6, "queue_evident"),
        sample(1.0, 99e6, "c_rule"),
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
        [flow(7)],
        [transfer(7, 1, 0, 1, limited_by="lte_downlink", share_lte_downlink=1.0)],
        [slice_(7, 1, 0, 1, "lte_downlink")],
    ).verdict.to_dict()
    assert found["schema"] == 1
    assert found["scope"] == "capture"
    assert found["flows"][0]["uid"] == 7
    assert found["transfers"] == [
        {
            "transfer_id": 1,
            "uid": 7,
            "limited_by": "lte_downlink",
            "shares": {"lte_downlink": 1.0},
        }
    ]


def test_bursts_do_not_tell_what_the_link_could_carry(tmp_path: Path) -> None:
    burst = {"uid": 1, "direction": "downlink", "span_s": 0.02, "bandwidth_bps": 4e6}
    verdict = dataset(
        tmp_path,
        [flow(1)],
        [transfer(1, 1, 0, 4)],
        [slice_(1, 1, 0, 4, "receive_window")],
        bandwidth_samples=[{**burst, "source": "c_rule"}],
    ).verdict
    assert verdict.available_bps is None


def test_an_estimate_below_the_use_is_called_too_low(tmp_path: Path) -> None:
    sample = {"uid": 1, "direction": "downlink", "span_s": 1.0, "bandwidth_bps": 1e6}
    verdict = dataset(
        tmp_path,
        [flow(1)],
        [transfer(1, 1, 0, 4)],
        [slice_(1, 1, 0, 4, "lte_downlink")],
        bandwidth_samples=[{**sample, "source": "queue_evident"}],
    ).verdict
    text = " ".join(str(verdict).split())
    assert "used 2.0 Mbps, more than the estimate of what it could carry, about 1.0 Mbps" in text
