"""Exhibits as text: their numbers and those of the papers."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

import pyarrow as pa

from airmile._words import NBSP, count
from airmile.study import Exhibit, Finding, Missing
from airmile.study._notes import together

INDENT = "  "


def exhibit(shown: Exhibit, table: pa.Table) -> str:
    """Return the heading of an exhibit, and its findings in columns."""
    heading = f"{shown.name}  {shown.title} ({shown.section})"
    return "\n".join([heading, *_columns(shown.findings(table))]).replace(NBSP, " ")


def _columns(findings: Sequence[Finding]) -> Iterable[str]:
    """Align quantity, number and published number; and how many values, where one is known."""
    counted = any(each.n is not None for each in findings)
    rows = [_cells(each) for each in findings]
    rows.insert(0, ("", "here", "n" if counted else "", "published"))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for quantity, here, n, published in rows:
        number = f"{n.rjust(widths[2])}   " if counted else ""
        line = f"{quantity.ljust(widths[0])}  {here.rjust(widths[1])}   {number}{published}"
        yield f"{INDENT}{line}".rstrip()


def _cells(finding: Finding) -> tuple[str, str, str, str]:
    n = "" if finding.n is None else count(finding.n)
    return finding.quantity, finding.here, n, finding.published


def notes(texts: Iterable[str], width: int) -> str:
    """Return the notes on the numbers."""
    return "\n".join(["Notes", *(line for note in together(texts) for line in _wrap(note, width))])


def lacking(missing: Iterable[tuple[Exhibit, Missing]], width: int) -> str:
    """Return which exhibits lack data: why, and how to get them."""
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
