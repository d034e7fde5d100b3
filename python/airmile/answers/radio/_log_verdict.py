"""Whether a link was the bottleneck, by a modem's log alone: the rule is the engine's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class UplinkVerdict:
    """What the grants of a log decide of the uplink.

    Attributes
    ----------
    link_is_bottleneck : bool or None
        Whether the uplink was the bottleneck; None when the evidence does not decide.
    reason : str or None
        Why it does not.
    low_ratio, high_ratio : float or None
        Least and greatest share of the time of sending in which data waited in the phone.
    """

    link_is_bottleneck: bool | None
    reason: str | None
    low_ratio: float | None
    high_ratio: float | None


@dataclass(frozen=True)
class LogVerdict:
    """What a log on its own decides.

    Attributes
    ----------
    cause : str
        ``lte_downlink``, or ``undetermined``: a log shows no other cause.
    link_is_bottleneck : bool or None
        Whether the link was the bottleneck; None when the evidence does not decide.
    reason : str or None
        Why it does not.
    received_little : bool
        The phone received no more than acknowledgements of what it sent.
    uplink : UplinkVerdict or None
        What the grants say of the uplink; None without any.
    """

    cause: str
    link_is_bottleneck: bool | None
    reason: str | None
    received_little: bool = False
    uplink: UplinkVerdict | None = None


def judge(
    estimator: str | None,
    receiving_s: float,
    low_ratio: float | None,
    high_ratio: float | None,
    *,
    explained_ratio: float | None = None,
    assumption: str | None = None,
    doubt: str | None = None,
    volumes: Mapping[str, float] | None = None,
    uplink: Mapping[str, float] | None = None,
) -> LogVerdict:
    """Return what the engine decides of a log.

    Parameters
    ----------
    estimator : {"joint", "bursttracker", "online", "live"} or None
        What estimated the demand.
    receiving_s : float
        For how long the phone received.
    low_ratio, high_ratio : float or None
        Least and greatest share of that time with a queue before the downlink.
    explained_ratio : float or None
        Share of the acknowledged bytes that the log explains.
    assumption : {"holds", "does_not_hold", "unknown"} or None
        What the trace says of the burst rule's assumption.
    doubt : str or None
        Why the estimator gave none, or doubts itself.
    volumes : mapping, optional
        `received_bytes`, in `received_ms` milliseconds with a block, and `sent_bytes`, both
        without padding; None where the log does not hold both.
    uplink : mapping, optional
        Of the grants of the uplink: for how many seconds the phone sent (`sending_s`), data waited
        in it (`backlogged_s`), and that is known (`known_s`).

    Examples
    --------
    >>> judge("joint", 10.0, 0.6, 0.9).cause
    'lte_downlink'
    >>> upload = {"sending_s": 10.0, "backlogged_s": 9.8, "known_s": 10.0}
    >>> judge("joint", 10.0, 0.6, 0.9, uplink=upload).uplink.link_is_bottleneck
    True
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
        "volumes": None if volumes is None else dict(volumes),
        "uplink": None if uplink is None else dict(uplink),
    }
    answer: dict[str, Any] = json.loads(_engine.judge_log(json.dumps(question)))
    uplink_answer = answer.pop("uplink")
    return LogVerdict(
        **answer, uplink=None if uplink_answer is None else UplinkVerdict(**uplink_answer)
    )
