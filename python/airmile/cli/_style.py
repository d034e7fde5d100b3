"""Colour for the text of an answer; without colour it has the same words."""

from __future__ import annotations

import re

import click

_HEADING = re.compile(
    r"^(Captures?|Limited by|Why|Clocks|Between|Bandwidth|Input|Next|Tables"
    r"|Log|Downlink|Carriers|Cells|Uplink)\b",
    re.MULTILINE,
)
_ANSWER = re.compile(
    r"(Not mainly the (?:cellular|access) link|Mainly the (?:cellular|access) link"
    r"|The (?:cellular|access) link more than any other cause"
    r"|it was the bottleneck|not the bottleneck)"
)


def styled(text: str) -> str:
    """Make headings bold and the answer stand out."""
    text = _HEADING.sub(lambda found: click.style(found[0], bold=True), text)
    return _ANSWER.sub(lambda found: click.style(found[0], fg="cyan", bold=True), text)
