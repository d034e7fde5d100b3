"""The truth of each connection of a run, at each of its capture points."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import median_low

from airmile.testbed.record.captures import POINTS
from tests.everyday.connection import Truth
from tests.everyday.logs import read
from tests.everyday.rows import Row, Wait
from tests.everyday.states import States
from tests.everyday.streams import Connection, connections
from tests.recorded.packets import packets


def of(run: Path) -> tuple[list[Row], list[Wait]]:
    """Compute the truth of a run at each of its capture points."""
    states = States(run)
    spoken = read(run)
    taps: dict[str, dict[int, Connection]] = {
        tap: connections(packets(run / f"{tap}.pcap")) for tap in POINTS
    }
    loops_ns = _loops_ns(taps)
    rows: list[Row] = []
    waits: list[Wait] = []
    for tap, seen in taps.items():
        for each in spoken:
            if each.port in seen:
                places = {name: ways.get(each.port) for name, ways in taps.items()}
                truth = Truth(tap, each, seen[each.port], places, states, loops_ns[tap])
                rows += truth.rows()
                waits += truth.waits()
    return rows, waits


def _loops_ns(taps: Mapping[str, Mapping[int, Connection]]) -> dict[str, int]:
    """Give the unloaded loop from each capture point to the server: the median of the handshakes.

    The monitor sees both halves of a handshake. Their sum is the phone's loop if its own SYNs
    waited for a promotion.
    """
    halves = [
        (each.syn_ack_ns - each.syn_ns, each.established_ns - each.syn_ack_ns)
        for each in taps["monitor"].values()
        if each.syn_ns and each.syn_ack_ns and each.established_ns
    ]
    if not halves:
        return dict.fromkeys(taps, 0)
    whole = [
        each.syn_ack_ns - each.syn_ns
        for each in taps["ue"].values()
        if each.syn_ns and each.syn_ack_ns
    ]
    least = median_low([sum(each) for each in halves])
    return {
        "ue": min(median_low(whole), least) if whole else least,
        "monitor": median_low([up for up, _ in halves]),
        "server": 0,
    }
