"""Notes about the approximations in a table, kept in the metadata of the table.

A picture shows them in its caption, and a text below the numbers.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._words import listed
from airmile.study._style import GREY, WIDE_INCHES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_KEY = b"notes"

COLUMNS = 158
"""The number of characters of the caption that fit on a line of a wide picture."""


def with_notes(table: pa.Table, notes: Iterable[str]) -> pa.Table:
    """Return the table with notes added; equal notes are kept once.

    >>> notes_of(with_notes(pa.table({"x": [1]}), ["assumed", "assumed", "drawn"]))
    ['assumed', 'drawn']
    """
    kept = json.dumps(list(dict.fromkeys(notes)))
    return table.replace_schema_metadata({**(table.schema.metadata or {}), _KEY: kept})


def notes_of(table: pa.Table) -> list[str]:
    """Return the notes of a table, or an empty list."""
    kept = (table.schema.metadata or {}).get(_KEY)
    return json.loads(kept) if kept else []


def together(notes: Iterable[str]) -> list[str]:
    """Return the notes without repetition; equal notes about several subjects become one.

    >>> together(["A: measured", "drawn", "B: measured", "drawn"])
    ['A and B: measured', 'drawn']
    """
    of: dict[str, list[str]] = {}
    for note in dict.fromkeys(notes):
        subject, colon, text = note.partition(": ")
        of.setdefault(text if colon else note, []).extend([subject] if colon else [])
    return [f"{listed(names)}: {text}" if names else text for text, names in of.items()]


def caption(figure: Figure, notes: Iterable[str]) -> None:
    """Write notes below a picture."""
    columns = round(COLUMNS * figure.get_figwidth() / WIDE_INCHES)
    lines = [line for note in together(notes) for line in textwrap.wrap(f"{note}.", columns)]
    if lines:
        # The layout of matplotlib reserves room for a label of the figure, but not for a text.
        figure.supxlabel("\n".join(lines), x=0.012, ha="left", fontsize=6.5, color=GREY)
