"""How much of the link was used: the rate of transfers against what the link could carry.

What it could carry is the estimate of the flows that have one, else of all samples; a link that is
full most of the time carries what it can, so that its use is its rate; otherwise it is unknown.
What was used is the rate of the judged transfers over the time that is judged, and what still
drained after it. Only samples with a standing queue count: those of the paper's rule come from
bursts of a few milliseconds and are off by half on flows that the link does not limit (methods E2),
so they stay in the tables unless its profile is in force.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airmile.answers.verdict import _vantage
from airmile.store._sums_limits import WINDOWS

if TYPE_CHECKING:
    from airmile.answers.verdict._sums import Sums
    from airmile.dataset import Dataset

NO_TRANSFER = "there was no transfer"
TOO_LITTLE = "too little moved at a time: a rate needs ten segments and a round trip"
NO_QUEUE = "no standing queue shows what it could carry"
BRIEF_QUEUE = "its queues were too brief to show what it could carry"
BELOW_USE = "what its queues showed is less than was used"
AT_RECEIVER = "where the data arrives nothing shows what it could carry"

ENOUGH_RATIO = 0.5
"""A rate is that of the transfers where it holds for at least this share of their bytes."""

LEAST_WINDOWS = WINDOWS
"""Windows with a sample, of a quarter of a second each, that give a rate of the link: together a
second. One brief queue is a moment of the link, not its rate; our choice."""

WITHIN = 1.02
"""Use and estimate are means over different spans: up to this factor they say the same."""


@dataclass(frozen=True)
class LinkRates:
    """Used and available rate, what the latter rests on, and why either is unknown."""

    used_bps: float | None
    used_reason: str | None
    available_bps: float | None
    source: str | None
    reason: str | None


def link_rates(dataset: Dataset, full_ratio: float, *, mainly_link: bool) -> LinkRates:
    """Return the rate of a UE while it transferred, and what its link could carry.

    Parameters
    ----------
    dataset : Dataset
        Whose transfers.
    full_ratio : float
        Share of their time in which the link was the bottleneck.
    mainly_link : bool
        Whether the link is the verdict: then it carried what it can.
    """
    rates = dataset._sums["rates"]
    direction = (mainly_link and _most(rates, "link_ns")) or _most(rates, "bytes")
    if not direction:
        return LinkRates(None, NO_TRANSFER, None, None, NO_TRANSFER)
    used = _used(rates[direction])
    used_reason = TOO_LITTLE if used is None else None
    estimate = _estimate(rates[direction])
    too_low = estimate is not None and used is not None and used > estimate * WITHIN
    if estimate is not None and not too_low:
        return LinkRates(used, used_reason, estimate, "queues", None)
    if mainly_link and used is not None:
        return LinkRates(used, used_reason, used, "used", None)
    why = BELOW_USE if too_low else _why_unknown(dataset, direction, full_ratio)
    return LinkRates(used, used_reason, None, None, why)


def _why_unknown(dataset: Dataset, direction: str, full_ratio: float) -> str:
    arrives = {"downlink": "ue", "uplink": "server"}[direction]
    if _vantage.of(dataset).value == arrives:
        return AT_RECEIVER
    brief = full_ratio or dataset._sums["rates"][direction]["windows"]
    return BRIEF_QUEUE if brief else NO_QUEUE


def _estimate(rate: Sums) -> float | None:
    """Return what the queues show that the link could carry, where they show more than a moment."""
    windows, estimate = rate["windows"], rate["available_bps"]
    return None if windows is not None and windows < LEAST_WINDOWS else estimate


def _most(rates: Mapping[str, Sums], what: str) -> str | None:
    """Return the direction with most of something; of equal ones the first by name."""
    known = [way for way in sorted(rates) if rates[way][what] is not None]
    return max(known, key=lambda way: rates[way][what], default=None)


def _used(rate: Sums) -> float | None:
    """Divide the bytes of transfers by the time in which a UE had at least one.

    A transfer of a few segments, or shorter than a round trip, shows how fast the sender wrote, not
    what was carried; where such are most of the bytes, the rate is unknown.
    """
    if not rate["busy_ns"] or rate["rated_bytes"] < rate["bytes"] * ENOUGH_RATIO:
        return None
    return float(rate["delivered_bytes"] * 8e9 / rate["busy_ns"])
