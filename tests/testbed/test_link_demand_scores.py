"""The transfers whose link demand is scored, and how its truth is computed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from airmile.testbed.hosts.sockets import Senders
from airmile.testbed.scoring import link_demand
from airmile.testbed.scoring.pairs import Case, Pair
from tests.support.made_up import MS, Row, dataset, tti

STATES = ["ACTIVE"] * 60 + ["CONTENTION"] * 20 + ["LAST_ACTIVE"] * 15 + ["UNDERFLOW"] * 5
TTIS = [tti(number, 0, state=state) for number, state in enumerate(STATES)]


def transfer(start_ms: int, end_ms: int, said: float | None = 0.5, **values: Any) -> Row:
    usual = {"direction": "downlink", "control": False, "link_demand_ratio": said}
    return {**usual, "first_byte_ns": start_ms * MS, "end_ns": end_ms * MS, **values}


def case(*transfers: Row, direction: str = "downlink") -> Case:
    truth, logged = dataset(truth_ttis=TTIS), dataset(transfers=list(transfers))
    return Case(dataset(), truth, direction, Senders("server"), logged)


def pairs(*transfers: Row, direction: str = "downlink") -> tuple[Pair, ...]:
    return link_demand.compare_run(case(*transfers, direction=direction)).pairs


def test_the_truth_is_the_share_with_a_queue_after_sending() -> None:
    found = link_demand.compare_run(case(transfer(0, 100, 0.7)))
    assert found.pairs == (Pair(0.7, 0.8),)
    assert str(found) == "1 case, mean error 0.1 of the transfer, worst 0.1 of the transfer"


def test_it_is_that_from_the_first_byte_until_before_the_end() -> None:
    assert pairs(transfer(40, 90, 0.8)) == (Pair(0.8, 0.8),)
    assert pairs(transfer(30, 80, 1.0)) == (Pair(1.0, 1.0),)


def test_a_transfer_of_which_nothing_is_said_is_a_case() -> None:
    assert pairs(transfer(0, 100, None)) == (Pair(None, 0.8),)


def test_short_ones_uploads_and_control_messages_are_no_cases() -> None:
    assert pairs(transfer(0, 49)) == ()
    assert len(pairs(transfer(0, 50))) == 1
    assert pairs(transfer(0, 100, direction="uplink")) == ()
    assert pairs(transfer(0, 100, control=True)) == ()


def test_a_transfer_outside_the_truth_is_no_case() -> None:
    assert pairs(transfer(1000, 1100)) == ()


def test_runs_of_uploads_and_runs_without_a_log_have_no_case() -> None:
    assert pairs(transfer(0, 100), direction="uplink") == ()
    assert link_demand.compare_run(replace(case(transfer(0, 100)), logged=None)).pairs == ()
