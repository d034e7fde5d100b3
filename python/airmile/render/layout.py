"""Paragraphs with a heading at the left, wrapped to a width."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from airmile._words import NBSP, printable

INDENT = 12
"""Width of the column of headings."""

PLAIN_WIDTH = 100
"""Width of text that is not shown on a terminal."""

WIDEST = 120
"""Lines longer than this are hard to read, however wide the terminal."""


@dataclass(frozen=True)
class Paragraph:
    """Text beside a heading; `hang` indents the lines after the first.

    A paragraph with a heading is separated from the one above; one that must be copied as it is
    (a command) is not wrapped.
    """

    heading: str
    text: str
    hang: int = 0
    wrap: bool = True


def lay_out(paragraphs: list[Paragraph], width: int = PLAIN_WIDTH) -> str:
    """Wrap paragraphs; numbers stay with their units."""
    lines: list[str] = []
    for paragraph in paragraphs:
        if paragraph.heading and lines:
            lines.append("")
        lines += _lines(paragraph, max(min(width, WIDEST), NARROWEST))
    return "\n".join(line.replace(NBSP, " ").replace(_GAP, " ").rstrip() for line in lines)


def _lines(paragraph: Paragraph, width: int) -> list[str]:
    heading, text = paragraph.heading.ljust(INDENT), printable(paragraph.text)
    if not paragraph.wrap:
        return [heading + text]
    return textwrap.wrap(
        _hold_gaps(text),
        width=width,
        initial_indent=heading,
        subsequent_indent=" " * (INDENT + paragraph.hang),
        break_long_words=False,
        break_on_hyphens=False,
    )


NARROWEST = 60
"""In fewer columns than this the text beside the headings would be too narrow."""

_GAP = "\u2007"
"""Replaces the first of two spaces, which wrapping would otherwise treat as one break."""


def _hold_gaps(text: str) -> str:
    return text.replace("  ", _GAP + " ")
