"""The advice of a report: that of the causes, and on options that the user has not given.

A piece of advice names a setting and, if the tables have it, the number to set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from airmile import causes, mechanisms
from airmile._words import counted, quoted
from airmile.answers.verdict import _evidence, _failed, _vantage
from airmile.answers.verdict._certainty import mostly_alike
from airmile.causes import cause_name

if TYPE_CHECKING:
    from airmile.answers.verdict._judge import VerdictValues

WORTH_ADVICE = 0.15
"""A cause with a smaller share of the time gets no advice: removing it would gain little."""

_OF_THE_SIDE = ("no RTT sample", "a request waits, and no handshake")
"""Beginnings of the reasons that occur if another host is mistaken for the phone."""

_WITHOUT_TIMESTAMPS = "no RTT sample and no timestamps"
"""The beginning of the reason that occurs where data arrive and timestamps are switched off."""

_WITHOUT_SCALE = "the receiver's window may be full: its scale is unknown"
"""The beginning of the reason that occurs where only the missing handshake shows the window."""

_WITHOUT_ACKS = "ACKs of this data are missing"
"""The beginning of the reason that occurs if a filter kept ACKs from the capture."""

Explained = tuple[str, int, str | None]
"""A cause, its flow and the direction of the data; None before the first data."""

MOST = 4
"""The most pieces of advice in a report; our choice."""


def advice(verdict: VerdictValues) -> list[str]:
    """Return the advice, the most useful first."""
    failed = list(_failed.advice(verdict.failures))
    found = [*_about_input(verdict), *_about_causes(verdict), *_about_certainty(verdict), *failed]
    return list(dict.fromkeys(found))[:MOST]


def _about_input(verdict: VerdictValues) -> Iterator[str]:
    manifest = verdict.dataset.manifest
    if manifest["status"] == "partial":
        yield from _about_files(manifest["inputs"])
    if manifest.get("ended_for_memory"):
        yield "analyse again with more --memory, or a part of the capture: flows were cut short"
    if not verdict.shares and verdict.dataset.where_condition:
        place = quoted(verdict.dataset.path)
        yield f'see which flows there are: airmile query {place} "FROM flows"'
    elif not verdict.shares and not verdict.failures:
        yield (
            "capture a TCP download of more than a second, with both directions and from its "
            "first packet: tcpdump -s 128 -w phone.pcap"
        )


def _about_files(inputs: list[dict[str, Any]]) -> Iterator[str]:
    """Yield what to do about files of which a part, or all, was not read."""
    bad = [source for source in inputs if source["status"] not in ("ok", "skipped")]
    others = [source for source in bad if not _is_no_capture(source)]
    if len(others) < len(bad):
        them = "the file that is" if len(bad) - len(others) == 1 else "the files that are"
        yield f"leave out {them} no capture, or give the capture that was meant"
    if others or not bad:
        yield "copy the damaged capture again: packets after the damage are missing"


def _is_no_capture(source: dict[str, Any]) -> bool:
    """Return whether nothing of a file could be read, because it is of another kind."""
    kinds = {problem["kind"] for problem in source["problems"]}
    return source["status"] == "failed" and kinds == {"unreadable"} and not source.get("format")


def _about_causes(verdict: VerdictValues) -> Iterator[str]:
    explained = _explained(verdict)
    for cause, share in verdict.shares.items():
        if share >= WORTH_ADVICE and cause in causes.every():
            for direction in _directions(verdict, cause):
                yield from _about_cause(verdict, cause, direction, explained)


def _about_cause(
    verdict: VerdictValues, cause: str, direction: str, explained: set[Explained]
) -> Iterator[str]:
    flow = verdict.longest(cause, direction)
    if flow is not None and not explained & {
        (cause, flow.facts["uid"], way) for way in (direction, None)
    }:
        case = _evidence.case(flow.facts, cause, verdict.available_bps, direction)
        if mostly_alike(verdict.sums["named_ns"], cause) == "upstream_path":
            case = replace(case, link="access link, or the path behind it,")
        name = cause_name(cause, cellular=verdict.cellular)
        yield from (f"{name}: {text}" for text in causes.cause(cause).declared.advice(case))


def _explained(verdict: VerdictValues) -> set[Explained]:
    """Return the causes of flows whose mechanism was found: its advice takes their place."""
    return {
        (mechanisms.mechanism(name).cause, each.uid, each.direction)
        for name, found in mechanisms.of_verdict(verdict.dataset, verdict.sums).items()
        for each in found
        if each.certainty != "open"
    }


def _directions(verdict: VerdictValues, cause: str) -> list[str]:
    """Return the direction with most of a cause's time, and the other one if it gets advice too."""
    first, other = sorted(_evidence.WAYS, key=lambda way: -verdict.share(cause, way))
    of_sender = causes.cause(cause).declared.of_sender
    both = of_sender and verdict.share(cause, other) >= WORTH_ADVICE
    return [first, other] if both else [first]


def _about_certainty(verdict: VerdictValues) -> Iterator[str]:
    if verdict.shares.get("undetermined", 0.0) < WORTH_ADVICE:
        return
    manifest = verdict.dataset.manifest
    flow = verdict.longest("undetermined")
    faults = str(flow.facts["quality"] if flow else "").split(",")
    reason = next(iter(verdict.reasons), "")
    if reason.startswith(_WITHOUT_ACKS):
        yield "record all packets of the flow: a filter by length or by flags drops its ACKs"
    elif "one_sided" in faults:
        yield "capture both directions: a mirror port or an asymmetric route often shows only one"
    elif reason.startswith(_WITHOUT_TIMESTAMPS):
        yield (
            "undetermined: switch TCP timestamps on at the phone and the server "
            "(net.ipv4.tcp_timestamps = 1), which show a queue before the capture point"
        )
    elif "mid_stream" in faults:
        yield _begin_earlier(verdict.sums["totals"]["faults"]["mid_stream"], reason)
    if _vantage.of(verdict.dataset).value is None:
        yield "give the capture point: --vantage ue, monitor or server"
    # A handshake shows which end is the phone.
    may_mistake = "mid_stream" in faults and not manifest["ue_nets"]
    if may_mistake and reason.startswith(_OF_THE_SIDE):
        yield "name the addresses of phones (--ue-net 10.0.0.0/8), if they were mistaken"


def _begin_earlier(connections: int, reason: str) -> str:
    """Return the advice about handshakes that the part `Input` of the report says are missing."""
    middle = f"the capture begins in the middle of {counted(connections, 'connection')}"
    if reason.startswith(_WITHOUT_SCALE):
        opens = "the connection opens" if connections == 1 else "they open"
        shows = f"from before {opens} shows the window scale"
    else:
        shows = (
            "from before the phone's transfers begin, or with a pause in them, shows the delay of "
            "the empty path"
        )
    return f"undetermined: {middle}: a capture {shows}"
