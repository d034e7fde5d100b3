"""The shares of causes as text, and of which direction they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from airmile import causes
from airmile._words import counted, rounded_shares, seconds
from airmile.answers.verdict import _evidence, _failed
from airmile.answers.verdict._headline import totals
from airmile.causes import cause_name
from airmile.store._sums_limits import LEAST_RATE_BYTES

if TYPE_CHECKING:
    from airmile.answers.verdict._judge import SmallCalls, VerdictValues

TOGETHER = 68
"""The longest label of a share, in characters, that is kept in one line; 80 columns hold it."""

SMALL = "below 1\u00a0KB both ways"
"""The definition of a small call (methods T1)."""

HALF = 50
"""Percent of the time from which a cause is the main one."""


def limited_by(verdict: VerdictValues) -> str:
    """Return the causes with their shares, or why there are none."""
    if not verdict.shares:
        return _nothing(verdict)
    if verdict.calls is None:
        return _shown(verdict)
    return (
        f"{counted(verdict.calls.calls, 'small call')}, {_took(verdict.calls)}: {_shown(verdict)}"
    )


def of_small_calls(verdict: VerdictValues) -> str:
    """Return the number and time of small calls beside larger transfers, and their causes."""
    calls = verdict.calls
    if calls is None:
        return ""
    took = f"{_took(calls)}, {seconds(verdict.judged_s)} in all"
    return f"{counted(calls.calls, 'small call')} ({SMALL}), {took}: {_shown(verdict)}"


def _shown(verdict: VerdictValues) -> str:
    """Return the causes with their shares, the largest first."""
    shares = rounded_shares(verdict.shares)
    parts = sorted(_parts(verdict, shares), key=lambda part: -part.share)
    shown = "  ".join(_named(verdict, part) for part in parts)
    blind = verdict.calls and "round_trip" in shares and "sender_app" not in shares
    return f"{shown}; the server's own time is not told from the round trip" if blind else shown


def _took(calls: SmallCalls) -> str:
    # A median of 0 means that the clock is too coarse for most calls.
    return f"median {seconds(calls.median_s)}" if calls.median_s else "most below the clock's step"


def main_way(verdict: VerdictValues) -> Iterator[str]:
    """Yield what limited the direction of most data, if the other one has most of the time.

    The answer to a large upload may take longer than the upload.
    """
    way = verdict.main_way
    parts = {
        cause: verdict.share(cause, way)
        for cause in verdict.shares
        if cause not in _evidence.OPENING
    }
    share = sum(parts.values())
    if not ways(verdict) or not 0 < share < HALF / 100:
        return
    limited = rounded_shares({cause: part / share for cause, part in parts.items() if part})
    named = ", ".join(
        f"{cause_name(cause, cellular=verdict.cellular)} {percent_of}\u00a0%"
        for cause, percent_of in limited.items()
    )
    here, there = seconds(share * verdict.judged_s), seconds((1 - share) * verdict.judged_s)
    did, other = _direction(way, most=_is_most(verdict, way))
    yield f"{did} {here}, limited by {named}; in the other {there} {other}."


def _is_most(verdict: VerdictValues, way: str) -> bool:
    """Return whether most data of the judged flows went this way, those of requests included."""
    flows = verdict.sums["flows"]
    up, down = (sum(flow[f"{name}_unique_bytes"] or 0 for flow in flows) for name in ("ul", "dl"))
    return up >= down if way == "uplink" else down >= up


def _direction(way: str, *, most: bool) -> tuple[str, str]:
    """Return the beginning of the sentence on a direction, and what happened otherwise."""
    if way == "uplink":
        begin = "Most data went from the phone: it sent for" if most else "The phone sent for"
        return begin, "it received data or waited for them"
    begin = "Most data went to the phone: this took" if most else "Data to the phone took"
    return begin, "the phone sent"


def ways(verdict: VerdictValues) -> str:
    """Return for how long the phone sent, if that is neither all of the time nor little.

    The data of a small call are sent at once.
    """
    if verdict.calls is not None:
        return ""
    sent_s = _evidence.sending(verdict.uplink_shares) * verdict.judged_s
    uploaded = verdict.sums["totals"]["ul_payload_bytes"]
    if not verdict.both_ways or not sent_s or uploaded < LEAST_RATE_BYTES:
        return ""
    return f" ({seconds(sent_s)} of it sending from the phone)"


@dataclass(frozen=True)
class _Part:
    """A cause's share of the time in percent, of one direction if the report names it."""

    cause: str
    share: int
    way: Literal["to the phone", "from the phone", ""] = ""


def _parts(verdict: VerdictValues, shares: dict[str, int]) -> Iterator[_Part]:
    """Yield the shares; those that belong to one sender apart for each direction."""
    for cause, share in shares.items():
        known = cause in causes.every()
        if not (known and causes.cause(cause).declared.of_sender and verdict.both_ways):
            yield _Part(cause, share)
            continue
        uplink = min(round(100 * verdict.share(cause, "uplink")), share)
        if uplink < share:
            yield _Part(cause, share - uplink, "to the phone")
        if uplink:
            yield _Part(cause, uplink, "from the phone")


def _named(verdict: VerdictValues, part: _Part) -> str:
    """Return a cause with its share and its headline."""
    name = cause_name(part.cause, cellular=verdict.cellular)
    beside = ", ".join(_beside(verdict, part))
    share, label = f"{name} {part.share} %", f" ({beside})" if beside else ""
    if len(share + label) > TOGETHER:
        return share.replace(" ", "\u00a0") + label
    return (share + label).replace(" ", "\u00a0")


def _beside(verdict: VerdictValues, part: _Part) -> Iterator[str]:
    """Yield the words after a cause's share, for the server that it limited longest."""
    if part.way:
        yield part.way
    cause = part.cause
    flow = verdict.longest(cause) if cause in causes.every() else None
    if flow is None:
        return
    named = list(causes.cause(cause).declared.headline(_evidence.case(flow.facts, cause)))
    yield from named
    if named and len(verdict.servers(cause)) > 1:
        yield f"for {_evidence.host(flow.facts)}"


def _nothing(verdict: VerdictValues) -> str:
    counts = totals(verdict.dataset)
    if not counts["flows"] and verdict.dataset.where_condition:
        return "nothing to judge: no flow meets the condition"
    if not counts["flows"]:
        return "nothing to judge: the capture contains no readable IP packet"
    flows = counted(counts["tcp_flows"], "TCP flow")
    if not counts["tcp_flows"]:
        return "nothing to judge: no TCP flow"
    if counts["tcp_flows"] == _failed.never_opened(verdict.dataset) > 0:
        return f"nothing to judge: {flows}, and no connection opened"
    return f"nothing to judge: no transfer in {flows}"
