"""How many flows are active at the same time, compared with a count millisecond by millisecond."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from airmile.answers import derived
from airmile.study import lte13, up16
from tests.support.made import at, dataset, flow

MS = 1000

Packets = dict[int, list[tuple[str, int]]]
"""Direction and millisecond of the packets with payload, by flow."""


def packets(seed: int) -> Packets:
    """Return up to five flows with payload at random milliseconds of 20 s."""
    draw = random.Random(seed)
    return {
        uid: sorted(
            ((draw.choice(("downlink", "uplink")), draw.randrange(20 * MS))
             for _ in range(draw.randrange(1, 30))),
            key=lambda packet: packet[1],
        )
        for uid in range(1, draw.randrange(2, 7))
    }  # fmt: skip


def spans(given: Packets) -> list[dict[str, Any]]:
    """Return the rows of `active_spans`: cut where payload of a direction pauses above 1 s."""
    found = []
    for uid, sent in given.items():
        for way in ("downlink", "uplink"):
            times = [ms for direction, ms in sent if direction == way]
            cuts = [k for k in range(1, len(times)) if times[k] - times[k - 1] > MS]
            for start, end in zip([0, *cuts], [*cuts, len(times)], strict=True):
                if times:
                    row = {"uid": uid, "direction": way, "bytes": 1}
                    found.append(
                        {**row, "start_ns": at(times[start]), "end_ns": at(times[end - 1])}
                    )
    return found


@pytest.mark.parametrize("seed", range(12))
def test_lte13_counts_the_flows_with_downlink_payload_in_the_last_second(
    tmp_path: Path, seed: int
) -> None:
    given = packets(seed)
    expected: Counter[int] = Counter()
    for ms in range(22 * MS):
        active = sum(
            any(way == "downlink" and time <= ms < time + MS for way, time in sent)
            for sent in given.values()
        )
        expected[active] += 1
    del expected[0]
    flows = [flow(uid, ue="10.0.0.1", session_id=1) for uid in given]
    found = lte13.fig6.table(dataset(tmp_path / "d", flows=flows, active_spans=spans(given)))
    assert {row["flows"]: round(row["seconds"] * MS) for row in found.to_pylist()} == expected


@pytest.mark.parametrize("seed", range(12))
def test_up16_counts_the_flows_with_payload_in_each_slot_of_the_session(
    tmp_path: Path, seed: int
) -> None:
    given = packets(seed)
    first = min(ms for sent in given.values() for _, ms in sent)
    expected = Counter(
        sum(any((ms - first) // MS == slot for _, ms in sent) for sent in given.values())
        for slot in range((20 * MS - first) // MS + 1)
    )
    session = {"session_id": 1, "ue": "10.0.0.1", "start_ns": at(first), "end_ns": at(20 * MS)}
    flows = [flow(uid, ue="10.0.0.1", session_id=1) for uid in given]
    d = dataset(tmp_path / "d", flows=flows, active_spans=spans(given), sessions=[session])
    found = up16.fig5.table(d)
    assert {row["flows"]: row["slots"] for row in found.to_pylist()} == expected


def test_the_table_has_both_rules_for_each_session(tmp_path: Path) -> None:
    """The example of methods A8 in one session, and a flow alone in another phone's."""
    flows = [flow(uid, ue=ue, session_id=number) for uid, ue, number in (
        (1, "10.0.0.1", 1), (2, "10.0.0.1", 1), (3, "10.0.0.2", 2))]  # fmt: skip
    active = [
        {"uid": uid, "direction": "downlink", "start_ns": at(ms), "end_ns": at(ms), "bytes": 1}
        for uid, ms in ((1, 0), (2, 400), (3, 0))
    ]
    sessions = [
        {"session_id": number, "ue": ue, "start_ns": at(0), "end_ns": at(end)}
        for number, ue, end in ((1, "10.0.0.1", 2500), (2, "10.0.0.2", 0))
    ]
    d = dataset(tmp_path / "d", flows=flows, active_spans=active, sessions=sessions)
    rows = derived.table(d, "concurrency").to_pylist()
    found = {(row["session_id"], row["rule"], row["flows"]): row["seconds"] for row in rows}
    assert found == pytest.approx({
        (1, "lte13", 1): 0.8, (1, "lte13", 2): 0.6, (1, "up16", 0): 2, (1, "up16", 2): 1,
        (2, "lte13", 1): 1, (2, "up16", 1): 1,
    })  # fmt: skip


def test_both_addresses_of_a_phone_count_together(tmp_path: Path) -> None:
    """A tunnel joins the families of addresses: the session is the phone's (methods A3)."""
    flows = [flow(1, ue="10.0.0.1", session_id=1), flow(2, ue="2001:db8::1", session_id=1)]
    active = [
        {"uid": uid, "direction": "downlink", "start_ns": at(0), "end_ns": at(0), "bytes": 1}
        for uid in (1, 2)
    ]
    session = {"session_id": 1, "ue": "10.0.0.1", "start_ns": at(0), "end_ns": at(0)}
    d = dataset(tmp_path / "d", flows=flows, active_spans=active, sessions=[session])
    (row,) = lte13.fig6.table(d).to_pylist()
    assert (row["flows"], row["seconds"]) == (2, 1)


def test_a_flow_that_outlives_its_session_counts_in_the_next(tmp_path: Path) -> None:
    hour = 3600 * MS
    flows = [flow(1, ue="10.0.0.1", session_id=1), flow(2, ue="10.0.0.1", session_id=2)]
    active = [
        {"uid": uid, "direction": "downlink", "start_ns": at(ms), "end_ns": at(ms), "bytes": 1}
        for uid, ms in ((1, 0), (1, 2 * hour), (2, 2 * hour))
    ]
    sessions = [
        {"session_id": number, "ue": "10.0.0.1", "start_ns": at(ms), "end_ns": at(ms)}
        for number, ms in ((1, 0), (2, 2 * hour))
    ]
    d = dataset(tmp_path / "d", flows=flows, active_spans=active, sessions=sessions)
    assert {row["flows"]: row["seconds"] for row in lte13.fig6.table(d).to_pylist()} == {1: 1, 2: 1}
    assert {row["flows"]: row["slots"] for row in up16.fig5.table(d).to_pylist()} == {1: 1, 2: 1}
