"""When packets of a run waited on the wired path, by the captures at both of its ends."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from pathlib import Path

from tests.recorded.packets import packets
from tests.recorded.spans import Span, union

LATE_NS = 2_000_000
"""The least wait that counts, in ns: hosts of one machine are late by a millisecond at most."""

Waits = dict[int, list[Span]]


def waits(run: Path, direction: str, delay_ns: int) -> Waits:
    """Give, by the phone's port, when packets with data waited before they left the path."""
    up = direction == "uplink"
    ends = ("monitor", "server") if up else ("server", "monitor")
    first, last = (next(run.glob(f"{tap}.pcap*")) for tap in ends)
    sent: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for each in packets(first):
        if each.up == up and each.payload:
            sent[each.port, each.seq].append(each.time_ns)
    found: defaultdict[int, list[Span]] = defaultdict(list)
    for each in packets(last):
        times = sent.get((each.port, each.seq))
        if each.up != up or not each.payload or not times:
            continue
        # The newest copy that can have come by now; the clocks' last digit is a microsecond.
        place = bisect_right(times, each.time_ns - delay_ns + LATE_NS // 2)
        if place:
            ready_ns = times[place - 1] + delay_ns
            if each.time_ns - ready_ns > LATE_NS:
                found[each.port].append((ready_ns, each.time_ns))
    return {port: union(every) for port, every in found.items()}
