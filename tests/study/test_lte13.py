"""Figures and numbers of LTE13 from datasets that are small enough to compute by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airmile.study import Missing, lte13
from airmile.study._curves import Points
from airmile.study._notes import notes_of
from airmile.study.lte13 import _estimate, _radio_on, fig23_receive_window
from tests.support.made import at, dataset, flow, transfer


def test_a_quantile_lies_between_two_values_and_a_share_is_exact(tmp_path: Path) -> None:
    payload = [0, 0, 500, 1_000_000, 1_000_001, 2_000_000, 3_000_000, 40, 41, 42]
    flows = [flow(uid, dl_payload_bytes=each) for uid, each in enumerate(payload, 1)]
    down = Points(lte13.fig2.table(dataset(tmp_path / "d", flows=flows)), "downlink")
    assert down.n == 10
    assert down.share_to(0) == pytest.approx(0.2)
    assert down.share_to(1e6) == pytest.approx(0.7)
    # Of ten values the quantile at 0.9 is 0.1 of the way from the ninth to the tenth (methods I4).
    assert down.quantile(0.9) == pytest.approx(2_100_000)


def test_a_figure_and_the_text_give_the_same_quantile(tmp_path: Path) -> None:
    flows = [flow(1, dl_payload_bytes=1000), flow(2, dl_payload_bytes=5000)]
    d = dataset(tmp_path / "d", flows=flows)
    numbers = {row["quantity"]: row["value"] for row in lte13.numbers.table(d).to_pylist()}
    down = Points(lte13.fig2.table(d), "downlink")
    assert down.quantile(0.5) == pytest.approx(3000)
    assert numbers["90 % of flows: downlink up to"] == pytest.approx(down.quantile(0.9))
    # The distribution function itself rises in steps, at values that were measured.
    assert down.share_to(0) == 0


def test_one_value_has_no_percentiles(tmp_path: Path) -> None:
    """Methods I4: 5, 50 and 95 % need two values."""
    down = [flow(uid, dl_fair=True, ul_fair=False, dl_rate_bps=1e6 * uid) for uid in (1, 2)]
    up = flow(3, dl_fair=False, ul_fair=True, ul_rate_bps=5e5)
    table = lte13.table1.table(dataset(tmp_path / "d", flows=[*down, up]))
    two, one, _ = table.to_pylist()[:3]
    assert (two["p5"], two["p50"], two["p95"]) == pytest.approx((1050, 1500, 1950))
    assert (one["n"], one["p5"], one["p50"], one["p95"]) == (1, None, None, None)
    assert "only 1 flow" in one["reason"]
    assert [each.here for each in lte13.table1.findings(table)][1] == "unknown"
    with pytest.raises(Missing, match="percentiles need 2"):
        lte13.table1.table(dataset(tmp_path / "one", flows=[up]))


def test_flows_of_other_protocols_do_not_count(tmp_path: Path) -> None:
    flows = [flow(1, dl_payload_bytes=5), flow(2, dl_payload_bytes=7, protocol="udp")]
    assert Points(lte13.fig2.table(dataset(tmp_path / "d", flows=flows)), "downlink").n == 1


def test_flows_to_the_ports_of_proxies_have_a_curve_in_a_capture_of_a_phone(tmp_path: Path) -> None:
    web = {"pep": True, "handshake_rtt_ms": 60.0, "server_port": 80}
    flows = [flow(1, **web), flow(2, **web), flow(3, pep=False, handshake_rtt_ms=40.0)]
    columns = {"vantage": "ue", "handshake_after_idle": False}
    d = dataset(tmp_path / "d", flows=[{**each, **columns} for each in flows])
    rows = lte13.fig7.table(d)
    assert Points(rows, "client to server or proxy, proxied ports (C-P)").n == 2
    assert Points(rows, "client to server (C-S)").n == 1
    with pytest.raises(Missing, match="only a capture at a monitor"):
        lte13.fig8.table(d)


def test_flows_of_proxies_are_counted_where_nothing_else_is_left(tmp_path: Path) -> None:
    web = {"pep": True, "vantage": "monitor", "upstream_rtt_ms": 5.0, "downstream_rtt_ms": 50.0}
    with pytest.raises(Missing, match=r"2.TCP flows to the ports of handshake\.pep_ports"):
        lte13.fig8.table(dataset(tmp_path / "d", flows=[flow(1, **web), flow(2, **web)]))


def test_a_number_that_the_data_cannot_give_is_null_with_its_reason(tmp_path: Path) -> None:
    flows = [flow(uid, server_port=port) for uid, port in ((1, 80), (2, 443), (3, 443), (4, 22))]
    table = lte13.numbers.table(dataset(tmp_path / "d", flows=flows))
    rows = {row["quantity"]: row for row in table.to_pylist()}
    assert rows["HTTPS, of TCP flows"]["value"] == 0.5
    assert rows["HTTPS, of TCP flows"]["n"] == 4
    assert all((row["value"] is None) == bool(row["reason"]) for row in rows.values())
    assert any("DNS look-ups below 10 ms" in note for note in notes_of(table))


@pytest.mark.parametrize("name", lte13.EXHIBITS)
def test_an_empty_dataset_is_refused_with_what_is_lacking(tmp_path: Path, name: str) -> None:
    with pytest.raises(Missing):
        lte13.EXHIBITS[name].table(dataset(tmp_path / "d", slices=[]))


def requests(uid: int, *starts_s: float, size: int = 2_000_000) -> list[dict[str, Any]]:
    """Return the transfers of a flow, each half a second long."""
    return [
        transfer(uid, 10 * uid + n, 1000 * start, 1000 * start + 500, bytes=size)
        for n, start in enumerate(starts_s)
    ]


def test_requests_of_a_service_are_periodic_over_their_connections(tmp_path: Path) -> None:
    """The example of methods F2: requests at 0.0, 10.1, 20.0 and 30.1 s."""
    flows = [
        flow(uid, ue="10.0.0.1", ue_port=40_000 + uid, server=server, server_name=None)
        for uid, server in ((1, "192.0.2.1"), (2, "192.0.2.1"), (3, "192.0.2.2"))
    ]
    page = requests(3, 0, 1, 9, 30, size=9_000_000)
    transfers = [*requests(1, 0, 10.1), *requests(2, 20, 30.1), *page]
    bin_: dict[str, Any] = {"uid": 1, "direction": "downlink", "start_ns": at(0)}
    bins = [{**bin_, "bytes": 625_000, "throughput_bps": 1e7}]
    d = dataset(tmp_path / "d", flows=flows, transfers=transfers, throughput=bins)
    rows = lte13.fig24.table(d)
    asked = [row for row in rows.to_pylist() if row["event"] == "request"]
    assert [row["time_s"] for row in asked] == pytest.approx([0, 10.1, 20, 30.1])
    assert asked[0]["service"] == "192.0.2.1"
    assert asked[0]["period_s"] == pytest.approx(30.1 / 3)
    assert (asked[0]["regularity_ratio"], asked[0]["requests_per_connection"]) == (1, 2)
    here = {each.quantity: each.here for each in lte13.fig24.findings(rows)}
    assert here["highest throughput"].replace("\u00a0", " ") == "10.0 Mbps"


@pytest.mark.parametrize(("apart_s", "long_ms"), [(0.07, 5), (0.98, 5), (1.9, 950)])
def test_requests_that_leave_the_link_no_silence_are_no_players(
    tmp_path: Path, apart_s: float, long_ms: int
) -> None:
    """By LTE13 a flow is active for 1 s after its last payload (methods A8)."""
    flows = [flow(1, ue="10.0.0.1", ue_port=40_001, server="192.0.2.1", server_name=None)]
    transfers = [
        transfer(1, n, 1000 * apart_s * n, 1000 * apart_s * n + long_ms) for n in range(20)
    ]
    d = dataset(tmp_path / "d", flows=flows, transfers=transfers, throughput=[])
    with pytest.raises(Missing, match="between which its link is idle for 1 s"):
        lte13.fig24.table(d)


def test_three_requests_are_no_period(tmp_path: Path) -> None:
    flows = [flow(1, ue="10.0.0.1", ue_port=40_001, server="192.0.2.1", server_name=None)]
    d = dataset(tmp_path / "d", flows=flows, transfers=requests(1, 0, 10, 20), throughput=[])
    with pytest.raises(Missing, match="no service with 4 periodic requests"):
        lte13.fig24.table(d)


def packet(time_s: float, way: str, **values: Any) -> dict[str, Any]:
    plain = {"flags": ".", "payload_bytes": 0, "end_offset": 1, "ack_offset": None}
    return {
        **plain, "time_ns": at(1000 * time_s), "direction": way, "window_bytes": None, **values,
    }  # fmt: skip


def test_a_window_update_opens_the_window_without_new_data(tmp_path: Path) -> None:
    down = {"payload_bytes": 1000}
    packets = [
        packet(0, "downlink", end_offset=1001, **down),
        packet(0.1, "uplink", ack_offset=1001, window_bytes=1000),
        packet(0.2, "downlink", end_offset=2001, **down),
        packet(0.3, "uplink", ack_offset=2001, window_bytes=0),
        packet(5, "uplink", ack_offset=2001, window_bytes=4000),
        packet(9, "uplink", ack_offset=2001, window_bytes=6000, flags="F."),
    ]
    seen = [
        (e["event"], e["time_s"], e["bytes"]) for e in fig23_receive_window._events(packets, at(0))
    ]
    assert ("window update", 5, 4000) in seen
    assert [each[0] for each in seen].count("window update") == 1
    assert [each for each in seen if each[0] == "fin"] == [("fin", 9, 2001)]


def test_the_radio_goes_off_a_tail_after_the_last_packet_before_a_silence() -> None:
    packets = [{"time_ns": at(1000 * time_s)} for time_s in (0, 3, 20, 21)]
    found = _radio_on.events(packets, at(0), tail_s=10.0)
    assert [each["time_s"] for each in found] == [0, 13, 20, 31]
    assert _radio_on.events(packets, at(0), tail_s=None) == []


def test_a_sample_beside_a_full_window_is_no_bandwidth(tmp_path: Path) -> None:
    """Of two samples in one window of 250 ms the one nearest its centre counts (methods E4)."""
    samples = [
        {"uid": 1, "direction": way, "time_ns": at(ms), "span_s": 0.04, "bandwidth_bps": bps,
         "source": rule}
        for ms, bps, way, rule in [
            (20, 9e6, "downlink", "c_rule"), (120, 3e6, "downlink", "c_rule"),
            (400, 5e6, "downlink", "c_rule"), (130, 7e6, "downlink", "queue_evident"),
            (130, 7e6, "uplink", "c_rule"), (490, 1e6, "downlink", "c_rule"),
            (700, 1e6, "downlink", "c_rule"), (1100, 1e6, "downlink", "c_rule"),
        ]
    ]  # fmt: skip
    slices = [
        {"uid": 1, "start_ns": at(begin), "end_ns": at(end), "cause": cause}
        for begin, end, cause in [
            (0, 500, "lte_downlink"), (500, 1000, "receive_window"), (1000, 1200, "receiver_app"),
        ]
    ]  # fmt: skip
    data = dataset(tmp_path / "d", bandwidth_samples=samples, slices=slices)
    flow = {"run": "", "uid": 1, "first_ns": at(0), "bandwidth_source": "c_rule"}
    assert _estimate.while_open(data, flow) == 4e6
    assert _estimate.while_open(data, {**flow, "uid": 2}) is None


def test_a_source_of_the_bandwidth_is_a_text_and_no_sql(tmp_path: Path) -> None:
    quoted = "x' OR 'a' = 'a"
    samples = [
        {"uid": 1, "direction": "downlink", "time_ns": at(120), "span_s": 0.04,
         "bandwidth_bps": bps, "source": rule}
        for bps, rule in [(3e6, quoted), (9e6, "c_rule")]
    ]  # fmt: skip
    data = dataset(tmp_path / "d", bandwidth_samples=samples, slices=[])
    flow = {"run": "", "uid": 1, "first_ns": at(0), "bandwidth_source": quoted}
    assert _estimate.while_open(data, flow) == 3e6
    assert _estimate.while_open(data, {**flow, "bandwidth_source": "it's"}) is None
    assert _estimate.while_open(data, {**flow, "bandwidth_source": None}) is None


@pytest.mark.parametrize("unknown", ["dl_first_payload_ns", "window_full_first_ratio"])
def test_a_full_window_is_shown_where_its_time_is_known(tmp_path: Path, unknown: str) -> None:
    full = {
        "dl_payload_bytes": 2_000_000, "dl_first_payload_ns": at(10), "window_full_s": 2.0,
        "window_full_first_ratio": 0.5, "start_ns": at(0), "end_ns": at(5000),
    }  # fmt: skip
    longest = flow(1, **{**full, "window_full_s": 3.0, unknown: None})
    both = dataset(tmp_path / "both", flows=[longest, flow(2, **full)])
    assert fig23_receive_window._slowest(both)["uid"] == 2
    with pytest.raises(Missing, match="no download of"):
        fig23_receive_window._slowest(dataset(tmp_path / "one", flows=[longest]))


def window(second: int, source: str, throughput_bps: float, bandwidth_bps: float) -> dict[str, Any]:
    """Return a window of 1 s of a busy link."""
    return {
        "ue": "10.0.0.1", "source": source, "window_s": 1.0, "time_ns": at(1000 * second),
        "throughput_bps": throughput_bps, "bandwidth_bps": bandwidth_bps,
        "error_ratio": bandwidth_bps / throughput_bps - 1, "busy": True,
    }  # fmt: skip


def test_the_error_of_the_estimate_has_a_mean_beside_the_paper_s(tmp_path: Path) -> None:
    both = [
        *(window(second, "queue_evident", 10e6, mbps * 1e6) for second, mbps in ((1, 11), (2, 8))),
        window(1, "c_rule", 10e6, 15e6),
    ]
    table = lte13.fig19.table(dataset(tmp_path / "d", e5=both))
    found = {each.quantity: each for each in lte13.fig19.findings(table)}
    mean = found["mean, queue, windows of 1 s"]
    assert (mean.here, mean.published, mean.n) == ("15\xa0%", "7.9 %", 2)
    assert found["mean, as in the paper, windows of 1 s"].here == "50\xa0%"
    assert found["median, throughput at the phone"].n == 2
    figure = lte13.fig19.draw(table)
    assert figure is not None
    assert [len(axes.get_lines()) for axes in figure.axes] == [2, 3]
