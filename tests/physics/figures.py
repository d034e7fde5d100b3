"""The figures of each kind of run, beside recall and precision of the causes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from airmile.store import Tables
from airmile.testbed.scoring import bandwidth, sender
from airmile.testbed.scoring.pairs import Case, Compared, Pair
from tests.recorded.spans import Span, length, minus, union, within
from tests.recorded.table import COMPARED_COLUMNS
from tests.recorded.tally import NONE, UNKNOWN, Tally, class_of, satisfies

COLUMNS = ("what", "share", "of_s", *COMPARED_COLUMNS)

Spans = Mapping[int, Sequence[tuple[Span, str]]]
"""Spans with labels, or with causes, by the phone's port."""


@dataclass(frozen=True)
class Share:
    """A part of some time, in nanoseconds."""

    part_ns: int
    whole_ns: int

    def __add__(self, other: Share) -> Share:
        return Share(self.part_ns + other.part_ns, self.whole_ns + other.whole_ns)

    def summary(self) -> dict[str, Any]:
        """Give the columns of a share in the table."""
        share = round(self.part_ns / self.whole_ns, 3) if self.whole_ns else None
        return {"share": share, "of_s": round(self.whole_ns / 1e9, 1)}


Figure = Share | Compared


def added(one: Figure, other: Figure) -> Figure:
    """Add two figures of one name."""
    if isinstance(one, Share) and isinstance(other, Share):
        return one + other
    assert isinstance(one, Compared) and isinstance(other, Compared)
    return one + other


def row(what: str, figure: Figure) -> dict[str, Any]:
    """Give the row of a figure."""
    empty = dict.fromkeys(COLUMNS)
    found = {
        name: round(value, 3) if isinstance(value, float) else value
        for name, value in figure.summary().items()
    }
    return {**empty, "what": what, **found}


def of_slices(truth: Spans, said: Spans) -> Iterator[tuple[str, Figure]]:
    """Give the figures that follow from the slices alone."""
    whole = tally(truth, said)
    yield "a full link is called so", _called(whole, "link", {"link"})
    others = {label for label, _ in whole.times if label not in _LINKS}
    yield "another limit is called link", _called_among(whole, others, "link")
    unharmed = {label for label, _ in whole.times if not satisfies("loss_recovery", label)}
    yield "no loss is called loss", _called_among(whole, unharmed, "loss_recovery")
    starts = {port: _starts(spans) for port, spans in truth.items()}
    yield "right in the first half second", _right(tally(_cut(truth, starts), said))


_LINKS = ("link", "mixed_link_cwnd", "loss_over_queue", "acks_blocked", "timer_or_blocked")


def of_run(case: Case, truth: Spans, said: Spans) -> Iterator[tuple[str, Figure]]:
    """Give the figures that need the truth of the link and the kernel."""
    yield from changes(case, truth, said)
    yield "bandwidth over 1.0 s", bandwidth.compare_run(case)
    yield "timeouts of a flow", sender.timeouts(case)
    yield from promotions(case.said, case.rows(PROMOTED))


def tally(truth: Spans, said: Spans) -> Tally:
    """Compare slices with the truth, connection by connection."""
    found = Tally()
    for port, spans in truth.items():
        found.add(spans, said.get(port, ()))
    return found


def _called(whole: Tally, cause: str, labels: Iterable[str]) -> Share:
    return _called_among(whole, set(labels), cause)


def _called_among(whole: Tally, labels: set[str], cause: str) -> Share:
    among = {pair: time for pair, time in whole.times.items() if pair[0] in labels}
    return Share(sum(t for (_, said), t in among.items() if said == cause), sum(among.values()))


def _right(whole: Tally) -> Share:
    right = sum(t for (label, said), t in whole.times.items() if satisfies(said, label))
    return Share(right, sum(whole.times.values()))


FIRST_NS, SILENCE_NS = 500_000_000, 200_000_000
"""The part of a start that is scored, and the least silence before it."""


def _starts(spans: Sequence[tuple[Span, str]]) -> list[Span]:
    """Give the first half second of each span in which the sender had a limit."""
    busy = [span for span, label in spans if label not in ("idle_or_app", UNKNOWN)]
    starts, last = [], None
    for start, end in union(busy):
        if last is None or start - last >= SILENCE_NS:
            starts.append((start, start + FIRST_NS))
        last = end
    return starts


def _cut(truth: Spans, parts: Mapping[int, Iterable[Span]]) -> Spans:
    return {
        port: [
            (each, label)
            for part in parts.get(port, ())
            for span, label in spans
            for each in within([span], part)
        ]
        for port, spans in truth.items()
    }


AFTER_NS = 3_000_000_000
"""How long after a change of the path its effects are scored."""


def changes(case: Case, truth: Spans, said: Spans) -> Iterator[tuple[str, Figure]]:
    """Give how long after each change of the path's delay the verdict is wrong."""
    ends = [each["time_ns"] for each in case.rows(_CHANGED)]
    after = [(end, end + AFTER_NS) for end in ends]
    lags, wrong_ns, whole_ns = [], 0, 0
    for span in after:
        wrong = _wrong(_cut(truth, {port: [span] for port in truth}), said)
        lags.append(Pair(max((end - span[0] for _, end in wrong), default=0) / 1e9, 0.0))
        wrong_ns += length(wrong)
        whole_ns += AFTER_NS
    yield "wrong within 3 s of a change", Share(wrong_ns, whole_ns)
    yield "last wrong moment after a change", Compared(tuple(lags), "s")


_CHANGED = "SELECT time_ns FROM truth_events WHERE event = 'handover_end' ORDER BY time_ns"


def _wrong(truth: Spans, said: Spans) -> list[Span]:
    """Give the spans in which the verdict, or its absence, does not fit the truth."""
    wrong: list[Span] = []
    for port, labelled in truth.items():
        shown = [*said.get(port, ())]
        silent = minus([span for span, _ in labelled], [span for span, _ in shown])
        for span, cause in [*shown, *((span, NONE) for span in silent)]:
            for part, label in labelled:
                if label != UNKNOWN and not satisfies(class_of(cause), label):
                    wrong += within([span], part)
    return union(wrong)


_SLACK_NS = 150_000_000
"""The longest time from the end of a promotion until its packet has passed the monitor."""


def promotions(said: Tables, events: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Figure]]:
    """Give the delays of openings that woke the radio, and delays reported for others.

    The capture begins with the first opening, so the silence before it is unknown.
    """
    flows = said.sql(
        "SELECT start_ns, promotion_delay_ms, promotion_doubtful FROM flows "
        "WHERE protocol = 'tcp' AND initiator = 'ue' ORDER BY start_ns OFFSET 1"
    ).to_pylist()
    woken: dict[int, float] = {}
    for event in events:
        until = event["time_ns"] + int(event["value"] * 1e6) + _SLACK_NS
        mine = [n for n, f in enumerate(flows) if event["time_ns"] <= f["start_ns"] <= until]
        woken |= dict.fromkeys(mine[:1], event["value"])
    found = tuple(Pair(flows[n]["promotion_delay_ms"], true) for n, true in woken.items())
    yield "promotion delay", Compared(found, "ms")
    awake = [flow for number, flow in enumerate(flows) if number not in woken]
    shown = (f["promotion_delay_ms"] is not None and not f["promotion_doubtful"] for f in awake)
    yield "no promotion", Compared(tuple(Pair("answered" if t else "none", "none") for t in shown))


PROMOTED = "SELECT time_ns, value FROM truth_events WHERE event = 'rrc_promotion' ORDER BY time_ns"
