"""Recall and precision of each cause, weighted by time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from airmile.testbed.scoring.cause import FITS, NO_SLICE
from tests.recorded.spans import Span

NONE = "none"
"""The cause of time without a slice."""

CLASSES: Mapping[str, str] = {
    "lte_downlink": "link",
    "lte_uplink": "link",
    "device_queue": "link",
    "slow_start": "window_growth",
    "congestion_window": "window_growth",
    "slow_start_restart": "window_growth",
    "upstream_path": "window_growth",
    "undesired_slow_start": "loss_recovery",
    NONE: "idle",
    NO_SLICE: "idle",
}
"""The classes of causes that share a row of the table; other causes are their own class."""

ACCEPTED: Mapping[str, frozenset[str]] = {
    # The testbed's own labels of 100 ms.
    **{label: frozenset(CLASSES.get(cause, cause) for cause in FITS[label]) for label in FITS},
    "receive_window": frozenset({"receive_window", "receiver_app"}),
    "link_or_window": frozenset({"link", "window_growth"}),
    "loss_over_queue": frozenset({"loss_recovery", "link"}),
    "handshake_or_loss": frozenset({"handshake_dns", "loss_recovery"}),
    "loss_or_window": frozenset({"loss_recovery", "window_growth", "link"}),
    # The sender hears nothing after a loss at the end of its data.
    "lost_tail": frozenset({"loss_recovery"}),
    # Nothing that the phone sends gets through: the sender's limit may be this or its cause.
    "acks_blocked": frozenset({"link", "receive_window", "receiver_app", "window_growth"}),
    "timer_or_blocked": frozenset({"link", "receive_window", "receiver_app", "loss_recovery"}),
    # Longer than the unloaded loop, while the radio slept, was promoted, or waited for a grant.
    "radio_wait": frozenset({"link", "promotion_delay", "round_trip"}),
    # The handshakes are over, and the client has not sent a request yet.
    "between": frozenset({"handshake_dns", "idle"}),
}
"""The classes that satisfy a label; any other label is satisfied by the class of its name."""

UNKNOWN = "unknown"
"""A label of time that is not scored."""

UNDETERMINED = "undetermined"


def class_of(cause: str) -> str:
    """Give the class of a cause."""
    return CLASSES.get(cause, cause)


def satisfies(said: str, label: str) -> bool:
    """Say whether a class satisfies a label."""
    return said in ACCEPTED.get(label, {label})


@dataclass
class Tally:
    """Nanoseconds by true label and reported class.

    Attributes
    ----------
    times : Counter of (str, str)
        The times by label and class.
    claims_only : bool
        Whether time without a slice is left out, as for a capture that holds only a part.
    """

    times: Counter[tuple[str, str]] = field(default_factory=Counter)
    claims_only: bool = False

    def add(self, truth: Iterable[tuple[Span, str]], said: Iterable[tuple[Span, str]]) -> None:
        """Add a connection by its spans with labels and its slices with causes."""
        slices = sorted(said)
        for (start, end), label in truth:
            left = start
            for span, cause in slices:
                since, until = max(span[0], left), min(span[1], end)
                if until > since:
                    self._count(label, NONE, since - left)
                    self._count(label, cause, until - since)
                    left = until
            self._count(label, NONE, end - left)

    def _count(self, label: str, cause: str, length: int) -> None:
        if length > 0 and label != UNKNOWN and not (self.claims_only and cause == NONE):
            self.times[label, class_of(cause)] += length

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.times + other.times, self.claims_only)

    def truth_ns(self, label: str) -> int:
        """Give the time of a label."""
        return sum(time for (true, _), time in self.times.items() if true == label)

    def said_ns(self, said: str) -> int:
        """Give the time of a reported class."""
        return sum(time for (_, cause), time in self.times.items() if cause == said)

    def recall(self, label: str) -> float | None:
        """Give the share of a label's time in which a class that satisfies it was reported."""
        shown = sum(
            time
            for (true, said), time in self.times.items()
            if true == label and satisfies(said, label)
        )
        return shown / whole if (whole := self.truth_ns(label)) else None

    def precision(self, said: str) -> float | None:
        """Give the share of a class's time in which it satisfies the label."""
        right = sum(
            time
            for (true, cause), time in self.times.items()
            if cause == said and satisfies(said, true)
        )
        return right / whole if (whole := self.said_ns(said)) else None

    @property
    def undetermined(self) -> float:
        """The undetermined share of the time in which something was going on."""
        whole = sum(time for (label, _), time in self.times.items() if label != "idle")
        none = sum(
            time
            for (label, cause), time in self.times.items()
            if label != "idle" and cause == UNDETERMINED
        )
        return none / whole if whole else 0.0

    def causes(self) -> list[str]:
        """Give every label and class, in order."""
        return sorted({name for pair in self.times for name in pair})
