"""Paragraphs with a heading at the left, wrapped to the width of a terminal."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from airmile._words import NBSP, printable

INDENT = 12
"""The width of the column of headings, in characters."""

PLAIN_WIDTH = 100
"""The width, in characters, of text that is not shown on a terminal."""

WIDEST = 120
"""The longest line, in characters; longer lines are hard to read on any terminal."""


@dataclass(frozen=True)
class Paragraph:
    """A text with a heading; `hang` is the indent of all lines but the first.

    A paragraph with a heading is separated from the one above it. A command is not wrapped.
    """

    heading: str
    text: str
    hang: int = 0
    wrap: bool = True


def lay_out(paragraphs: list[Paragraph], width: int = PLAIN_WIDTH) -> str:
    """Return paragraphs as wrapped text, in which numbers stay with their units."""
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
"""The least width to which text is wrapped; less leaves too little room beside the headings."""

_GAP = "\u2007"
"""The character that replaces the first of two spaces, which wrapping would join."""


def _hold_gaps(text: str) -> str:
    return text.replace("  ", _GAP + " ")
