"""Pairs of limits that look alike: what is said of both for sure is a failure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.taps.figures import SECOND, ratio
from tests.taps.runs import Scored
from tests.taps.said import SURE


@dataclass(frozen=True)
class Limit:
    """Time with some labels, in runs whose names begin with one of some texts."""

    labels: frozenset[str]
    names: tuple[str, ...]


_LINK = frozenset({"link"})
_APP = frozenset({"sender_app", "idle_or_app"})
_UPSTREAM = frozenset({"upstream_path", "loss_over_upstream", "upstream_policed"})
_FULL = ("control", "buffer", "aqm", "loop-", "link_", "short_fetch", "short_send")

PAIRS: Mapping[str, tuple[Limit, Limit]] = {
    "link, wired path": (
        Limit(_LINK, _FULL),
        Limit(_UPSTREAM, ("upstream", "cwnd_same_rate", "short_wired")),
    ),
    "full link, paced below": (Limit(_LINK, _FULL), Limit(_APP, ("paced-near", "window_same"))),
    "plan, sender at its rate": (
        Limit(_LINK, ("plan-", "short_plan")),
        Limit(_APP, ("paced-128k",)),
    ),
    "policed, congestion window": (
        Limit(frozenset({"policed"}), ("policer", "plan_policed", "short_plan")),
        Limit(frozenset({"congestion_window", "window_growth"}), ("loop", "short_lossy", "buffer")),
    ),
    "slow reader, window": (
        Limit(frozenset({"zero_window", "rwnd"}), ("slow_reader",)),
        Limit(frozenset({"rwnd"}), ("window", "short_window")),
    ),
}
"""The pairs, as in methods T9; each limit with the runs in which it is by construction."""

TWINS = ("first_s", "first_sure", "second_s", "second_sure")


def twins(scored: Iterable[Scored]) -> Iterator[dict[str, Any]]:
    """Give a row per tap, way, pair and cause: the share of both for which the cause is sure.

    A cause that is sure of both is in one row with two shares; one of them is wrong.
    """
    every = list(scored)
    for name, limits in PAIRS.items():
        first, second = (_claims(every, limit) for limit in limits)
        for tap, way in sorted(first.keys() & second.keys()):
            yield from _rows((tap, way, name), first[tap, way], second[tap, way])


def _rows(
    key: tuple[str, str, str], first: Counter[str | None], second: Counter[str | None]
) -> Iterator[dict[str, Any]]:
    for cause in sorted({cause for cause in (*first, *second) if cause}):
        if not (first[cause] and second[cause]):
            continue
        yield {
            **dict(zip(("tap", "way", "pair"), key, strict=True)),
            "cause": cause,
            "first_s": round(first.total() / SECOND, 2),
            "first_sure": ratio(first[cause], first.total()),
            "second_s": round(second.total() / SECOND, 2),
            "second_sure": ratio(second[cause], second.total()),
        }


def _claims(
    scored: Iterable[Scored], limit: Limit
) -> defaultdict[tuple[str, str], Counter[str | None]]:
    """Add up, by tap and way, the time of a limit by the cause that is sure; None: none is."""
    found: defaultdict[tuple[str, str], Counter[str | None]] = defaultdict(Counter)
    for each in scored:
        if not each.run.name.startswith(limit.names):
            continue
        for moment, time_ns in each.moments.items():
            if moment.steady and moment.label in limit.labels:
                sure = moment.claim.certainty == SURE and not moment.claim.is_open
                found[each.tap, each.way][moment.claim.cause if sure else None] += time_ns
    return found
