"""The verdict for people: verdict, evidence, quality of the input, what to try, where to look."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from airmile import _evidence
from airmile._access import link_words
from airmile._summary import headline, totals
from airmile._words import cause_name, counted, percent, rate, rounded_shares
from airmile.render.advice import advice
from airmile.render.layout import PLAIN_WIDTH, Paragraph, lay_out

if TYPE_CHECKING:
    from airmile.verdict import Verdict

EXAMPLE = "SELECT cause, sum(bytes) AS bytes FROM slices GROUP BY cause"
"""A query to begin with."""

WITHIN = 1.02
"""Use and estimate are means over different spans: up to this factor they say the same."""

FLOWS_SHOWN = 3
"""Flows whose evidence is told, unless all are asked for."""


def render(
    verdict: Verdict, width: int = PLAIN_WIDTH, *, every_flow: bool = False, kept: bool = True
) -> str:
    """Return the verdict as text of at most `width` columns.

    `every_flow` tells the evidence of all flows; `kept` says that the dataset stays where it is.
    """
    paragraphs = [
        Paragraph("Capture", headline(verdict.dataset)),
        Paragraph("Limited by", limited_by(verdict)),
        *(Paragraph("", text) for text in link_sentence(verdict)),
        *_why(verdict, every_flow),
        *_headed("Input", verdict.quality),
        *_headed("Next", advice(verdict)),
        *(_tables(verdict) if kept else ()),
    ]
    return lay_out(paragraphs, width)


def limited_by(verdict: Verdict) -> str:
    """Return the causes with their shares, or why there are none."""
    if not verdict.shares:
        return _nothing(verdict)
    shares = rounded_shares(verdict.shares)
    return "  ".join(f"{_joined(verdict, c)}\u00a0{share}\u00a0%" for c, share in shares.items())


def link_sentence(verdict: Verdict) -> Iterator[str]:
    """Answer whether the access link is the bottleneck."""
    if not verdict.shares:
        return
    link = link_words(cellular=verdict.cellular)
    answer = {
        True: f"Mainly the {link}",
        False: f"Not mainly the {link}",
        None: f"Whether the {link} is the bottleneck stays open",
    }[verdict.link_is_bottleneck]
    demand = verdict.link_demand_ratio
    tail = "" if demand is None else f"; link demand {percent(demand)}"
    yield f"{answer}: {_used(verdict)}{tail}."
    if verdict.source == "tcp":
        yield "Told from the packets alone, without a modem log."


def _used(verdict: Verdict) -> str:
    used, available = verdict.used_bps, verdict.available_bps
    if used is None:
        return "how much of it was used is unknown"
    if available is None:
        return f"used {rate(used)} of an unknown rate ({verdict.available_reason})"
    if used > available * WITHIN:
        return (
            f"used {rate(used)}, more than the estimate of what it could carry, about "
            f"{rate(available)}, which is too low here"
        )
    used_text, available_text = rate(used), rate(available)
    if used_text.split("\u00a0")[1] == available_text.split("\u00a0")[1]:
        used_text = used_text.split("\u00a0")[0]
    return f"used {used_text} of about {available_text} ({percent(min(used / available, 1))})"


def _why(verdict: Verdict, every_flow: bool) -> Iterator[Paragraph]:
    flows = verdict.flows if every_flow else verdict.top_flows(FLOWS_SHOWN + 1)
    shown = flows if every_flow else flows[:FLOWS_SHOWN]
    heading = "Why"
    for flow in shown:
        yield Paragraph(heading, _evidence.title(flow.facts), hang=2)
        yield from (Paragraph("", f"- {text}", hang=2) for text in flow.why)
        yield Paragraph("", f"- uid\u00a0{flow.uid}", hang=2)
        heading = ""
    if len(flows) > len(shown):
        yield Paragraph("", "the other flows: -v, or the query below")


def _joined(verdict: Verdict, cause: str) -> str:
    return cause_name(cause, cellular=verdict.cellular).replace(" ", "\u00a0")


def _nothing(verdict: Verdict) -> str:
    counts = totals(verdict.dataset)
    if not counts["flows"] and verdict.dataset.where_condition:
        return "nothing to judge: no flow meets the condition"
    if not counts["flows"]:
        return "nothing to judge: the capture holds no IP packet that could be read"
    flows = counted(counts["tcp_flows"], "TCP flow")
    return f"nothing to judge: no transfer of 1 KB or more in {flows}"


def _headed(heading: str, texts: tuple[str, ...] | list[str]) -> Iterator[Paragraph]:
    for index, text in enumerate(texts):
        yield Paragraph(heading if index == 0 else "", text, hang=2)


def _tables(verdict: Verdict) -> Iterator[Paragraph]:
    path = verdict.dataset.path
    filled = [name for name in verdict.dataset.tables if verdict.dataset.rows(name)]
    yield Paragraph("Tables", f"{path}: {', '.join(filled)}", hang=2)
    yield Paragraph("", f'airmile query {path} "{EXAMPLE}"', wrap=False)
    if verdict.shares:
        yield Paragraph("", f"airmile plot {path} --flow UID", wrap=False)
