"""The truth at the taps: labels that are finer, waits on the wired path, and what a tap sees."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from airmile.testbed.hosts.sockets import Senders
from airmile.testbed.scoring.pairs import Case
from airmile.testbed.scoring.run import shown
from tests.physics.held import Held
from tests.support.made_up import MS, dataset, every_10_ms
from tests.taps import truth
from tests.taps.finer import Finer
from tests.taps.wired import waits

PORT = 5000


def label(
    before: str,
    samples: list[dict[str, Any]],
    events: tuple[str, ...] = (),
    waited: float = 0.0,
    busy: float = 1.0,
    without_queue: str = "",
    *,
    bulk: bool = False,
) -> str:
    names = ("direction", "source_port", "destination_port", "sequence", "payload_bytes", "value")
    rows = [
        {**dict.fromkeys(names), "event": event, "time_ns": 50 * MS, "direction": "downlink"}
        for event in events
    ]
    made = dataset(truth_tcp=samples, truth_events=rows)
    spans = [(0, round(waited * 100) * MS)]
    finer = Finer(Case(made, made, "downlink", Senders("server")), {PORT: spans}, bulk=bulk)
    return finer(PORT, Held(0, 100 * MS, before, without_queue, busy, None), before)


def test_the_window_of_a_sender_is_told_by_its_threshold() -> None:
    assert label("cwnd_or_path", every_10_ms(ssthresh=100)) == "slow_start"
    assert label("cwnd_or_path", every_10_ms(ssthresh=20)) == "congestion_window"
    half = every_10_ms(ssthresh=100)[:5] + every_10_ms(ssthresh=20)[5:]
    assert label("cwnd_or_path", half) == "window_growth"
    assert label("cwnd_or_path", every_10_ms(ssthresh=100, cc="bbr")) == "window_growth"


def test_no_threshold_yet_is_an_infinite_one() -> None:
    assert label("cwnd_or_path", every_10_ms(ssthresh=None)) == "slow_start"


def test_a_wired_queue_is_told_by_the_time_in_which_packets_wait() -> None:
    state = every_10_ms(ssthresh=20)
    assert label("cwnd_or_path", state, waited=0.9) == "upstream_path"
    assert label("cwnd_or_path", state, waited=0.5) == "cwnd_or_path"
    assert label("recovery", state, waited=0.9) == "loss_over_upstream"


@pytest.mark.parametrize(
    ("event", "finer"), [("policed", "policed"), ("wired_policed", "upstream_policed")]
)
def test_what_a_policer_dropped_is_told_by_the_link(event: str, finer: str) -> None:
    assert label("recovery", every_10_ms(ssthresh=20), (event,)) == finer
    assert label("rwnd", every_10_ms(ssthresh=20), (event,)) == "rwnd"


def test_a_sender_without_data_is_held_by_its_buffer_or_silent() -> None:
    held = [{**row, "sndbuf_lim_us": row["busy_us"] // 2} for row in every_10_ms(notsent=0)]
    assert label("idle_or_app", held) == "send_buffer"
    assert label("idle_or_app", every_10_ms(busy_us=7)) == "silent"
    assert label("idle_or_app", every_10_ms()) == "idle_or_app"


def test_who_always_has_more_to_write_is_held_by_its_buffer() -> None:
    acked = [{**row, "bytes_acked": row["time_ns"], "notsent": 0} for row in every_10_ms()]
    more = [*acked, {**acked[-1], "time_ns": 900 * MS, "bytes_acked": 900 * MS}]
    assert label("idle_or_app", more, bulk=True) == "send_buffer"
    assert label("idle_or_app", acked, bulk=True) == "idle_or_app"
    assert label("link", more, without_queue="idle_or_app", bulk=True) == "link"
    assert label("link", more, (), 0.0, 0.9, "idle_or_app", bulk=True) == "mixed_link_cwnd"


def test_a_window_that_is_closed_is_told_from_a_small_one() -> None:
    assert label("rwnd", every_10_ms(snd_wnd=0)) == "zero_window"
    assert label("rwnd", every_10_ms(snd_wnd=3000)) == "rwnd"


def test_a_queue_that_empties_does_not_limit_who_has_no_more_to_send() -> None:
    rows = every_10_ms()
    assert label("link", rows, busy=0.9, without_queue="idle_or_app") == "idle_or_app"
    assert label("link", rows, busy=1.0, without_queue="idle_or_app") == "drain"
    assert label("link", rows, busy=0.9, without_queue="cwnd_or_path") == "link"


def capture(*every: tuple[int, int, int]) -> bytes:
    """Give a capture of data to the phone: time in ms, sequence number, and flags."""
    made = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
    for at_ms, seq, flags in every:
        up = flags != 16
        ends = (bytes([10, 73, 9, 2]), bytes([10, 73, 0, 2]))
        source, target = ends if up else ends[::-1]
        ports = (PORT, 80) if up else (80, PORT)
        size = 40 if up else 140
        ip = struct.pack(">BBHHHBBH", 0x45, 0, size, 0, 0, 64, 6, 0) + source + target
        tcp = struct.pack(">HHIIBBHHH", *ports, seq, 1, 0x50, flags, 100, 0, 0)
        made += struct.pack("<IIII", 0, at_ms * 1000, 40, size) + ip + tcp
    return made


def test_a_packet_waits_while_it_takes_longer_than_the_path(tmp_path: Path) -> None:
    (tmp_path / "server.pcap").write_bytes(capture((0, 1, 16), (10, 101, 16), (90, 101, 16)))
    (tmp_path / "monitor.pcap").write_bytes(capture((20, 1, 16), (45, 101, 16), (110, 101, 16)))
    found = waits(tmp_path, "downlink", 20 * MS)
    assert found == {PORT: [(30 * MS, 45 * MS)]}


def test_a_tap_sees_a_connection_from_its_first_to_its_last_wanted_data(tmp_path: Path) -> None:
    file = tmp_path / "ue.pcap"
    file.write_bytes(capture((0, 1, 2), (30, 1, 16), (60, 101, 16), (70, 2, 18)))
    assert truth._seen(file, "downlink") == {PORT: (30 * MS, 60 * MS)}
    file.write_bytes(capture((0, 1, 2), (30, 1, 16), (50, 2, 17), (60, 101, 16)))
    assert truth._seen(file, "downlink") == {PORT: (30 * MS, 30 * MS)}


@pytest.mark.parametrize(
    ("direction", "times"),
    [
        ("downlink", {"server": 80, "monitor": 100, "ue": 106}),
        ("uplink", {"ue": 100, "monitor": 106, "server": 126}),
    ],
)
def test_a_tap_sees_a_label_by_the_delay_of_the_path(direction: str, times: dict[str, int]) -> None:
    link = {direction: {"air_ms": 6.0}, f"path_{direction}": {"delay_ms": 20.0}}
    facts = {"experiment": {"direction": direction, "link": link}}
    assert {tap: shown(facts, tap)(100 * MS) // MS for tap in times} == times
