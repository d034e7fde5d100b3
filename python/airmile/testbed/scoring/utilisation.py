"""Compares the share of the link that a download used with the truth (methods E4).

There is one case per large flow that had the phone's downlink to itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from airmile.testbed.scoring.bandwidth import DECODABLE
from airmile.testbed.scoring.pairs import Case, Compared, Pair


@dataclass(frozen=True)
class Use:
    """The utilisation of the link by one flow, as airmile gives it and in truth.

    Attributes
    ----------
    ratio, low, high : float or None
        The utilisation that airmile gives, and its bounds.
    reason : str or None
        The reason why airmile gives no utilisation.
    truth : float
        Served bytes over decodable bytes, from the flow's first payload to its last delivery.
    """

    ratio: float | None
    low: float | None
    high: float | None
    reason: str | None
    truth: float

    def holds(self, error: float = 0.10, width: float = 0.2) -> bool | None:
        """Return whether the utilisation is right; None if airmile gives none."""
        if self.ratio is not None:
            return abs(self.ratio - self.truth) <= error
        if self.low is None or self.high is None or self.high - self.low > width:
            return None
        return self.low <= self.truth <= self.high


def compare_run(case: Case) -> Compared:
    """Compare the utilisation of each large flow with the truth."""
    return Compared(tuple(Pair(use.ratio, use.truth) for use in uses(case)), "of the link")


def uses(case: Case) -> list[Use]:
    """Return the utilisation of each large flow, as airmile gives it and in truth."""
    if case.direction != "downlink" or "truth_ttis" not in case.truth.tables:
        return []
    found = []
    for flow in case.said.arrow(_FLOWS).to_pylist():
        span = case.truth.arrow(
            _TRUTH.format(**{key: flow.pop(key) for key in ("from_ns", "to_ns", "sent_ns")})
        ).to_pylist()
        if span[0]["truth"] is not None:
            found.append(Use(**flow, **span[0]))
    return found


_FLOWS = """
    SELECT utilisation_ratio AS ratio, utilisation_low_ratio AS low, utilisation_high_ratio AS high,
        utilisation_reason AS reason, dl_first_payload_ns AS from_ns, dl_last_payload_ns AS sent_ns,
        end_ns AS to_ns
    FROM flows WHERE dl_payload_bytes > 0
        AND coalesce(utilisation_reason NOT IN ('not_tcp', 'vantage', 'not_large', 'shared'), true)
    ORDER BY start_ns"""

# The flow lasts until the phone waits for no more data, or has closed the connection.
_TRUTH = f"""
    SELECT sum(served_bytes) / sum({DECODABLE.format(direction="downlink")}) AS truth
    FROM truth_ttis WHERE direction = 'downlink' AND time_ns >= {{from_ns}} AND time_ns <= (
        SELECT least({{to_ns}}, greatest({{sent_ns}}, coalesce(max(time_ns), 0)))
        FROM truth_ttis WHERE direction = 'downlink' AND queue_bytes > 0
            AND time_ns <= {{to_ns}})"""
