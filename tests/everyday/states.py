"""What limited a sender at each moment, by its kernel's state and the link's queue."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import airmile
from airmile.testbed.hosts.sockets import LOSS, RECOVERY, Senders
from airmile.testbed.record.outcome import manifest_of
from airmile.testbed.scoring.link_demand import QUEUED_STATES
from airmile.testbed.truth.clocks import starved
from tests.recorded.spans import Span

NEAR_NS, NOW_NS = 50_000_000, 10_000_000
"""Times to each side of an instant: the longer shows whether there is a queue, as a bin of the
labels does; the shorter whether a flight is draining, which takes most of the time of a small
answer on a slow link."""

QUEUED, STANDING = 0.4, 0.8
"""The shares of TTIs with a queue from which a queue counts, and counts as standing."""

WINDOW, LINK, EITHER = "window_growth", "link", "link_or_window"


@dataclass(frozen=True)
class Queue:
    """The times of the TTIs of one direction, and of those with a queue."""

    every: list[int]
    busy: list[int]

    def share(self, at_ns: int, near_ns: int = NEAR_NS) -> float:
        """Give the share of TTIs around an instant that had a queue."""
        near = [
            bisect_right(times, at_ns + near_ns) - bisect_left(times, at_ns - near_ns)
            for times in (self.busy, self.every)
        ]
        return near[0] / near[1] if near[1] else 0.0

    def busy_in(self, span: Span) -> float:
        """Give the share of TTIs in a span that had a queue."""
        middle = (span[0] + span[1]) // 2
        return self.share(middle, (span[1] - span[0]) // 2)

    def label(self, at_ns: int) -> str:
        """Give the limit of a sender that has data to send and no window for it."""
        share = self.share(at_ns)
        if share >= STANDING:
            return LINK
        return EITHER if max(share, self.share(at_ns, NOW_NS)) >= QUEUED else WINDOW


class States:
    """The state of every sender of a run.

    Parameters
    ----------
    run : Path
        A finished run.
    """

    def __init__(self, run: Path) -> None:
        self._truth = airmile.open(run)
        self._facts = manifest_of(run)
        self._queues = {way: self._queue(way) for way in ("downlink", "uplink")}
        self._samples = {way: self._by_port(way) for way in ("downlink", "uplink")}

    def _queue(self, way: str) -> Queue:
        # Data that waits for a grant, for a promotion or for the phone to wake is no queue.
        busy = f"state IN {QUEUED_STATES} AND blocked IS NULL"
        query = (
            f"SELECT time_ns, {busy} AS busy FROM truth_ttis WHERE direction = '{way}' ORDER BY 1"
        )
        rows = self._truth.sql(query).to_pylist()
        every = [row["time_ns"] for row in rows]
        return Queue(every, [row["time_ns"] for row in rows if row["busy"]])

    def _by_port(self, way: str) -> dict[int, list[dict[str, Any]]]:
        facts = self._facts
        own = Senders.of(facts)
        sender = own if way == "downlink" and own.place != "phone" else Senders(_SENDERS[way])
        found: dict[int, list[dict[str, Any]]] = {}
        for row in self._truth.sql(
            f"SELECT * FROM ({sender.samples()}) ORDER BY time_ns"
        ).to_pylist():
            found.setdefault(row["phone_port"], []).append(row)
        return found

    def queued(self, span: Span) -> bool:
        """Say whether there was a queue at the radio, in either direction, for most of a span."""
        return max(queue.busy_in(span) for queue in self._queues.values()) > 0.5

    def of(
        self, way: str, port: int, span: Span, shift_ns: int, written_ns: int
    ) -> Iterator[tuple[int, int, str]]:
        """Give the limits of a sender over a span at a capture point.

        Parameters
        ----------
        way : str
            The direction of the data.
        port : int
            The phone's port.
        span : (int, int)
            The span, at the capture point.
        shift_ns : int
            The time from the sender to the capture point.
        written_ns : int
            When the sender's application had written everything, at the sender.
        """
        samples = self._samples[way].get(port, [])
        times = [row["time_ns"] + shift_ns for row in samples]
        # The sample before the span, if it shows any data, applies to the beginning of the span.
        place = bisect_right(times, span[0])
        queue = self._queues[way]
        start, label = span[0], queue.label(span[0])
        while start < span[1]:
            end = min(times[place] if place < len(times) else span[1], span[1])
            if end > start:
                yield start, end, label
            if place < len(times):
                label = _label(samples[place], queue.label(times[place]), label, written_ns)
            start, place = max(end, start), place + 1


_SENDERS = {"downlink": "server", "uplink": "phone"}


def _label(row: dict[str, Any], held: str, before: str, written_ns: int) -> str:
    """Give the limit of a sender at a sample; the rest of a flight keeps its label."""
    if row["ca_state"] in (RECOVERY, LOSS):
        return "loss_over_queue" if held == LINK else "loss_recovery"
    if row["window_full"]:
        return "receive_window"
    if held == LINK:
        return LINK
    if starved(row):
        return before if row["time_ns"] >= written_ns else "sender_app"
    return held
