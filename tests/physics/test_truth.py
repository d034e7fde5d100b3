"""The parts of the score of physics runs: truth laid over labels, lost tails, and figures."""

from __future__ import annotations

import pytest

from airmile.testbed.hosts.sockets import Senders
from airmile.testbed.scoring.pairs import Case
from tests.physics import figures, kinds
from tests.physics.losses import _Sender
from tests.physics.tails import first_flights, last_of_answers
from tests.physics.truth import _joined, _over, blocked_acks
from tests.recorded.packets import ACK, Packet
from tests.support.made_up import MS, dataset, tti


def packet(time_ms: int, seq: int, payload: int, ack: int = 1, *, up: bool = False) -> Packet:
    return Packet(time_ms * MS, 0, up, 5000, 80, seq, ack, ACK, 100, payload)


def sender(*every: Packet) -> _Sender:
    made = _Sender()
    for each in every:
        made.add(each, up=False)
    return made


LOST = {"time_ns": 12 * MS, "sequence": 1000, "payload_bytes": 500}


def test_a_lost_tail_is_silent_from_when_its_ack_was_due_until_it_came() -> None:
    probed = sender(
        packet(0, 500, 500),
        packet(2, 1000, 500),
        packet(52, 1, 0, ack=1000, up=True),
        packet(152, 1000, 500),
        packet(200, 1, 0, ack=1500, up=True),
    )
    assert probed.silence(LOST, 50 * MS) == (52 * MS, 200 * MS)


def test_what_duplicate_acks_bring_back_is_no_lost_tail() -> None:
    soon = sender(packet(2, 1000, 500), packet(55, 1000, 500), packet(105, 1, 0, 1500, up=True))
    assert soon.silence(LOST, 50 * MS) is None


def test_sequence_numbers_of_a_lost_tail_wrap() -> None:
    lost = {"time_ns": 12 * MS, "sequence": 2**32 - 100, "payload_bytes": 500}
    wraps = sender(
        packet(2, 2**32 - 100, 500),
        packet(152, 2**32 - 100, 500),
        packet(190, 1, 0, ack=2**32 - 100, up=True),
        packet(200, 1, 0, ack=400, up=True),
    )
    assert wraps.silence(lost, 50 * MS) == (52 * MS, 200 * MS)


def test_what_the_kernel_could_not_know_is_laid_over_some_labels() -> None:
    spans = [((0, 100), "link"), ((100, 200), "rwnd")]
    laid = list(_over(spans, [(50, 120)], {"rwnd": "acks_blocked"}))
    assert _joined(laid) == [
        ((0, 100), "link"),
        ((100, 120), "acks_blocked"),
        ((120, 200), "rwnd"),
    ]


def test_neighbours_of_one_label_are_one_span() -> None:
    assert _joined([((0, 1), "link"), ((1, 2), "link"), ((3, 4), "link")]) == [
        ((0, 2), "link"),
        ((3, 4), "link"),
    ]


def test_acks_are_blocked_while_the_uplink_carries_nothing_that_waits() -> None:
    ttis = [
        tti(number, 60, direction="uplink", available_bytes=0 if 100 <= number < 300 else 1000)
        for number in range(400)
    ]
    truth = dataset(truth_ttis=ttis)
    ((start, end),) = blocked_acks(Case(truth, truth, "downlink", Senders("server")))
    assert start == 100 * MS and end == pytest.approx(300 * MS, abs=MS)


SECOND = 1_000_000_000


def test_a_link_is_called_so_or_something_else_is() -> None:
    truth = {1: [((0, 4), "link"), ((4, 8), "rwnd"), ((8, 10), "mixed_link_cwnd")]}
    said = {1: [((0, 3), "lte_downlink"), ((3, 4), "loss_recovery"), ((4, 5), "lte_uplink")]}
    found = {what: figure.summary() for what, figure in figures.of_slices(truth, said)}
    assert found["a full link is called so"]["share"] == 0.75
    assert found["another limit is called link"]["share"] == 0.25
    assert found["no loss is called loss"]["share"] == 0.1


def test_the_first_half_second_is_counted_after_each_silence() -> None:
    truth = {
        1: [
            ((0, SECOND), "link"),
            ((SECOND, 2 * SECOND), "idle_or_app"),
            ((2 * SECOND, 3 * SECOND), "link"),
        ]
    }
    said = {1: [((0, 2 * SECOND), "device_queue"), ((2 * SECOND, 3 * SECOND), "sender_app")]}
    found = dict(figures.of_slices(truth, said))
    assert found["right in the first half second"] == figures.Share(SECOND // 2, SECOND)


def test_how_long_a_change_of_the_path_is_not_understood() -> None:
    truth = {1: [((0, 9 * SECOND), "rwnd")]}
    said = {
        1: [
            ((0, 2 * SECOND), "receive_window"),
            ((2 * SECOND, 3 * SECOND), "lte_downlink"),
            ((3 * SECOND, 9 * SECOND), "receive_window"),
        ]
    }
    event = {"time_ns": 2 * SECOND, "event": "handover_end"}
    names = ("direction", "source_port", "destination_port", "sequence", "payload_bytes", "value")
    events = dataset(truth_events=[{**dict.fromkeys(names), **event}])
    case = Case(events, events, "downlink", Senders("server"))
    found = {what: figure.summary() for what, figure in figures.changes(case, truth, said)}
    assert found["wrong within 3 s of a change"]["share"] == pytest.approx(1 / 3, abs=1e-3)
    assert found["last wrong moment after a change"]["worst_error"] == 1.0


def test_the_packets_to_lose_are_numbered_as_they_come_with_those_sent_again() -> None:
    # Answers of 3 packets: 1-3, then 4-6 whose last is lost and retransmitted as 7, 8-10, 11-13.
    assert last_of_answers(segments=3, lost=1, answers=4) == [6, 13]
    assert first_flights(segments=12, connections=3) == list(range(13, 23))


def test_every_run_has_a_name_of_its_own() -> None:
    names = [run.name for seed in (1, 2, 3, 4) for run in kinds.runs(seed)]
    assert len(names) == len(set(names))
