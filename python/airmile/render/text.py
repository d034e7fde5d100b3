"""The verdict as text: causes, evidence, quality of the input, advice, tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from airmile import causes
from airmile._words import percent, quoted, rate, rounded_shares, seconds
from airmile.answers.verdict import _evidence, _vantage
from airmile.answers.verdict._access import link_words
from airmile.answers.verdict._certainty import HowSure, looks_alike, words
from airmile.answers.verdict._headline import headline
from airmile.causes import cause_name
from airmile.render.advice import advice
from airmile.render.cause_shares import (
    HALF,
    SMALL,
    limited_by,
    main_way,
    of_small_calls,
    ways,
)
from airmile.render.findings import findings
from airmile.render.layout import PLAIN_WIDTH, Paragraph, lay_out
from airmile.store import _captures

if TYPE_CHECKING:
    from airmile.answers.verdict._judge import VerdictValues

EXAMPLE = "SELECT cause, sum(end_ns - start_ns) / 1e9 AS s FROM slices GROUP BY cause"
"""An SQL query for a first look at the causes."""

MORE_THAN_SENDING = 1.1
"""A rate includes waits if its time exceeds the sending time by this factor."""

FLOWS_SHOWN = 3
"""The number of flows whose evidence is shown by default."""


def render(
    verdict: VerdictValues, width: int = PLAIN_WIDTH, *, every_flow: bool = False, kept: bool = True
) -> str:
    """Return the verdict as text of at most `width` columns.

    `every_flow` shows the evidence of all flows, with filters for Wireshark. With `kept`, the
    dataset is kept and the text names its place.
    """
    paragraphs = [
        Paragraph("Capture", headline(verdict.dataset)),
        Paragraph("Limited by", limited_by(verdict)),
        *(Paragraph("", text) for text in link_sentence(verdict)),
        *(Paragraph("Beside", text) for text in beside(verdict)),
        *_why(verdict, every_flow),
        *_headed("Failed", [failure.text for failure in verdict.failures]),
        *_headed("Found", list(findings(verdict))),
        *_headed("Input", verdict.quality),
        *_headed("Next", advice(verdict)),
        *(_tables(verdict) if kept else ()),
    ]
    return lay_out(paragraphs, width)


def beside(verdict: VerdictValues) -> Iterator[str]:
    """Yield what limited small calls beside larger transfers, if they take a noteworthy time."""
    small = verdict.small_calls
    if small is None or small is verdict or not small.shares:
        return
    if small.judged_s >= _evidence.NOTEWORTHY_RATIO * (verdict.judged_s + small.judged_s):
        yield of_small_calls(small)


def link_sentence(verdict: VerdictValues) -> Iterator[str]:
    """Yield whether the access link is the bottleneck, and what the shares are shares of."""
    if not verdict.shares:
        return
    link = link_words(cellular=verdict.cellular)
    answer = {
        True: _mainly(verdict, link),
        False: f"Not mainly the {link}",
        None: f"Whether the {link} is the bottleneck is unknown",
    }[verdict.link_is_bottleneck]
    beside = "; ".join(_rates(verdict))
    yield from main_way(verdict)
    yield f"{answer}: {beside}." if beside else f"{answer}."
    yield from _doubt(verdict)
    yield _base(verdict)


def _doubt(verdict: VerdictValues) -> Iterator[str]:
    """Yield what else would look the same at this capture point."""
    said = HowSure(verdict.certainty, verdict.second)
    named = tuple(cause_name(cause, cellular=verdict.cellular) for cause in verdict.second)
    vantage = _vantage.of(verdict.dataset).value
    sentence = words(said, named, vantage, alike=_is_alike(verdict))
    if sentence and not _names_path(verdict):
        yield sentence


def _names_path(verdict: VerdictValues) -> bool:
    """Return whether the path behind the link looks like the full link itself."""
    named = verdict.second == ("upstream_path",) and _is_alike(verdict)
    return bool(verdict.link_is_bottleneck) and named


def _is_alike(verdict: VerdictValues) -> bool:
    """Return whether the second cause looks like the first one here."""
    named_ns = verdict.sums["named_ns"]
    return any(looks_alike(named_ns, verdict.limited_by, other) for other in verdict.second)


def _base(verdict: VerdictValues) -> str:
    """Return what the shares are shares of, their source, and what they leave out."""
    what = "transfers" if verdict.calls is None else f"small calls ({SMALL})"
    alone = ", without a modem log" if verdict.source == "tcp" else " and the modem's log"
    of = f"Shares of {seconds(verdict.judged_s)} of {what}{ways(verdict)}"
    return f"{of}{_added_up(verdict)}, from the packets{alone}."


ADDED_UP = 1.05
"""Transfers that last longer in sum than the time with transfers, by this factor, are parallel."""


def _added_up(verdict: VerdictValues) -> str:
    """Return in what time parallel transfers took place, if they are a noticeable part."""
    if verdict.judged_s <= ADDED_UP * verdict.active_s:
        return ""
    return f", parallel ones added up (within {seconds(verdict.active_s)})"


def _mainly(verdict: VerdictValues, link: str) -> str:
    """Return the share of the link, which is the main cause if it took half of the time or more."""
    full = _full(verdict)
    if _names_path(verdict):
        link += " or the path behind it"
    if full < HALF:
        return f"The {link} more than any other cause, for {full}\u00a0% of the time"
    return f"Mainly the {link}, full for {full}\u00a0% of the time"


def _full(verdict: VerdictValues) -> int:
    """Return the sum of the link's rounded shares, which agrees with the line above it."""
    return int(causes.of_links(rounded_shares(verdict.shares)))


def _rates(verdict: VerdictValues) -> Iterator[str]:
    """Yield the used rate and link demand, if they are known."""
    if verdict.used_bps is not None:
        yield _used(verdict, verdict.used_bps, ", waits included," if _has_waits(verdict) else "")
    if verdict.link_demand_ratio is not None:
        yield (
            f"link demand {percent(verdict.link_demand_ratio)} (share of the transfers' time in "
            "which data waited before the radio)"
        )


def _has_waits(verdict: VerdictValues) -> bool:
    """Return whether the rate of an upload includes time in which the phone did not send."""
    if not ways(verdict):
        return False
    rates = verdict.sums["rates"]
    mainly_up = (rates["uplink"]["bytes"] or 0) > (rates["downlink"]["bytes"] or 0)
    sent_ns = _evidence.sending(verdict.uplink_shares) * verdict.judged_s * 1e9
    return mainly_up and rates["uplink"]["busy_ns"] > MORE_THAN_SENDING * sent_ns


def _used(verdict: VerdictValues, used: float, over: str) -> str:
    available = verdict.available_bps
    if available is None:
        why = verdict.available_reason
        return f"used {rate(used)}{over or ','} and its capacity is unknown ({why})"
    if verdict.available_source == "used":
        return f"used {rate(used)}{over or ','} so the link can carry at least that"
    used_text, available_text = rate(used), rate(available)
    if used_text.split("\u00a0")[1] == available_text.split("\u00a0")[1]:
        used_text = used_text.split("\u00a0")[0]
    share = percent(min(used / available, 1))
    of_it = f"{share} of what the link could carry"
    return f"used {used_text} of about {available_text}{over.removesuffix(',')} ({of_it})"


def _why(verdict: VerdictValues, every_flow: bool) -> Iterator[Paragraph]:
    flows = verdict.flows if every_flow else verdict.top_flows(FLOWS_SHOWN + 1)
    shown = flows if every_flow else flows[:FLOWS_SHOWN]
    heading, of = "Why", "; shares of its time:" if len(flows) > 1 else ""
    for flow in shown:
        yield Paragraph(heading, f"{_evidence.title(flow.facts)}{of}", hang=2)
        for line in flow.evidence:
            yield Paragraph("", f"- {line}", hang=2)
            if every_flow and line.display_filter:
                yield Paragraph("", f"  {line.display_filter}", wrap=False)
        yield Paragraph("", f"- uid\u00a0{flow.uid}", hang=2)
        heading = ""
    if len(flows) > len(shown):
        yield Paragraph("", "the other flows: run again with -v, or `airmile flows`")


def _headed(heading: str, texts: tuple[str, ...] | list[str]) -> Iterator[Paragraph]:
    for index, text in enumerate(texts):
        yield Paragraph(heading if index == 0 else "", text, hang=2)


def _tables(verdict: VerdictValues) -> Iterator[Paragraph]:
    path = verdict.dataset.path
    filled = [name for name in verdict.dataset.tables if verdict.dataset.rows(name)]
    yield Paragraph("Tables", f"{path}: {', '.join(filled) or 'no rows'}", hang=2)
    if verdict.shares:
        yield Paragraph("", f'airmile query {quoted(path)} "{EXAMPLE}"', wrap=False)
    if verdict.shares and _captures.are_there(verdict.dataset):
        yield Paragraph("", f"airmile plot {quoted(path)} --flow 1", wrap=False)
