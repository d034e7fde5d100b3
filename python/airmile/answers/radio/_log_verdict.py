"""Whether a link was the bottleneck, by a modem log alone; the engine contains the rule."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class UplinkVerdict:
    """The verdict on the uplink by the grants of a log.

    Attributes
    ----------
    link_is_bottleneck : bool or None
        Whether the uplink was the bottleneck; None if the evidence is not sufficient.
    reason : str or None
        Why `link_is_bottleneck` is None.
    low_ratio, high_ratio : float or None
        Least and greatest share of the time of sending in which data waited in the phone.
    """

    link_is_bottleneck: bool | None
    reason: str | None
    low_ratio: float | None
    high_ratio: float | None


@dataclass(frozen=True)
class LogVerdict:
    """The verdict from a modem log without a capture.

    Attributes
    ----------
    cause : str
        ``lte_downlink``, or ``undetermined``: a log shows no other cause.
    link_is_bottleneck : bool or None
        Whether the downlink was the bottleneck; None if the evidence is not sufficient.
    reason : str or None
        Why `link_is_bottleneck` is None.
    received_little : bool
        Whether the phone received only acknowledgements of its uplink data.
    uplink : UplinkVerdict or None
        The verdict on the uplink; None without grants.
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
    """Return the engine's verdict from the values of a log.

    Parameters
    ----------
    estimator : {"joint", "bursttracker", "online", "live"} or None
        The estimator of the link demand.
    receiving_s : float
        For how long the phone received, in seconds.
    low_ratio, high_ratio : float or None
        Least and greatest share of that time with a queue before the downlink.
    explained_ratio : float or None
        Share of the acknowledged bytes that the log explains.
    assumption : {"holds", "does_not_hold", "unknown"} or None
        Whether the log meets the assumption of the burst rule.
    doubt : str or None
        Why there is no estimate, or why the estimate is doubtful.
    volumes : mapping, optional
        `received_bytes` in `received_ms` milliseconds with a block, and `sent_bytes`, both without
        padding; None if the log does not contain both.
    uplink : mapping, optional
        Three times in seconds from the grants of the uplink: in which the phone sent (`sending_s`),
        in which data waited in the phone (`backlogged_s`), and in which that is known (`known_s`).

    Examples
    --------
    >>> judge("joint", 10.0, 0.6, 0.9).cause
    'lte_downlink'
    >>> upload = {"sending_s": 10.0, "backlogged_s": 9.8, "known_s": 10.0}
    >>> judge("joint", 10.0, 0.6, 0.9, uplink=upload).uplink.link_is_bottleneck
    True
    >>> judge("joint", 10.0, 0.1, 0.9).reason
    'the allocations alone do not distinguish an empty queue from a waiting one here'
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
