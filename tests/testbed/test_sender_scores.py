"""The cases of each quantity of a sender, and the truth of each case."""

from __future__ import annotations

from typing import Any

import pytest

from airmile.testbed.hosts.sockets import Senders
from airmile.testbed.scoring import bandwidth, sender
from airmile.testbed.scoring.pairs import Case, Pair
from tests.support.made_up import MS, dataset, flow, sample, tti

SERVER = Senders("server")


def case(
    flows: list[dict[str, Any]],
    samples: list[dict[str, Any]],
    senders: Senders = SERVER,
    **tables: list[Any],
) -> Case:
    """Give a download's case."""
    said = dataset(flows=flows, **{k: v for k, v in tables.items() if not k.startswith("truth")})
    truth = {k: v for k, v in tables.items() if k.startswith("truth")}
    return Case(said, dataset(truth_tcp=samples, **truth), "downlink", senders)


def lived(*at_ms: int, **values: Any) -> list[dict[str, Any]]:
    return [sample(at, **values) for at in at_ms]


def timeouts(flows: list[dict[str, Any]], samples: list[dict[str, Any]]) -> tuple[Pair, ...]:
    return sender.timeouts(case(flows, samples)).pairs


def test_one_port_of_the_phone_towards_two_servers_is_two_flows() -> None:
    flows = [flow(timeouts_seen=0), flow(server_port=443, timeouts_seen=1)]
    other = [sample(at, local_port=443, retransmits=at // 20) for at in (10, 20)]
    assert set(timeouts(flows, [*lived(10, 20), *other])) == {Pair(0, 0), Pair(1, 1)}


def test_ports_that_are_used_again_are_two_flows() -> None:
    flows = [
        flow(end_ns=100 * MS, timeouts_seen=2),
        flow(start_ns=200 * MS, end_ns=300 * MS, timeouts_seen=0),
    ]
    first = [sample(at, bytes_acked=at, retransmits=n) for n, at in enumerate((10, 50, 90))]
    second = [sample(at, bytes_acked=at - 200, busy_us=at) for at in (210, 290)]
    assert timeouts(flows, [*first, *second]) == (Pair(2, 2), Pair(0, 0))


def test_a_lost_or_split_flow_is_a_case_without_a_value() -> None:
    halves = [flow(end_ns=50 * MS, timeouts_seen=0), flow(start_ns=60 * MS, timeouts_seen=0)]
    assert timeouts(halves, lived(10, 90)) == (Pair(None, 0),)
    assert timeouts([flow(ue_port=5001, timeouts_seen=0)], lived(10, 90)) == (Pair(None, 0),)


def test_flows_past_the_proxy_are_cases() -> None:
    samples = [
        *lived(10, 90, place="phone", local_port=5000, peer_port=80),
        *lived(10, 90, place="core", local_port=7300),
        *lived(10, 90, local_port=80, peer_port=41000),
        *lived(10, 90, local_port=7777, peer_port=5001),
    ]
    flows = [flow(timeouts_seen=0), flow(ue_port=5001, server_port=7777, timeouts_seen=0)]
    split = case(flows, samples, Senders("core", (80,)))
    assert sender.timeouts(split).pairs == (Pair(0, 0), Pair(0, 0))


LOSS = {"event": "wired_loss", "direction": "downlink", "source_port": 80}


def losses(place: str, *payloads: int) -> tuple[Pair, ...]:
    rows = [
        {**LOSS, "time_ns": 20 * MS, "destination_port": 5000, "payload_bytes": size}
        for size in payloads
    ]
    samples = [
        *lived(10, 90),
        *lived(10, 90, place="phone", local_port=5000, peer_port=80),
        *lived(10, 90, place="core", local_port=7300),
    ]
    made = case([flow(dl_upstream_losses=1)], samples, Senders(place), truth_events=rows)
    return sender.upstream_losses(made).pairs


def test_an_ack_that_is_lost_upstream_is_no_lost_packet_of_a_download() -> None:
    assert losses("server", 1448, 0) == (Pair(1, 1),)


def test_losses_before_a_proxy_are_no_cases() -> None:
    assert losses("core", 1448) == ()


def test_the_windows_time_is_reported_only_where_the_kernel_reports_the_window() -> None:
    full = [flow(window_full_s=0.08)]
    shut = lived(10, 50, 90, snd_wnd=3000)
    assert sender.window_limited(case(full, shut)).pairs == (Pair(0.08, 0.08),)
    assert sender.window_limited(case(full, lived(10, 90, snd_wnd=None))).pairs == ()


def restart(
    samples: list[dict[str, Any]], senders: Senders = SERVER, **gap: Any
) -> tuple[Pair, ...]:
    """Score a gap from 100 to 500 ms at the capture point; the server is 20 ms away."""
    usual = {"uid": 1, "direction": "downlink", "start_ns": 100 * MS, "end_ns": 500 * MS}
    row = {**usual, "restart": "decayed", "restart_reason": None, **gap}
    return sender.restarts(case([flow()], samples, senders, idle_gaps=[row])).pairs


SENT = lived(90, cwnd=20)
RESTED = lived(110, 450, cwnd=40, unacked=0)


def test_the_window_before_a_gap_is_that_after_the_last_acks() -> None:
    # The last ACKs reach the server after the capture point: from 20 to 40, then to 30.
    again = lived(490, cwnd=30, unacked=10)
    assert restart([*SENT, *RESTED, *again]) == (Pair("decayed", "decayed"),)


@pytest.mark.parametrize(("initial", "truth"), [(None, "decayed"), (32, "reset"), (31, "decayed")])
def test_a_reset_is_to_the_initial_window_of_the_route(initial: int | None, truth: str) -> None:
    windows = {"server": initial} if initial else {}
    again = lived(490, cwnd=39, unacked=10)
    found = restart([*SENT, *RESTED, *again], Senders("server", (), windows))
    assert found == (Pair("decayed", truth),)


@pytest.mark.parametrize("reason", ["nothing_before", "nothing_after", "short_transfer"])
def test_gaps_that_cannot_be_judged_are_no_cases(reason: str) -> None:
    again = lived(490, cwnd=30, unacked=10)
    said: dict[str, Any] = {"restart": None, "restart_reason": reason}
    assert restart([*SENT, *RESTED, *again], **said) == ()


@pytest.mark.parametrize("reason", ["another", None])
def test_a_gap_without_a_reported_restart_is_a_case(reason: str | None) -> None:
    again = lived(490, cwnd=30, unacked=10)
    said: dict[str, Any] = {"restart": None, "restart_reason": reason}
    assert restart([*SENT, *RESTED, *again], **said) == (Pair(None, "decayed"),)


def test_a_window_in_which_nothing_is_carried_has_no_bandwidth() -> None:
    outage = [tti(number, 9000, served_bytes=0, available_bytes=0) for number in range(1000)]
    samples = {"time_ns": 500 * MS, "bandwidth_bps": 1e6, "direction": "downlink", "span_s": 0.5}
    made = case(
        [flow()],
        lived(10),
        bandwidth_samples=[{**samples, "source": "queue_evident"}],
        truth_ttis=outage,
    )
    assert bandwidth.compare_run(made).pairs == ()
    made = case(
        [flow()],
        lived(10),
        bandwidth_samples=[{**samples, "source": "queue_evident"}],
        truth_ttis=[tti(number, 9000) for number in range(1000)],
    )
    assert len(bandwidth.compare_run(made).pairs) == 1
