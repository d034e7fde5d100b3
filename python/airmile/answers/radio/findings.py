"""The findings of a modem log for each user, above all whether a link was the bottleneck."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from airmile.answers.radio import _log_verdict, tables
from airmile.store._needs import contains

if TYPE_CHECKING:
    from airmile.store import Tables

SCHEMA = 1

USERS_JUDGED = 8
"""The most users that are judged, those with most bytes: a sniffer sees thousands of users."""

WIDE = 0.1
"""The default of ``verdict.demand_wide_ratio``."""

Facts = Mapping[str, Any]


@dataclass(frozen=True)
class RadioUser:
    """The findings of a modem log for one user.

    Attributes
    ----------
    user : int
        Subscription of the phone, or RNTI in the log of a sniffer.
    estimator : str or None
        The estimate of link demand that is used: ``joint``, or the burst rule (``bursttracker``).
    link_is_bottleneck : bool or None
        Whether the downlink was the bottleneck; None if the evidence is not sufficient.
    reason : str or None
        Why `link_is_bottleneck` is None.
    receiving_s : float
        Time in which the phone received, without silences of more than a second.
    busy_ratio, busy_low_ratio, busy_high_ratio : float or None
        Share of this time in which data waited in the base station, with its range.
    busy_is_wide : bool
        Whether the range is so wide (``verdict.demand_wide_ratio``) that `busy_ratio` alone would
        say more than is known.
    received_little : bool
        Whether the phone received only acknowledgements of its uplink data. The uplink then
        mattered, and the busy share of the downlink is not given.
    uplink_is_bottleneck : bool or None
        Whether the uplink was the bottleneck, by the time in which data waited in the phone; None
        if the grants are not sufficient evidence.
    uplink_reason : str or None
        Why `uplink_is_bottleneck` is None.
    facts : mapping
        The values of this user that the engine wrote into the manifest.
    bursts, carriers, modulations, uplink, signal, handovers
        Sums over the tables.
    """

    user: int
    estimator: str | None
    link_is_bottleneck: bool | None
    reason: str | None
    receiving_s: float
    busy_ratio: float | None
    busy_low_ratio: float | None
    busy_high_ratio: float | None
    busy_is_wide: bool
    downlink_bytes: int
    bursts: Facts | None
    carriers: tuple[Facts, ...]
    modulations: Mapping[str, float]
    uplink: Facts
    signal: Facts | None
    handovers: Facts
    received_little: bool
    uplink_is_bottleneck: bool | None
    uplink_reason: str | None
    facts: Facts = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as plain values."""
        own = {name: value for name, value in vars(self).items() if name != "facts"}
        own["carriers"] = [dict(each) for each in self.carriers]
        return own | {name: value for name, value in self.facts.items() if name not in own}


@dataclass(frozen=True)
class RadioValues:
    """The findings of the modem logs of a dataset.

    Those of a dataset print themselves: their text (``str``) is that of ``airmile radio``.

    Attributes
    ----------
    link_is_bottleneck : bool or None
        Whether the downlink of the user with most bytes was the bottleneck.
    users : tuple of RadioUser
        The users of the log; the one with most bytes is first. Of a sniffer's log, the largest
        ones.
    other_users : int
        Number of users that are not in `users`.
    logs : tuple of mapping
        The state of each log: messages that were decoded, skipped, or not verified.
    """

    users: tuple[RadioUser, ...]
    other_users: int
    logs: tuple[Facts, ...]
    dataset: Tables = field(repr=False, compare=False)

    @property
    def link_is_bottleneck(self) -> bool | None:
        """Whether the downlink of the user with most bytes was the bottleneck."""
        return self.users[0].link_is_bottleneck if self.users else None

    @cached_property
    def captured(self) -> bool:
        """Whether a capture was analysed together with the log."""
        return contains(self.dataset, "flows")

    def to_dict(self) -> dict[str, Any]:
        """Return the document of ``--format json``."""
        return {
            "schema": SCHEMA,
            "scope": "radio",
            "link_is_bottleneck": self.link_is_bottleneck,
            "users": [user.to_dict() for user in self.users],
            "other_users": self.other_users,
            "logs": [dict(log) for log in self.logs],
        }


ESTIMATORS = ("joint", "bursttracker", "online")
"""The estimates of link demand; the best one is first."""


def find(dataset: Tables, estimator: str | None = None) -> RadioValues:
    """Return the findings of a dataset's modem logs.

    Parameters
    ----------
    dataset : Tables
        A dataset of the logs of a modem.
    estimator : {"joint", "bursttracker"}, optional
        The estimate of link demand to use; by default the best one.
    """
    order = ESTIMATORS if estimator is None else (estimator,)
    facts = {user["user"]: user for user in dataset.manifest.get("radio", [])}
    volumes = tables.volumes(dataset)
    numbers = [*volumes, *(number for number in facts if number not in volumes)]
    users = tuple(
        _user(dataset, number, facts.get(number, {}), volumes.get(number, 0), order)
        for number in numbers[:USERS_JUDGED]
    )
    logs = tuple(dataset.manifest.get("modem", []))
    return RadioValues(users, len(numbers) - len(users), logs, dataset)


def _user(
    dataset: Tables, number: int, facts: Facts, volume: int, order: tuple[str, ...]
) -> RadioUser:
    demand = facts.get("link_demand") or {}
    estimator = next((name for name in order if demand.get(name) is not None), None)
    receiving_s = tables.receiving_s(dataset, number)
    busy, low, high = _busy(demand, estimator, facts.get("span_s"), receiving_s)
    of_carriers = tables.carriers(dataset, number)
    granted = _granted(facts)
    judged = _log_verdict.judge(
        estimator,
        receiving_s,
        low,
        high,
        explained_ratio=(facts.get("aligned") or {}).get("explained_ratio"),
        assumption=(facts.get("assumption") or {}).get("word"),
        doubt=facts.get("reason"),
        volumes=_volumes(tables.received(dataset, number), granted),
        uplink=granted and {name: granted[name] for name in _UPLINK_TIMES},
    )
    if judged.received_little:
        busy = low = high = None
    sent = judged.uplink
    return RadioUser(
        user=number,
        estimator=estimator,
        link_is_bottleneck=judged.link_is_bottleneck,
        reason=judged.reason,
        receiving_s=receiving_s,
        busy_ratio=busy,
        busy_low_ratio=low,
        busy_high_ratio=high,
        busy_is_wide=low is not None and high is not None and high - low > _wide(dataset),
        downlink_bytes=volume,
        bursts=tables.bursts(dataset, number, estimator) if estimator else None,
        carriers=tuple(of_carriers),
        modulations=tables.modulations(dataset, number),
        uplink=tables.uplink(dataset, number) | _backlog(granted, sent),
        signal=tables.signal(dataset, number),
        handovers=tables.handovers(dataset, number),
        received_little=judged.received_little,
        uplink_is_bottleneck=sent.link_is_bottleneck if sent else None,
        uplink_reason=sent.reason if sent else None,
        facts=facts,
    )


def _wide(dataset: Tables) -> float:
    """Return the width of a range of link demand above which its middle is not given."""
    # Datasets of an airmile without this parameter have none.
    return float(dataset.manifest.get("parameters", {}).get("verdict.demand_wide_ratio", WIDE))


_UPLINK_TIMES = ("sending_s", "backlogged_s", "known_s")

_OF_GRANTS = {*_UPLINK_TIMES, "granted_bytes", "padding_bytes", "filled_ratio"}


def _granted(facts: Facts) -> Facts | None:
    """Return the values of the log about grants; None if one is missing."""
    granted = facts.get("uplink")
    return granted if granted and granted.keys() >= _OF_GRANTS else None


def _volumes(received: dict[str, float] | None, granted: Facts | None) -> Facts | None:
    """Return the bytes of both directions; None if the log lacks one direction."""
    if not received or not granted:
        return None
    sent_bytes = granted["granted_bytes"] - (granted["padding_bytes"] or 0)
    return received | {"sent_bytes": float(sent_bytes)}


def _backlog(granted: Facts | None, sent: _log_verdict.UplinkVerdict | None) -> dict[str, Any]:
    """Return the values of the queue in the phone, from the uplink's grants."""
    if not granted or not sent:
        return {}
    padding, all_bytes = granted["padding_bytes"], granted["granted_bytes"]
    return {
        "sending_s": granted["sending_s"],
        "padding_ratio": padding / all_bytes if padding is not None and all_bytes else None,
        "filled_ratio": granted["filled_ratio"],
        "backlogged_low_ratio": sent.low_ratio,
        "backlogged_high_ratio": sent.high_ratio,
    }


Range = tuple[float | None, float | None, float | None]


def _busy(demand: Facts, estimator: str | None, span_s: float | None, receiving_s: float) -> Range:
    """Convert link demand from a share of the whole log to a share of the receiving time."""
    ratio = demand.get(estimator) if estimator else None
    if ratio is None or not span_s or not receiving_s:
        return None, None, None
    scale = span_s / receiving_s
    # Only the queue estimate (joint) has a range.
    low, high = (demand.get(name) if estimator == "joint" else None for name in ("low", "high"))
    return (
        min(ratio * scale, 1.0),
        min((ratio if low is None else low) * scale, 1.0),
        min((ratio if high is None else high) * scale, 1.0),
    )
