"""Compares the causes that airmile gives with the labels of the truth, for each 100 ms.

A label is one word for a bin of 100 ms. It is derived from the truth of the queue and the kernel's
own clocks (``labels_rule`` in each set's ``meta.json``). These rules apply:

* only bins between the first and the last packet of the capture count;
* only slices in the direction of the examined data count;
* the cause of a connection in a bin is the one whose slices overlap the bin for the longest time;
  of several connections, the cause with the most time that is not ``idle`` counts, as the label of
  several is that with the most busy time;
* a cause fits the labels that its module in `airmile.causes` names, and ``undetermined``
  counts half;
* a bin whose truth is unknown does not count.

With a tolerance of one bin, a bin also agrees if its cause fits the label of the bin before or
after: a change of state seldom falls on the edge of a bin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from airmile import causes
from airmile.testbed.truth.labels import UNKNOWN

NO_SLICE = "(none)"
"""The cause of a bin that no slice overlaps."""

IDLE = "idle"
"""The cause of time in which a connection is asked for nothing."""

_LINK, _PATH = causes.fitting("link"), causes.fitting("cwnd_or_path")

FITS: Mapping[str, frozenset[str]] = {
    "link": _LINK,
    "rwnd": causes.fitting("rwnd"),
    "idle_or_app": causes.fitting("idle_or_app") | {NO_SLICE},
    "cwnd_or_path": _PATH,
    "rto_loss": causes.fitting("rto_loss"),
    "recovery": causes.fitting("recovery"),
    "mixed_link_cwnd": _LINK | _PATH,
}
"""The causes that fit each label, as the modules in `airmile.causes` declare them."""

LOSSES = ("rto_loss", "recovery")
"""The labels of a sender that is recovering from a loss."""

BUSY_RATIO = 0.8
"""The share of TTIs with a queue from which `link` also fits a sender that recovers.

A link whose queue never empties is the bottleneck even while the sender recovers (methods T6).
"""


@dataclass(frozen=True)
class Bin:
    """The label of one bin: its start and end in ns, and its share of TTIs with a queue."""

    start_ns: int
    end_ns: int
    label: str
    busy_ratio: float


@dataclass(frozen=True)
class Slice:
    """The columns of a row of `slices` that scoring needs."""

    direction: str
    start_ns: int
    end_ns: int
    bytes: int
    cause: str
    uid: int = 0


@dataclass
class Score:
    """The agreement of causes with labels in one set, or in several added up."""

    bins: int = 0
    strict: float = 0.0
    tolerant: float = 0.0
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    fitting: dict[str, float] = field(default_factory=dict)

    @property
    def agreement(self) -> float:
        """The share of bins whose cause fits; `undetermined` counts half."""
        return self.strict / self.bins if self.bins else float("nan")

    @property
    def tolerant_agreement(self) -> float:
        """The share of bins whose cause fits, with a tolerance of one bin."""
        return self.tolerant / self.bins if self.bins else float("nan")

    def labels(self) -> dict[str, int]:
        """Return the number of bins of each label."""
        total: Counter[str] = Counter()
        for (label, _), count in self.confusion.items():
            total[label] += count
        return dict(sorted(total.items()))

    def recall(self) -> dict[str, float]:
        """Return the share of each label's bins whose cause fits."""
        return {label: self.fitting[label] / count for label, count in self.labels().items()}

    def __add__(self, other: Score) -> Score:
        return Score(
            self.bins + other.bins,
            self.strict + other.strict,
            self.tolerant + other.tolerant,
            self.confusion + other.confusion,
            {
                label: self.fitting.get(label, 0.0) + other.fitting.get(label, 0.0)
                for label in sorted({*self.fitting, *other.fitting})
            },
        )

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def fits(cause: str, bin_: Bin) -> float:
    """Return 1 when `cause` fits the label of `bin_`, 0.5 when it is undetermined, else 0."""
    if cause == "undetermined":
        return 0.5
    if bin_.label in LOSSES and causes.is_bottleneck(cause):
        return float(bin_.busy_ratio >= BUSY_RATIO)
    return float(cause in FITS[bin_.label])


def score(
    slices: Iterable[Slice],
    bins: Iterable[Bin],
    first_ns: int | None,
    last_ns: int | None,
    direction: str | None,
) -> Score:
    """Score the slices of one direction against the labels between two times.

    A time that is None sets no limit.
    """
    every = sorted(bins, key=lambda b: b.start_ns)
    judged = sorted(
        (row for row in slices if row.direction == direction),
        key=lambda s: (s.start_ns, s.end_ns),
    )
    result = Score()
    for index, bin_ in enumerate(every):
        if bin_.label == UNKNOWN or _outside(bin_, first_ns, last_ns):
            continue
        cause = cause_of(bin_, judged)
        strict = fits(cause, bin_)
        near = [b for b in every[max(index - 1, 0) : index + 2] if b.label != UNKNOWN]
        result.bins += 1
        result.strict += strict
        result.tolerant += max(fits(cause, neighbour) for neighbour in near)
        result.confusion[bin_.label, cause] += 1
        result.fitting[bin_.label] = result.fitting.get(bin_.label, 0.0) + strict
    return result


def cause_of(bin_: Bin, slices: Iterable[Slice]) -> str:
    """Return the cause of a bin: that of the connections with the most time that is not idle.

    The cause of a connection is the one that overlaps the bin longest; on a tie the first one.
    """
    flows: dict[int, dict[str, int]] = {}
    for row in slices:
        shared = min(row.end_ns, bin_.end_ns) - max(row.start_ns, bin_.start_ns)
        if shared > 0:
            own = flows.setdefault(row.uid, {})
            own[row.cause] = own.get(row.cause, 0) + shared
    busy: dict[str, int] = {}
    for own in flows.values():
        cause = max(own, key=lambda each: own[each])
        busy[cause] = busy.get(cause, 0) + sum(own.values()) - own.get(IDLE, 0)
    return max(busy, key=lambda cause: busy[cause]) if busy else NO_SLICE


def _outside(bin_: Bin, first_ns: int | None, last_ns: int | None) -> bool:
    early = first_ns is not None and bin_.start_ns < first_ns
    late = last_ns is not None and bin_.end_ns > last_ns
    return early or late


def _lines(result: Score) -> Iterator[str]:
    causes = sorted({cause for _, cause in result.confusion})
    yield (
        f"{result.bins} bins  agreement {result.agreement:.1%}"
        f"  with one bin of tolerance {result.tolerant_agreement:.1%}"
    )
    for label, recall in result.recall().items():
        named = "  ".join(
            f"{cause} {result.confusion[label, cause]}"
            for cause in sorted(causes, key=lambda c: -result.confusion[label, c])
            if result.confusion[label, cause]
        )
        yield f"  {label:<16} recall {recall:6.1%}   {named}"
