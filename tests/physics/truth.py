"""The truth of each connection of a run, as spans of time with labels.

It starts from the testbed's label of each 100 ms per connection, which follows from the kernel's
state. Over this is laid what the kernel could not know: that the ACK of a lost packet will not
come, and that nothing that the phone sends gets through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
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
    """The label of the connection of a port of the phone over a span."""

    direction: str
    port: int
    start_ns: int
    end_ns: int
    label: str


Finer = Callable[[int, Held, str], str]
"""Gives the label of a connection's bin, by the phone's port, the bin and its label so far."""


def of(run: Path, case: Case, finer: Finer | None = None, delay_ns: int = 0) -> list[Row]:
    """Compute the truth of a run.

    Parameters
    ----------
    run : Path
        The folder of the run.
    case : Case
        The run; the times of its senders' samples may be later than they were, as at the radio.
    finer : callable, optional
        Replaces labels before others are laid over them.
    delay_ns : int
        By how much the times of the samples are later.
    """
    tails = lost_tails(run, case)
    blocked = blocked_acks(case) if case.direction == "downlink" else []
    connections = of_connections(case.truth, case.direction, case.senders)
    shared = bool(manifest_of(run)["experiment"]["link"][case.direction]["competitors"])
    rows: list[Row] = []
    for (port, _, _), held in connections.items():
        labels = [_label(each, shared=shared) for each in held]
        if finer:
            labels = [finer(port, *pair) for pair in zip(held, labels, strict=True)]
        times = [(each.start_ns, each.end_ns) for each in held]
        spans = list(zip(times, labels, strict=True))
        lost = [(start + delay_ns, end + delay_ns) for start, end in tails.get(port, [])]
        spans = list(_over(spans, lost, _LOST_TAIL))
        spans = list(_over(spans, blocked, _BLOCKED))
        rows += [Row(case.direction, port, *span, label) for span, label in _joined(spans)]
    return rows


SPARE, FULL = 0.75, 0.82
"""Shares of what all PRBs would carry. A link that carries less than the first did not limit the
sender, even where packets wait for grants or come in clumps; one that carries more than the second
was full, because a tenth of the blocks is retransmitted. Values in between are not scored."""


def _label(held: Held, *, shared: bool) -> str:
    """Give the tally's label; in a shared cell not all PRBs are the phone's.

    Recovery over a full queue may be attributed to the link.
    """
    if held.label == "link" and held.served_ratio is not None and not shared:
        if held.served_ratio < SPARE:
            return held.label_without_queue
        if held.served_ratio < FULL:
            return UNKNOWN
    lossy = held.label in LOSSES
    return "loss_over_queue" if lossy and held.busy_ratio >= BUSY_RATIO else held.label


_WINDOW = ("cwnd_or_path", "window_growth", "slow_start", "congestion_window")

_LOST_TAIL = dict.fromkeys(("idle_or_app", "silent", "send_buffer", *_WINDOW), "lost_tail")

_BLOCKED = {
    "rwnd": "acks_blocked",
    "zero_window": "acks_blocked",
    **dict.fromkeys(_WINDOW, "acks_blocked"),
    "rto_loss": "timer_or_blocked",
    "recovery": "timer_or_blocked",
}
"""The labels that replace others while nothing that the phone sends gets through."""

OUTAGE_NS = 50_000_000
"""The shortest outage, in ns; shorter ones are due to grants and HARQ retransmissions."""


def blocked_acks(case: Case) -> list[Span]:
    """Give the spans in which the uplink carried nothing although data waited."""
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
    """Replace the labels of spans where other spans overlap them."""
    for span, label in spans:
        if label not in becomes or not others:
            yield span, label
            continue
        yield from ((part, becomes[label]) for part in within(union(others), span))
        yield from ((part, label) for part in minus([span], others))


def _joined(spans: Iterable[tuple[Span, str]]) -> list[tuple[Span, str]]:
    """Join adjacent spans with the same label."""
    joined: list[tuple[Span, str]] = []
    for span, label in sorted(spans):
        if joined and joined[-1][1] == label and joined[-1][0][1] == span[0]:
            joined[-1] = ((joined[-1][0][0], span[1]), label)
        else:
            joined.append((span, label))
    return joined
