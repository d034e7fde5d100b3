"""What was the case in each connection of a run, as spans of time.

The testbed's label of each 100 ms, per connection, is the start. It is made from what the kernel
knew. What it could not know is laid over it: that the ACK of a lost packet will not come, and that
nothing of what the phone sends gets through.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from airmile.testbed.record.outcome import manifest_of
from airmile.testbed.scoring.cause import BUSY_RATIO, LOSSES
from airmile.testbed.scoring.pairs import Case
from airmile.testbed.truth.labels import UNKNOWN
from tests.physics.held import Held, of_connections
from tests.physics.losses import lost_tails
from tests.recorded.spans import Span, minus, union, within

COLUMNS = ("direction", "port", "start_ns", "end_ns", "label")


@dataclass(frozen=True)
class Row:
    """What was the case in the connection of a port of the phone over a span."""

    direction: str
    port: int
    start_ns: int
    end_ns: int
    label: str


def of(run: Path, case: Case) -> list[Row]:
    """Work out the truth of a run."""
    tails = lost_tails(run, case)
    blocked = blocked_acks(case) if case.direction == "downlink" else []
    connections = of_connections(case.truth, case.direction, case.senders)
    shared = bool(manifest_of(run)["experiment"]["link"][case.direction]["competitors"])
    rows: list[Row] = []
    for (port, _, _), held in connections.items():
        spans = [((each.start_ns, each.end_ns), _label(each, shared=shared)) for each in held]
        spans = list(_over(spans, tails.get(port, []), _LOST_TAIL))
        spans = list(_over(spans, blocked, _BLOCKED))
        rows += [Row(case.direction, port, *span, label) for span, label in _joined(spans)]
    return rows


SPARE, FULL = 0.75, 0.82
"""Of what all PRBs would carry: a link that carries less than the first was not what held a sender,
even where packets wait for their grants or come in clumps; one that carries more than the second
was full, for a tenth of the blocks is repeated. What lies between is not judged."""


def _label(held: Held, *, shared: bool) -> str:
    """Give a label as the tally knows it; in a cell that others share PRBs are not all the phone's.

    Over a full queue a repair may be called the link's.
    """
    if held.label == "link" and held.served_ratio is not None and not shared:
        if held.served_ratio < SPARE:
            return held.label_without_queue
        if held.served_ratio < FULL:
            return UNKNOWN
    lossy = held.label in LOSSES
    return "loss_over_queue" if lossy and held.busy_ratio >= BUSY_RATIO else held.label


_LOST_TAIL = {"idle_or_app": "lost_tail", "cwnd_or_path": "lost_tail"}

_BLOCKED = {
    "rwnd": "acks_blocked",
    "cwnd_or_path": "acks_blocked",
    "rto_loss": "timer_or_blocked",
    "recovery": "timer_or_blocked",
}
"""What a label becomes while nothing of what the phone sends gets through."""

OUTAGE_NS = 50_000_000
"""Shorter ones are a matter of grants and repetitions."""


def blocked_acks(case: Case) -> list[Span]:
    """Give when the uplink carried nothing although something waited."""
    spans = union(
        (row["start_ns"], row["end_ns"])
        for row in case.rows(
            "SELECT time_ns AS start_ns, time_ns + 1100000 AS end_ns FROM truth_ttis "
            "WHERE direction = 'uplink' AND available_bytes = 0 AND queue_bytes > 0"
        )
    )
    return [span for span in spans if span[1] - span[0] >= OUTAGE_NS]


def _over(
    spans: Iterable[tuple[Span, str]], others: Sequence[Span], becomes: dict[str, str]
) -> Iterator[tuple[Span, str]]:
    """Lay other spans over those with some labels."""
    for span, label in spans:
        if label not in becomes or not others:
            yield span, label
            continue
        yield from ((part, becomes[label]) for part in within(union(others), span))
        yield from ((part, label) for part in minus([span], others))


def _joined(spans: Iterable[tuple[Span, str]]) -> list[tuple[Span, str]]:
    """Join neighbours of one label."""
    joined: list[tuple[Span, str]] = []
    for span, label in sorted(spans):
        if joined and joined[-1][1] == label and joined[-1][0][1] == span[0]:
            joined[-1] = ((joined[-1][0][0], span[1]), label)
        else:
            joined.append((span, label))
    return joined
