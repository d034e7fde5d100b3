"""Writes tables in Markdown, for the pages in docs/reference."""

from __future__ import annotations

from collections.abc import Iterable

from airmile import _citations


def table(header: list[str], body: Iterable[list[str]]) -> list[str]:
    """Return the lines of a table."""
    rows = [header, ["---"] * len(header), *([flat(cell) for cell in row] for row in body)]
    return ["| " + " | ".join(row) + " |" for row in rows]


def flat(text: str) -> str:
    """Return a text as it is written in a cell of a table."""
    return " ".join(str(text).split()).replace("|", "\\|")


def opened(source: str) -> str:
    """Return a source in which each citation is a link to what a reader can open.

    >>> opened("C2; the larger part")
    '[C2](../methods/c-queues.md#c2); the larger part'
    """
    text, end = "", 0
    for citation in _citations.sources(source):
        address = _citations.address(citation).replace("docs/", "../", 1)
        text += (
            f"{source[end : citation.start]}[{source[citation.start : citation.end]}]({address})"
        )
        end = citation.end
    return text + source[end:]
