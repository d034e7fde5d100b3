"""Which packets of a run waited on the wired path, by the captures at both of its ends."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from pathlib import Path

from tests.recorded.packets import packets

LATE_NS = 2_000_000
"""The least wait that counts, in ns: hosts of one machine are late by a millisecond at most."""

Waits = dict[int, list[tuple[int, bool]]]


def waits(run: Path, direction: str, delay_ns: int) -> Waits:
    """Give, by the phone's port, when each packet with data left the path, and if it had waited."""
    up = direction == "uplink"
    ends = ("monitor", "server") if up else ("server", "monitor")
    first, last = (next(run.glob(f"{tap}.pcap*")) for tap in ends)
    sent: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for each in packets(first):
        if each.up == up and each.payload:
            sent[each.port, each.seq].append(each.time_ns)
    found: defaultdict[int, list[tuple[int, bool]]] = defaultdict(list)
    for each in packets(last):
        times = sent.get((each.port, each.seq))
        if each.up != up or not each.payload or not times:
            continue
        # The newest copy that can have come by now; the clocks' last digit is a microsecond.
        place = bisect_right(times, each.time_ns - delay_ns + LATE_NS // 2)
        if place:
            wait_ns = each.time_ns - times[place - 1] - delay_ns
            found[each.port].append((each.time_ns, wait_ns > LATE_NS))
    return {port: sorted(every) for port, every in found.items()}
