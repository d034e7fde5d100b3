"""Quantities of flows and slots beside a naive model that reads the packets one by one."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import airmile as am
from tests.support.share import sample

DATA = Path(__file__).parents[1] / "data"
CAPTURES = sorted([*DATA.glob("everyday/*/*.pcap.gz"), *DATA.glob("physics/*/*.pcap.gz")])

SECOND = 1_000_000_000
FIRST_BYTES = 200_000
"""Where the truncated flow ends here, so that short captures have one, too."""


@pytest.fixture(
    scope="module",
    params=sample(CAPTURES, few=12, what="captures beside a naive model"),
    ids=lambda path: path.parent.name,
)
def analysed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> am.Dataset:
    return am.analyze(
        request.param, out=tmp_path_factory.mktemp("naive") / "x.airmile", samples=True,
        set={"truncated.bytes": FIRST_BYTES, "fair.downlink_bytes": 100_000},
    )  # fmt: skip


def flows(dataset: am.Dataset) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = dataset.arrow("""
        SELECT * FROM flows WHERE protocol = 'tcp' AND dl_packets > 0 AND ul_packets > 0
        ORDER BY dl_payload_bytes + ul_payload_bytes DESC LIMIT 10""").to_pylist()
    return rows


def test_fair_and_large_flows(analysed: am.Dataset) -> None:
    for flow in flows(analysed):
        packets = analysed.packets(flow["uid"]).to_pylist()
        times = sorted(packet["time_ns"] for packet in packets)
        gap_s = max((b - a for a, b in pairwise(times)), default=0) / 1e9
        down = [p for p in packets if p["direction"] == "downlink" and p["payload_bytes"]]
        size = sum(packet["payload_bytes"] for packet in down)
        spans = [packet["time_ns"] for packet in down]
        long_s = (max(spans) - min(spans)) / 1e9 if spans else 0
        assert flow["longest_gap_s"] == pytest.approx(gap_s, abs=1e-9)
        proxied = flow["server_port"] in (80, 8080)
        assert flow["pep"] == proxied
        assert flow["dl_fair"] == (size >= 100_000 and gap_s < 1 and not proxied)
        assert flow["large"] == (size > 1e6 and long_s > 5)


def test_truncated_flows(analysed: am.Dataset) -> None:
    for flow in flows(analysed):
        first: tuple[int, int] | None = None
        found: tuple[float, int] | None = None
        for packet in analysed.packets(flow["uid"]).to_pylist():
            if packet["direction"] == "downlink" and packet["payload_bytes"] and first is None:
                first = packet["time_ns"], packet["end_offset"] - packet["payload_bytes"]
            elif packet["direction"] == "uplink" and packet["ack_offset"] and first and not found:
                acknowledged = packet["ack_offset"] - first[1]
                if acknowledged > FIRST_BYTES:
                    found = (packet["time_ns"] - first[0]) / 1e9, acknowledged
        if found is None or flow["initiator"] is None:
            assert flow["first_s"] is None and flow["first_bps"] is None
        else:
            assert flow["first_s"] == pytest.approx(found[0])
            assert flow["first_bps"] == pytest.approx(found[1] * 8 / found[0])


def test_bursts(analysed: am.Dataset) -> None:
    for flow in flows(analysed):
        naive: list[list[Any]] = []
        before_ns, direction = None, None
        for packet in analysed.packets(flow["uid"]).to_pylist():
            now_ns = packet["time_ns"]
            if before_ns is not None and now_ns - before_ns > SECOND:
                direction = None
            before_ns = max(now_ns, before_ns or now_ns)
            if not packet["payload_bytes"]:
                continue
            if packet["direction"] != direction:
                direction = packet["direction"]
                naive.append([direction, now_ns, now_ns, 0])
            naive[-1][2] = max(naive[-1][2], now_ns)
            naive[-1][3] += packet["payload_bytes"]
        rows = analysed.arrow(f"""
            SELECT direction, start_ns, end_ns, bytes FROM payload_burst_samples
            WHERE uid = {flow["uid"]}""").to_pylist()
        assert [list(row.values()) for row in rows] == naive
        for short, name in (("ul", "uplink"), ("dl", "downlink")):
            busy_s = sum(end - start for of, start, end, _ in naive if of == name) / 1e9
            assert flow[f"{short}_burst_s"] == pytest.approx(busy_s, abs=1e-9)


def test_slots(analysed: am.Dataset) -> None:
    sessions = analysed.arrow("SELECT session_id, start_ns FROM sessions").to_pylist()
    starts = {row["session_id"]: row["start_ns"] for row in sessions}
    for flow in flows(analysed):
        naive: Counter[tuple[int, str]] = Counter()
        for packet in analysed.packets(flow["uid"]).to_pylist():
            number = (packet["time_ns"] - starts[flow["session_id"]]) // SECOND
            if packet["payload_bytes"]:
                naive[number, packet["direction"]] += packet["payload_bytes"]
        rows = analysed.arrow(f"FROM slots WHERE uid = {flow['uid']}").to_pylist()
        found = Counter({(row["slot"], "uplink"): row["ul_bytes"] for row in rows})
        found += Counter({(row["slot"], "downlink"): row["dl_bytes"] for row in rows})
        assert found == naive
