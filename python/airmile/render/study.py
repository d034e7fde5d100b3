"""Exhibits of papers as text: one's own numbers and those of the papers."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping

import pyarrow as pa

from airmile._words import NBSP, count, printable
from airmile.study import Exhibit, Finding, Missing
from airmile.study._notes import together
from airmile.study._several import Result

INDENT = "  "


def exhibit(shown: Exhibit, table: pa.Table) -> str:
    """Return the heading of an exhibit, and its findings in columns."""
    return result(Result(shown, {"here": table}, {}))


def result(shown: Result) -> str:
    """Return the heading of an exhibit, and its findings with a column for each dataset."""
    heading = f"{shown.exhibit.name}  {shown.exhibit.title} ({shown.exhibit.section})"
    return "\n".join([heading, *_columns(shown)]).replace(NBSP, " ")


def _columns(shown: Result) -> Iterable[str]:
    """Yield lines of quantity, numbers and published number, with counts of values if known."""
    labels = list(shown.tables)
    named = {label: printable(label) if shown.several else "here" for label in labels}
    found = shown.findings()
    counted = any(each.n is not None for _, row in found for each in row.values())
    head = ["", *(cell for label in labels for cell in (named[label], "n" * counted)), "published"]
    rows = [head, *([quantity, *_cells(row, labels)] for quantity, row in found)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head) - 1)]
    for quantity, *cells, published in rows:
        line = f"{quantity.ljust(widths[0])}  "
        for cell, width in zip(cells, widths[1:], strict=True):
            line += f"{cell.rjust(width)}   " if width else ""
        yield f"{INDENT}{line}{published}".rstrip()


def _cells(row: Mapping[str, Finding], labels: Iterable[str]) -> list[str]:
    """Return the number and the count of each dataset, then the published number."""
    cells: list[str] = []
    for label in labels:
        each = row.get(label)
        cells += ["", ""] if each is None else [each.here, "" if each.n is None else count(each.n)]
    return [*cells, next(iter(row.values())).published]


def notes(texts: Iterable[str], width: int) -> str:
    """Return the notes on the numbers."""
    return "\n".join(["Notes", *(line for note in together(texts) for line in _wrap(note, width))])


def lacking(missing: Iterable[tuple[Exhibit, Missing]], width: int) -> str:
    """Return the exhibits that lack data, with the reason and how to get the data."""
    together: dict[tuple[str, str | None], list[str]] = {}
    for each, why in missing:
        # The heading already names the dataset.
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
