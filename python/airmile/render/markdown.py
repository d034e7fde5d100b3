"""The verdict as Markdown, for an issue or a report."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from airmile._words import printable, rounded_shares
from airmile.answers.verdict import _evidence
from airmile.answers.verdict._headline import headline
from airmile.causes import cause_name
from airmile.render.advice import advice
from airmile.render.text import beside, link_sentence

if TYPE_CHECKING:
    from airmile.answers.verdict._judge import VerdictValues

FLOWS_SHOWN = 10


def render(verdict: VerdictValues) -> str:
    """Return the verdict as a Markdown section."""
    parts = [
        f"## What limited {escaped(headline(verdict.dataset).split('  ')[0])}",
        escaped(headline(verdict.dataset)),
        table(
            ["limited by", "share of time"],
            [[_name(verdict, c), f"{s} %"] for c, s in rounded_shares(verdict.shares).items()],
        )
        if verdict.shares
        else "Nothing to judge.",
        "\n".join(map(escaped, link_sentence(verdict))),
        *_list("Beside", beside(verdict)),
        *_why(verdict),
        *_list("Failed", (failure.text for failure in verdict.failures)),
        *_list("Input", verdict.quality),
        *_list("Next", advice(verdict)),
    ]
    return "\n\n".join(part for part in parts if part).replace("\u00a0", " ")


def table(header: list[str], body: Iterable[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *body]
    return "\n".join("| " + " | ".join(escaped(cell) for cell in line) + " |" for line in lines)


def _why(verdict: VerdictValues) -> list[str]:
    flows = [
        [
            _evidence.title(flow.facts),
            _name(verdict, flow.limited_by or ""),
            ". ".join(flow.why),
        ]
        for flow in verdict.top_flows(FLOWS_SHOWN)
    ]
    return ["### Why", table(["flow", "limited by", "evidence"], flows)] if flows else []


def _name(verdict: VerdictValues, cause: str) -> str:
    return cause_name(cause, cellular=verdict.cellular)


def _list(heading: str, texts: Iterable[str]) -> list[str]:
    lines = "\n".join(f"- {escaped(text)}" for text in texts)
    return [f"### {heading}", lines] if lines else []


def escaped(text: str) -> str:
    r"""Return untrusted text escaped, so that it is no HTML, link, picture, or end of a cell.

    >>> escaped("<b> [x](y) a|b\n")
    '&lt;b> \\[x](y) a\\|b\\\\n'
    """
    plain = printable(text).replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"([|\[])", r"\\\1", plain)
