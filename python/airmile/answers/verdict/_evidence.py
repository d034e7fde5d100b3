"""The evidence of a flow's causes, in sentences that a person can check.

Each cause is shown with the engine's reason for most of its time, the facts that support it, and
the time and frames of its longest span. Round-trip times and retransmissions are always shown. This
module judges nothing: causes and reasons come from the slices.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from airmile import causes
from airmile._words import (
    NBSP,
    counted,
    rate,
    rounded_shares,
    seconds,
    size,
)
from airmile.answers.verdict._access import link_words
from airmile.answers.verdict._certainty import alike_words, mostly_alike
from airmile.answers.verdict._facts import (
    Facts,
    at_receiver,
    at_sender,
    facts,
    of_way,
    way,
)
from airmile.answers.verdict._sent_again import sent_again
from airmile.answers.verdict._spans import Span
from airmile.causes import cause_name
from airmile.causes._losses import REQUEST_LOST
from airmile.store._sums_limits import LEAST_RATE_BYTES, UNKNOWN_RTT_MS

__all__ = [
    "Facts",
    "Line",
    "case",
    "facts",
    "host",
    "lines",
    "sending",
    "server",
    "time_ns",
    "title",
]

Shares = Mapping[str, float]

WORTH_REPORTING = 0.05
"""A cause with a smaller share of a flow's time gets no sentence of its own."""

NOTEWORTHY_RATIO = 0.1
"""A smaller share of the time, of small calls or of a direction, is not mentioned."""

MOST_OF_IT = 0.98
"""A span with at least this share of a cause's time is called all of it, not the longest one."""
MOST_OF_FLOW = 0.9
"""A direction with at least this share of a flow's time is the only one in the title."""

OPENING = frozenset({"handshake_dns", "promotion_delay"})
"""The causes before the first data of either direction."""

WAYS = ("downlink", "uplink")


@dataclass(frozen=True)
class Line:
    """A sentence of evidence, with its place in the capture.

    Attributes
    ----------
    text : str
        The sentence, with numbers.
    which : str
        Which of several spans the sentence is about: ``longest`` or ``most``; empty if there is
        one.
    span : Span or None
        The time and the frames of the span.
    display_filter : str or None
        The display filter of these frames in Wireshark.
    """

    text: str
    which: str
    span: Span | None
    display_filter: str | None

    def __str__(self) -> str:
        when = " ".join(part for part in (self.which, str(self.span or "")) if part)
        return f"{self.text}; {when}" if str(self.span or "") else self.text

    def to_dict(self) -> dict[str, Any]:
        """Return the sentence and its span as plain values."""
        span = self.span
        timed = None if span is None or span.clock_stepped else span
        return {
            "text": self.text.replace(NBSP, " "),
            "from_s": timed and timed.from_s,
            "to_s": timed and timed.to_s,
            "files": list(span.files) if span else [],
            "first_frame": span and span.first_frame,
            "last_frame": span and span.last_frame,
            "display_filter": self.display_filter,
        }


def lines(flow: Facts, shares: Shares) -> Iterator[Line]:
    """Yield the evidence of one flow, the cause with the largest share first."""
    whole = rounded_shares(shares)
    for cause, share in shares.items():
        if share >= WORTH_REPORTING:
            reason = flow["reasons"].get(cause)
            parts = (reason, _alike(flow, cause), *_facts_of(cause, flow))
            details = "; ".join(part for part in parts if part)
            name = cause_name(cause, cellular=flow["cellular"])
            heading = f"{name} {whole[cause]}{NBSP}%"
            text = f"{heading}: {details}" if details else heading
            yield _line(flow, text, _longest(flow, cause, share), cause)
    yield from _round_trips(flow)
    yield from _retransmissions(flow, shares)


def _alike(flow: Facts, cause: str) -> str | None:
    """Return which other cause looks the same at the capture point, if one does.

    The causes that an undetermined slice names look like each other, and none is preferred.
    """
    if cause == "undetermined":
        return None
    other = mostly_alike(flow["named_ns"], cause)
    if other is None:
        return None
    name = cause_name(other, cellular=flow["cellular"])
    return alike_words(other, name, flow["vantage"])


def case(
    flow: Facts, cause: str, available_bps: float | None = None, direction: str | None = None
) -> causes.Case:
    """Return a cause with its flow, in the given direction or the one with most of its time."""
    way = direction or max(WAYS, key=lambda way: time_ns(flow, cause, way))
    if cause == "loss_recovery" and flow["reasons"].get(cause, "").startswith(REQUEST_LOST):
        way = "uplink"
    link = link_words(cellular=flow["cellular"])
    return causes.Case(flow, way == "downlink", flow["vantage"], available_bps, link)


def time_ns(flow: Facts, cause: str, direction: str) -> int:
    """Return the time in ns that a cause took in a direction, including waits for its data."""
    uplink: int = flow["uplink_ns"].get(cause, 0)
    return uplink if direction == "uplink" else flow["time_ns"].get(cause, 0) - uplink


def title(flow: Facts) -> str:
    """Return the title of a flow: server, bytes, duration and rate."""
    arrow = "to the phone" if flow["direction"] == "downlink" else "from the phone"
    length_s = flow["judged_s"] + (flow["carried_s"] or 0)
    other_s = _other_way_s(flow)
    moving_s, of_it, beside = length_s, "", ""
    if other_s and flow["direction"] == "uplink":
        moving_s = length_s - other_s
        of_it = f", {seconds(moving_s)} of it sending"
    elif other_s:
        beside = f", {seconds(other_s)} of it while the phone sent"
    moved = f"{size(flow['bytes'])} {arrow} in {seconds(length_s)}{of_it}"
    lost = _unacknowledged(flow)
    left = f", {size(lost)} of it not acknowledged when the connection was reset" if lost else ""
    rated = moving_s > 0 and _has_rate(flow)
    speed = f" ({rate((flow['bytes'] - lost) * 8 / moving_s)})" if rated else ""
    return f"{server(flow)}  {moved}{left}{speed}{beside}"


def _unacknowledged(flow: Facts) -> int:
    """Return the bytes that passed but may not have arrived before a reset of the connection.

    What passed next to the receiver has arrived.
    """
    at_receiver = flow["vantage"] == ("ue" if flow["direction"] == "downlink" else "server")
    return 0 if at_receiver else min(flow["undelivered_bytes"] or 0, flow["bytes"])


def _other_way_s(flow: Facts) -> float:
    """Return the seconds of a flow outside of its main direction; 0 if they are few.

    An upload lasts until its answer has arrived (methods T1), and its rate excludes this wait. Less
    than an initial window is sent at once and takes no time.
    """
    upload = flow["direction"] == "uplink"
    sent_s = sending(flow["uplink_ns"]) / 1e9
    other_s: float = flow["judged_s"] - sent_s if upload else sent_s
    uploaded = flow["bytes"] if upload else flow["ul_payload_bytes"] or 0
    little = uploaded < LEAST_RATE_BYTES or other_s <= (1 - MOST_OF_FLOW) * flow["judged_s"]
    return 0.0 if little or not sent_s else other_s


def sending(uplink: Mapping[str, float]) -> float:
    """Return the seconds in which the phone sent data, without the causes before any data.

    Waiting for the answer to a lost request does not count.
    """
    return sum(part for cause, part in uplink.items() if cause not in OPENING)


def server(flow: Facts) -> str:
    """Return the name of the server, if it is known, and its address.

    >>> server({"server": "2001:db8::1", "server_port": 443, "server_name": "a.example"})
    'a.example ([2001:db8::1]:443)'
    """
    port = f":{flow['server_port']}" if flow["server_port"] is not None else ""
    known = str(flow["server"] or "unknown")
    address = f"[{known}]" if port and ":" in known else known
    return f"{host(flow)} ({address}{port})" if flow["server_name"] else f"{address}{port}"


def host(flow: Facts) -> str:
    """Return the server's name without characters that no host name has, or its address."""
    name: str | None = flow["server_name"]
    return re.sub(r"[^A-Za-z0-9._-]", "?", name) if name else str(flow["server"])


def _line(flow: Facts, text: str, which: str, what: str) -> Line:
    """Return a sentence with its span, or with that of the flow if its own is unknown."""
    found = what in flow["spans"]
    span = flow["spans"].get(what if found else "flow")
    shown = span and span.display_filter(flow["ue"], flow["ue_port"])
    return Line(text, which if found else "", span, shown)


def _longest(flow: Facts, cause: str, share: float) -> str:
    """Return ``longest``, unless the longest span of a cause is nearly all of its time."""
    span = flow["spans"].get(cause)
    whole_s = share * flow["judged_s"] * MOST_OF_IT
    return "longest" if span and span.to_s - span.from_s < whole_s else ""


def _facts_of(cause: str, flow: Facts) -> Iterator[str]:
    """Yield the facts that support a cause."""
    if cause in causes.every():
        yield from causes.cause(cause).declared.evidence(case(flow, cause))


def _has_rate(flow: Facts) -> bool:
    """Return whether enough bytes were moved, for long enough, to give a rate."""
    rtt_ms = flow["handshake_rtt_ms"] or way(flow, "rtt_min_ms") or UNKNOWN_RTT_MS
    moving_ms = 1000 * (flow["moving_s"] or 0)
    return bool(flow["bytes"] >= LEAST_RATE_BYTES and moving_ms >= rtt_ms)


def _round_trips(flow: Facts) -> Iterator[Line]:
    """Yield the round trips of data, which the handshake may have been faster than."""
    least, median = way(flow, "rtt_min_ms"), way(flow, "rtt_p50_ms")
    # A median of 0 means that the clock is too coarse to measure round trips.
    if least is None or not median or at_receiver(flow):
        return
    far = "phone" if flow["direction"] == "downlink" else "server"
    side = "" if at_sender(flow) else f" between here and the {far}"
    shown = [f"{_ms(least)} at least"] if least else []
    shown.append(f"{_ms(median)} median")
    for name, words in (("rtt_p95_ms", "at the 95th percentile"), ("rtt_max_ms", "at most")):
        value = way(flow, name)
        shown += [] if value is None else [f"{_ms(value)} {words}"]
    which, place = "longest", of_way(flow, "rtt_max_ms")
    if alike := _alike_rtts(flow):
        which, shown = "", [alike]
    yield _line(flow, f"RTT of data{side} {', '.join(shown)}", which, place)


def _alike_rtts(flow: Facts) -> str:
    """Return the RTT and the number of samples if all RTTs are said alike; otherwise nothing."""
    values = [way(flow, f"rtt_{name}_ms") for name in ("min", "p50", "p95", "max")]
    said = {_ms(value) for value in values if value is not None}
    samples = way(flow, "rtt_samples")
    if len(said) != 1 or None in values:
        return ""
    return said.pop() + (f" ({counted(samples, 'sample')})" if samples else "")


def _retransmissions(flow: Facts, shares: Shares) -> Iterator[Line]:
    text, which, what = sent_again(flow, recovers=_recovers(shares))
    if text:
        yield _line(flow, text, which, what)
    named = any(
        shares.get(cause, 0) >= WORTH_REPORTING
        for cause in ("loss_recovery", "undesired_slow_start")
    )
    # Timeouts are counted for the server only.
    if flow["timeouts_seen"] and flow["direction"] == "downlink" and not named:
        least = "at least " if flow["vantage"] == "ue" else ""
        text = least + counted(flow["timeouts_seen"], "retransmission timeout")
        yield _line(flow, text, "longest", "rto_wait_ms")


def _recovers(shares: Shares) -> bool:
    """Return whether loss recovery has a noteworthy share."""
    return shares.get("loss_recovery", 0) >= WORTH_REPORTING


def _ms(value: float) -> str:
    return seconds(value / 1000)
