"""When a sender heard nothing after a loss at the end of its data.

The kernel's state does not show this: until its timer fires it knows of no loss. The link records
which packets it dropped, and a capture at the sender shows when they were retransmitted and
acknowledged.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from airmile.testbed.scoring.pairs import Case
from tests.recorded.packets import ACK, Packet, packets
from tests.recorded.spans import Span

LATE = 1.5
"""The least round trips from a packet to its retransmission; after duplicate ACKs it is sooner."""


@dataclass
class _Sender:
    """The packets at the sender of a connection: when each byte was sent, and ACKs."""

    sent: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    acks: list[tuple[int, int]] = field(default_factory=list)

    def add(self, each: Packet, *, up: bool) -> None:
        """Add a packet; `up` says that the data goes up."""
        if each.up == up and each.payload:
            self.sent[each.seq].append(each.time_ns)
        elif each.up != up and each.flags & ACK:
            self.acks.append((each.time_ns, each.ack))

    def silence(self, lost: dict[str, Any], round_trip_ns: int) -> Span | None:
        """Give the span from when a lost packet's ACK was due until it came."""
        times = self.sent[lost["sequence"]]
        place = bisect_right(times, lost["time_ns"])
        if not 0 < place < len(times) or times[place] - times[place - 1] < LATE * round_trip_ns:
            return None
        due = times[place - 1] + round_trip_ns
        wanted = lost["sequence"] + lost["payload_bytes"]
        later = self.acks[bisect_left(self.acks, (due, 0)) :]
        came = next((time for time, ack in later if _reaches(ack, wanted)), None)
        return (due, came) if came else None


def _reaches(ack: int, wanted: int) -> bool:
    """Say whether an ACK covers all below a sequence number, which may wrap."""
    return (ack - wanted) % 2**32 < 2**31


def lost_tails(run: Path, case: Case) -> dict[int, list[Span]]:
    """Give such spans by the phone's port."""
    up = case.direction == "uplink"
    senders: defaultdict[int, _Sender] = defaultdict(_Sender)
    for each in packets(next(run.glob("ue.pcap*" if up else "server.pcap*"))):
        senders[each.port].add(each, up=up)
    round_trips = _RoundTrips(case)
    found: defaultdict[int, list[Span]] = defaultdict(list)
    for lost in case.rows(_LOST.format(direction=case.direction)):
        port = lost["source_port" if up else "destination_port"]
        round_trip_ns = round_trips.at(port, lost["time_ns"])
        span = senders[port].silence(lost, round_trip_ns) if round_trip_ns else None
        if span:
            found[port].append(span)
    return dict(found)


_LOST = (
    "SELECT time_ns, source_port, destination_port, sequence, payload_bytes FROM truth_events "
    "WHERE direction = '{direction}' AND payload_bytes > 0 "
    "AND event IN ('forced_drop', 'drop_tail', 'codel_drop', 'policed', 'air_loss', "
    "'handover_loss', 'wired_loss', 'wired_drop_tail', 'wired_policed') ORDER BY time_ns"
)


class _RoundTrips:
    """The kernel's smoothed round trip of each connection over time."""

    def __init__(self, case: Case) -> None:
        self._by_port: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for row in case.rows(
            "SELECT phone_port, time_ns, rtt_us FROM {samples} WHERE rtt_us > 0 ORDER BY time_ns"
        ):
            self._by_port[row["phone_port"]].append((row["time_ns"], row["rtt_us"] * 1000))

    def at(self, port: int, time_ns: int) -> int | None:
        """Give the round trip in nanoseconds, by the newest sample; None before the first."""
        samples = self._by_port[port]
        place = bisect_left(samples, (time_ns, 0))
        return samples[place - 1][1] if place else None
