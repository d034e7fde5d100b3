"""Tables of Markdown."""

from __future__ import annotations

from collections.abc import Iterable


def table(header: list[str], body: Iterable[list[str]]) -> list[str]:
    """Give the lines of a table."""
    rows = [header, ["---"] * len(header), *([flat(cell) for cell in row] for row in body)]
    return ["| " + " | ".join(row) + " |" for row in rows]


def flat(text: str) -> str:
    """Give text as one cell of a table."""
    return " ".join(str(text).split()).replace("|", "\\|")
