"""The utilisation of the link: the rate of transfers against the available bandwidth.

The available bandwidth is the mean estimate of the flows that have one, or of all samples. If the
link is full for most of the time, it is the used rate. Otherwise it is unknown. The used rate is
the payload of the judged transfers divided by their time and the time in which the queue drained
after them. Only samples with a standing queue count. Those of the paper's rule come from bursts of
a few milliseconds and are wrong by half on flows that the link does not limit (methods E2), so they
are used only with the paper's profile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airmile.answers.verdict import _sums, _vantage
from airmile.store._sums_limits import WINDOWS

if TYPE_CHECKING:
    from airmile.answers.verdict._sums import Sums
    from airmile.store import Tables

NO_TRANSFER = "there was no transfer"
TOO_LITTLE = "the transfers were too short: a rate needs ten segments and a round trip"
NO_QUEUE = "no standing queue shows what it could carry"
BRIEF_QUEUE = "its queues were too brief to show what it could carry"
BELOW_USE = "what its queues showed is less than was used"
NO_ESTIMATE = "its full queue gave no estimate of what it could carry"
AT_RECEIVER = {
    "downlink": "data to the phone that are captured there do not show what it could carry",
    "uplink": "data from the phone that are captured at the server do not show what it could carry",
}

ENOUGH_RATIO = 0.5
"""The least share of bytes in transfers that give a rate, so that the used rate is known."""

LEAST_WINDOWS = WINDOWS
"""The fewest windows of a quarter of a second with a sample: one brief queue is not enough.

Together they last a second; our choice.
"""

WITHIN = 1.02
"""The factor up to which used rate and estimate agree; they are means over different spans."""


@dataclass(frozen=True)
class LinkRates:
    """Used and available rate, the source of the latter, and why either is unknown."""

    used_bps: float | None
    used_reason: str | None
    available_bps: float | None
    source: str | None
    reason: str | None


def link_rates(dataset: Tables, full_ratio: float, *, mainly_link: bool) -> LinkRates:
    """Return the rate of a UE during its transfers, and the available bandwidth of its link.

    Parameters
    ----------
    dataset : Tables
        The dataset of the transfers.
    full_ratio : float
        Share of the transfers' time in which the link was the bottleneck.
    mainly_link : bool
        Whether the link is the main cause, so that the used rate is the available bandwidth.
    """
    rates = _sums.of(dataset)["rates"]
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


def _why_unknown(dataset: Tables, direction: str, full_ratio: float) -> str:
    arrives = {"downlink": "ue", "uplink": "server"}[direction]
    if _vantage.of(dataset).value == arrives:
        return AT_RECEIVER[direction]
    if _sums.of(dataset)["rates"][direction]["windows"]:
        return BRIEF_QUEUE
    return NO_ESTIMATE if full_ratio else NO_QUEUE


def _estimate(rate: Sums) -> float | None:
    """Return the estimate from queues; None if there are too few windows with a sample."""
    windows, estimate = rate["windows"], rate["available_bps"]
    return None if windows is not None and windows < LEAST_WINDOWS else estimate


def _most(rates: Mapping[str, Sums], what: str) -> str | None:
    """Return the direction with the largest value; of equal ones the first by name."""
    known = [way for way in sorted(rates) if rates[way][what] is not None]
    return max(known, key=lambda way: rates[way][what], default=None)


def _used(rate: Sums) -> float | None:
    """Return the bytes of transfers divided by the time in which a UE had at least one.

    A transfer of a few segments, or shorter than a round trip, shows the rate of the sender instead
    of that of the link. If such transfers have most of the bytes, the rate is unknown.
    """
    if not rate["busy_ns"] or rate["rated_bytes"] < rate["bytes"] * ENOUGH_RATIO:
        return None
    return float(rate["delivered_bytes"] * 8e9 / rate["busy_ns"])
