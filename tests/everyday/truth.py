"""What was the case in each connection of a run, at each of its taps."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.everyday.connection import Truth
from tests.everyday.logs import read
from tests.everyday.packets import packets
from tests.everyday.rows import TAPS, Row, Wait
from tests.everyday.states import States
from tests.everyday.streams import Connection, connections


def of(run: Path) -> tuple[list[Row], list[Wait]]:
    """Work out the truth of a run at each of its taps."""
    states = States(run)
    spoken = read(run)
    taps = {tap: connections(packets(run / f"{tap}.pcap")) for tap in TAPS}
    rows: list[Row] = []
    waits: list[Wait] = []
    for tap, seen in taps.items():
        loop_ns = _loop_ns(tap, (seen[each.port] for each in spoken if each.port in seen))
        for each in spoken:
            if each.port in seen:
                places = {name: ways.get(each.port) for name, ways in taps.items()}
                truth = Truth(tap, each, seen[each.port], places, states, loop_ns)
                rows += truth.rows()
                waits += truth.waits()
    return rows, waits


def _loop_ns(tap: str, every: Iterable[Connection]) -> int:
    """Give the unloaded loop tap-server-tap: that of the quickest handshake of the run."""
    if tap == "server":
        return 0
    took = (each.syn_ack_ns - each.syn_ns for each in every if each.syn_ns and each.syn_ack_ns)
    return min(took, default=0)
