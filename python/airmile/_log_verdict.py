"""Whether the downlink was the bottleneck, by a modem's log alone: the rule is the engine's."""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class LogVerdict:
    """What a log on its own decides.

    Attributes
    ----------
    cause : str
        ``lte_downlink``, or ``undetermined``: a log tells no other cause.
    link_is_bottleneck : bool or None
        Whether the link was the bottleneck; None when the evidence does not decide.
    reason : str or None
        Why it does not.
    """

    cause: str
    link_is_bottleneck: bool | None
    reason: str | None


def judge(
    estimator: str | None,
    receiving_s: float,
    low_ratio: float | None,
    high_ratio: float | None,
    *,
    explained_ratio: float | None = None,
    assumption: str | None = None,
    doubt: str | None = None,
) -> LogVerdict:
    """Ask the engine.

    Parameters
    ----------
    estimator : {"joint", "bursttracker", "online", "live"} or None
        What estimated the demand.
    receiving_s : float
        For how long the phone received.
    low_ratio, high_ratio : float or None
        Least and greatest share of that time with a queue before the downlink.
    explained_ratio : float or None
        Share of the captured bytes that the log explains.
    assumption : {"holds", "does_not_hold", "unknown"} or None
        What the trace says of the burst rule's assumption.
    doubt : str or None
        Why the estimator gave none, or doubts itself.

    Examples
    --------
    >>> judge("joint", 10.0, 0.6, 0.9)
    LogVerdict(cause='lte_downlink', link_is_bottleneck=True, reason=None)
    >>> judge("joint", 10.0, 0.1, 0.9).reason
    'the allocations alone do not tell an empty queue from a waiting one here'
    """
    from airmile import _engine

    question = {
        "estimator": estimator,
        "receiving_s": receiving_s,
        "low_ratio": low_ratio,
        "high_ratio": high_ratio,
        "explained_ratio": explained_ratio,
        "assumption": assumption,
        "doubt": doubt,
    }
    return LogVerdict(**json.loads(_engine.judge_log(json.dumps(question))))
