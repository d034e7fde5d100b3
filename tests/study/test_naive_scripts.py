"""Slots, concurrency, bursts, D1 and D2 beside naive models, on random packets of several phones.

The models keep every packet and look at each of them again for each quantity. Where the clock
steps back, there is no pause until it has caught up with the latest packet before.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import accumulate, groupby, pairwise
from typing import Any

import pytest

import airmile as am
from airmile.study import lte13, up16
from tests.study.packet_scripts import PHONES, SECOND, SESSION_GAP_S, Packet, capture, script
from tests.support.share import sample

FIRST_BYTES = 3000
FAIR_BYTES = 2000
SEEDS = range(40)

Script = list[Packet]


@pytest.fixture(
    scope="module", params=sample(SEEDS, few=12, what="random captures beside naive models")
)
def case(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Script, am.Dataset]:
    packets, addresses = script(request.param)
    folder = tmp_path_factory.mktemp("script")
    dataset = am.analyze(
        capture(folder / "x.pcap", packets, addresses), out=folder / "x.airmile", samples=True,
        vantage="monitor", ue_net=["10.0.0.0/24", "2001:db8:3::/48"],
        set={
            "sessions.gap_s": SESSION_GAP_S, "truncated.bytes": FIRST_BYTES,
            "fair.downlink_bytes": FAIR_BYTES, "fair.uplink_bytes": FAIR_BYTES,
            "payload_bursts.least_s": 0.5,
        },
    )  # fmt: skip
    return packets, dataset


def by_flow(packets: Script) -> dict[int, Script]:
    """Group the packets by flow, in the order of the capture."""
    flows: dict[int, Script] = defaultdict(list)
    for packet in packets:
        flows[packet.flow].append(packet)
    return flows


def latest(its: Script) -> list[int]:
    """Give for each packet the latest time up to it."""
    return list(accumulate((packet.ns for packet in its), max))


def pauses(its: Script) -> list[int]:
    """Give the time from the latest packet before each but the first, where the clock goes on."""
    return [max(b.ns - before, 0) for before, b in zip(latest(its), its[1:], strict=False)]


def rows_of(dataset: am.Dataset) -> dict[int, dict[str, Any]]:
    rows = dataset.arrow("FROM flows").to_pylist()
    assert len({row["ue_port"] for row in rows}) == len(rows)
    return {row["ue_port"]: row for row in rows}


def phones_of(dataset: am.Dataset) -> dict[int, str]:
    """Give each flow's phone, which is that of its session."""
    sessions = dataset.arrow("SELECT session_id, ue FROM sessions").to_pylist()
    names = {row["session_id"]: row["ue"] for row in sessions}
    return {flow: names[row["session_id"]] for flow, row in rows_of(dataset).items()}


def test_phones_are_those_of_the_script(case: tuple[Script, am.Dataset]) -> None:
    packets, dataset = case
    names = phones_of(dataset)
    assert names.keys() == {packet.flow for packet in packets}
    phones = {(packet.phone, names[packet.flow]) for packet in packets}
    assert len(phones) == len({ue for _, ue in phones})


def test_two_families_of_a_tunnel_are_one_phone_in_some_scripts() -> None:
    families = [
        len({address for address in script(seed)[1] if address in PHONES[2]}) for seed in SEEDS
    ]
    assert families.count(2) > 5


def test_fair_flows(case: tuple[Script, am.Dataset]) -> None:
    packets, dataset = case
    rows = rows_of(dataset)
    for flow, its in by_flow(packets).items():
        gap_s = max(pauses(its), default=0) / SECOND
        size = {up: sum(p.payload for p in its if p.up == up) for up in (True, False)}
        assert rows[flow]["longest_gap_s"] == pytest.approx(gap_s, abs=1e-12)
        assert rows[flow]["dl_fair"] == (size[False] >= FAIR_BYTES and gap_s < 1)
        assert rows[flow]["ul_fair"] == (size[True] >= FAIR_BYTES and gap_s < 1)


def bursts(its: Script) -> Iterator[tuple[bool, int]]:
    """Give direction and length of each burst: cut where no packet passes for more than 1 s."""
    cuts = [pause > SECOND for pause in pauses(its)]
    parts = accumulate(cuts, initial=0)
    busy = [(part, p) for part, p in zip(parts, its, strict=True) if p.payload]
    for (_, up), run in groupby(busy, key=lambda each: (each[0], each[1].up)):
        times = [packet.ns for _, packet in run]
        yield up, max(times) - times[0]


def test_payload_bursts(case: tuple[Script, am.Dataset]) -> None:
    packets, dataset = case
    rows = rows_of(dataset)
    for flow, its in by_flow(packets).items():
        for up, name in ((True, "ul"), (False, "dl")):
            took_s = sum(ns for way, ns in bursts(its) if way == up) / SECOND
            size = sum(packet.payload for packet in its if packet.up == up)
            assert rows[flow][f"{name}_burst_s"] == pytest.approx(took_s, abs=1e-12)
            expected = size * 8 / took_s if took_s >= 0.5 else None
            assert rows[flow][f"{name}_burst_bps"] == pytest.approx(expected)


def beginning(its: Script) -> tuple[float, int] | None:
    """Give time and bytes of the truncated flow (methods D2)."""
    first = next((p for p in its if p.payload and not p.up), None)
    if first is None or not any(p.flags & 2 for p in its):
        return None
    since = its[its.index(first) + 1 :]
    for packet in since:
        if packet.up and packet.ack - first.start > FIRST_BYTES:
            took_s = (packet.ns - first.ns) / SECOND
            # The clock stepped back by more than the beginning took.
            return (took_s, packet.ack - first.start) if took_s >= 0 else None
    return None


def test_truncated_flows(case: tuple[Script, am.Dataset]) -> None:
    packets, dataset = case
    rows = rows_of(dataset)
    for flow, its in by_flow(packets).items():
        found = beginning(its)
        assert rows[flow]["first_s"] == pytest.approx(found and found[0])
        expected = found[1] * 8 / found[0] if found and found[0] else None
        assert rows[flow]["first_bps"] == pytest.approx(expected)


def sessions(packets: Script, dataset: am.Dataset) -> list[Script]:
    """Split each phone's packets where it is silent for longer than the gap."""
    names = phones_of(dataset)
    phones: dict[str, Script] = defaultdict(list)
    for packet in packets:
        phones[names[packet.flow]].append(packet)
    found = []
    for its in phones.values():
        cuts = [pause > SESSION_GAP_S * SECOND for pause in pauses(its)]
        parts = zip(accumulate(cuts, initial=0), its, strict=True)
        found += [[p for _, p in part] for _, part in groupby(parts, key=lambda each: each[0])]
    return found


def active(its: Script, downlink_alone: bool) -> list[int]:
    """Give when a flow carries payload, each direction at the latest time up to a packet of it."""
    ways = (False,) if downlink_alone else (False, True)
    sent = ([p for p in its if p.payload and p.up == up] for up in ways)
    return sorted(ns for each in sent for ns in latest(each))


def test_slots(case: tuple[Script, am.Dataset]) -> None:
    packets, dataset = case
    naive: Counter[tuple[int, int, bool]] = Counter()
    for session in sessions(packets, dataset):
        start = session[0].ns
        for packet in session:
            slot = start + max(packet.ns - start, 0) // SECOND * SECOND
            if packet.payload:
                naive[packet.flow, slot, packet.up] += packet.payload
    ports = {row["uid"]: port for port, row in rows_of(dataset).items()}
    found: Counter[tuple[int, int, bool]] = Counter()
    for row in dataset.arrow("FROM slots").to_pylist():
        found[ports[row["uid"]], row["start_ns"], True] += row["ul_bytes"]
        found[ports[row["uid"]], row["start_ns"], False] += row["dl_bytes"]
    assert +found == +naive


def test_concurrency_of_lte13(case: tuple[Script, am.Dataset]) -> None:
    packets, dataset = case
    names = phones_of(dataset)
    expected: Counter[int] = Counter()
    flows = by_flow(packets)
    for phone in set(names.values()):
        sent = [active(its, True) for flow, its in flows.items() if names[flow] == phone]
        edges = sorted({edge for times in sent for ns in times for edge in (ns, ns + SECOND)})
        for begin, end in pairwise(edges):
            flows_now = sum(any(ns <= begin < ns + SECOND for ns in times) for times in sent)
            expected[flows_now] += end - begin
    del expected[0]
    found = lte13.fig6.table(dataset).to_pylist() if expected else []
    assert {row["flows"]: round(row["seconds"] * 1e6) for row in found} == {
        flows: round(ns / 1e3) for flows, ns in expected.items()
    }


def test_concurrency_of_up16(case: tuple[Script, am.Dataset]) -> None:
    packets, dataset = case
    expected: Counter[int] = Counter()
    for session in sessions(packets, dataset):
        start, end = session[0].ns, max(packet.ns for packet in session)
        busy: dict[int, set[int]] = defaultdict(set)
        for flow, its in by_flow(session).items():
            for ns in active(its, False):
                busy[max(ns - start, 0) // SECOND].add(flow)
        expected.update(len(busy[slot]) for slot in range((end - start) // SECOND + 1))
    found = {row["flows"]: row["slots"] for row in up16.fig5.table(dataset).to_pylist()}
    assert found == expected
