"""The truth of phones: states of the radio, what captures show, and how an answer is judged."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tests.coverage.test_phones import named
from tests.phones import packets, truth
from tests.phones.plan import FILES, plan
from tests.phones.scoring import MEASURES, Row
from tests.phones.truth import NS, Radio, Span
from tests.support import wire

EVENTS = """t_unix,event,dir,sport,dport,seq,payload,x
10.000000,rrc_promotion,,,,,,300.000
15.000000,rrc_idle,,,,,,0.000
20.000000,rrc_promotion,,,,,,400.000
"""
TTIS = "t_unix,prb_alloc,prb_retx\n10.300000,4,0\n10.301000,0,0\n10.302000,0,2\n"


def seconds(spans: list[Span]) -> list[tuple[float, float]]:
    return [(start / NS, end / NS) for start, end in spans]


def test_the_radio_is_connected_from_the_end_of_a_promotion_until_it_is_idle(
    tmp_path: Path,
) -> None:
    (tmp_path / "events.csv").write_text(EVENTS)
    for way in ("dl", "ul"):
        (tmp_path / f"truth_{way}.csv").write_text(TTIS)
    radio = truth.read(tmp_path)
    assert seconds(radio.connected[:1]) == [(10.3, 15)]
    assert radio.connected[1][0] == 20.4 * NS
    assert radio.promotions == [10 * NS, 20 * NS]
    assert radio.busy == [10_300_000_000, 10_302_000_000]


def radio(connected: list[tuple[float, float]], busy: list[float]) -> Radio:
    spans = [(round(start * NS), round(end * NS)) for start, end in connected]
    return Radio(spans, [start - NS // 4 for start, _ in spans], [round(at * NS) for at in busy])


def test_only_what_a_capture_shows_counts() -> None:
    states = radio([(10.25, 15), (20.25, 26), (40.25, 45)], [11, 11.05, 21, 41])
    shown = [[10 * NS, 11 * NS], [20 * NS, 21 * NS]]
    used = truth.use(states, shown, tail_s=4, inactivity_s=0.1)
    assert used.promotions == 2, "the third promotion is in no capture"
    assert used.on_s == pytest.approx(4.75 + 4.75), "what follows the tail was not captured"
    assert used.active_s == pytest.approx(0.15 + 0.1)


def test_a_tail_that_reaches_into_the_next_capture_counts_once() -> None:
    states = radio([(10.25, 30)], [])
    used = truth.use(states, [[10 * NS, 11 * NS], [13 * NS, 14 * NS]], 4, 0.1)
    assert used.promotions == 1
    assert used.on_s == pytest.approx(7.75)


def test_packets_of_the_cellular_interface_are_told_from_others(tmp_path: Path) -> None:
    made = [(1, (NS, b"E" * 40)), (0, (2 * NS, b"E" * 40))]
    path = tmp_path / "x.pcapng"
    path.write_bytes(named(["rmnet_data0", "wlan0"], made))
    assert packets.times(path) == [2 * NS]


def test_a_cooked_capture_gets_the_hardware_of_a_modem(tmp_path: Path) -> None:
    def cooked(hardware: int) -> bytes:
        return bytes(8) + hardware.to_bytes(2) + bytes(10) + b"E" * 40

    micros = wire.capture([(NS, cooked(65_534)), (2 * NS, cooked(1))], link=276)
    path = tmp_path / "any.pcap"
    path.write_bytes(micros)
    assert packets.times(path) == [NS]
    modem = packets.as_of_a_modem(path, tmp_path / "modem.pcap")
    assert packets.times(modem) == [NS]
    assert cooked(519) in modem.read_bytes()


@pytest.mark.parametrize("seed", [1, 2, 101])
def test_a_plan_tries_captures_with_pauses(seed: int) -> None:
    run = plan(seed)
    assert len(run.captures) == FILES
    assert all(a[1] < b[0] for a, b in zip(run.captures, run.captures[1:], strict=False))
    for start, end in run.captures:
        inside = [e for e in run.exchanges if e.way == "cellular" and start < e.at_s < end]
        assert len(inside) >= 4
    assert {each.family for each in run.exchanges} == {4, 6}


ROW = Row(
    "x", "named", "given", dict.fromkeys(MEASURES, (100.0, 100.0)), dict.fromkeys(MEASURES, 101.0)
)


@pytest.mark.parametrize(
    ("said", "is_right"),
    [
        ((100, 100), True),
        ((98, 98), False),
        ((97, 104), True),
        ((104, 97), True),
        ((90, 104), False),
        ((102, 106), False),
        ((100, None), False),
        ((None, None), False),
    ],
)
def test_a_number_is_close_and_a_range_narrow(
    said: tuple[float | None, float | None], is_right: bool
) -> None:
    row = dataclasses.replace(ROW, said={"radio_on_s": said})
    assert row.is_right("radio_on_s") == is_right
