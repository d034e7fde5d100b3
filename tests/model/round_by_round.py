"""A transfer in slow start, simulated window by window in exact arithmetic.

It uses no formula of the model, only when a server may send and when the link is free.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st


@dataclass(frozen=True)
class Flow:
    """A flow, in units of the arguments of the model."""

    size_bytes: float
    rate_bps: float
    rtt_s: float
    segment_bytes: float = 1460
    initial_window: float = 10
    flows: int = 1

    @property
    def options(self) -> dict[str, float]:
        """Return the arguments of the model's functions besides size, rate and round trip."""
        return {
            "segment_bytes": self.segment_bytes,
            "initial_window": self.initial_window,
            "flows": self.flows,
        }


flows = st.builds(
    Flow,
    size_bytes=st.one_of(st.integers(1, 200_000), st.integers(1, 10**9)),
    rate_bps=st.floats(1e3, 1e10),
    rtt_s=st.one_of(st.just(0.0), st.floats(1e-6, 5.0)),
    segment_bytes=st.integers(100, 9000),
    initial_window=st.integers(1, 100),
    flows=st.integers(1, 10),
)
"""A strategy of Hypothesis that draws flows."""


@dataclass(frozen=True)
class Outcome:
    """The time from the first SYN, and the waits between windows."""

    completion_s: Fraction
    waits_s: tuple[Fraction, ...]

    @property
    def idle_rounds(self) -> int:
        """Give the number of rounds at whose end the sender had to wait."""
        return len(self.waits_s)


def simulate(flow: Flow) -> Outcome:
    """Send windows of I, 2I, 4I ... segments until the object is through.

    The ACK of a window's first segment arrives a round trip after that segment was sent, and allows
    the next window, which also waits for the link.
    """
    rtt, rate = Fraction(flow.rtt_s), Fraction(flow.rate_bps) / flow.flows
    segment = 8 * Fraction(flow.segment_bytes)
    left, window = 8 * Fraction(flow.size_bytes), Fraction(flow.initial_window) * segment
    start, waits = 2 * rtt, list[Fraction]()
    while True:
        link_free = start + min(window, left) / rate
        left -= min(window, left)
        if not left:
            return Outcome(link_free, tuple(waits))
        first_ack = start + segment / rate + rtt
        if first_ack > link_free:
            waits.append(first_ack - link_free)
        start, window = max(first_ack, link_free), 2 * window
