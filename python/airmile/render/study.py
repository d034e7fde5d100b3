"""Exhibits in words: their numbers beside those that the papers print."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

import pyarrow as pa

from airmile._words import NBSP
from airmile.study import Exhibit, Finding, Missing
from airmile.study._notes import together

INDENT = "  "


def exhibit(shown: Exhibit, table: pa.Table) -> str:
    """Write the heading of an exhibit, and its findings in columns."""
    heading = f"{shown.name}  {shown.title} ({shown.section})"
    return "\n".join([heading, *_columns(shown.findings(table))]).replace(NBSP, " ")


def _columns(findings: Sequence[Finding]) -> Iterable[str]:
    rows = [Finding("", "here", "published"), *findings]
    first, second = (max(len(row[column]) for row in rows) for column in (0, 1))
    for quantity, here, published in rows:
        line = f"{INDENT}{quantity.ljust(first)}  {here.rjust(second)}   {published}"
        yield line.rstrip()


def notes(texts: Iterable[str], width: int) -> str:
    """Write what the numbers rest on."""
    return "\n".join(["Notes", *(line for note in together(texts) for line in _wrap(note, width))])


def lacking(missing: Iterable[tuple[Exhibit, Missing]], width: int) -> str:
    """Write what the data cannot give: why, and how to get it."""
    together: dict[tuple[str, str | None], list[str]] = {}
    for each, why in missing:
        # The heading has named the dataset.
        message = why.message.split(": ", 1)[-1]
        together.setdefault((message, why.hint), []).append(each.name)
    lines = ["Not from these data"]
    for (message, hint), names in together.items():
        text = f"{', '.join(names)}: {message}" + (f" ({hint})" if hint else "")
        lines += _wrap(text, width)
    return "\n".join(lines)


def _wrap(text: str, width: int) -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=INDENT, subsequent_indent=INDENT * 2, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
