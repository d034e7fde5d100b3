"""What to know of a table before its numbers are believed; it travels in the table's metadata.

An exhibit that stands on approximations says them in the caption of its picture and below its
numbers, wherever the table goes meanwhile.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._words import listed
from airmile.study._style import GREY

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_KEY = b"notes"

COLUMNS = 158
"""Characters of the caption's size across a picture."""


def with_notes(table: pa.Table, notes: Iterable[str]) -> pa.Table:
    """Return the table with notes, each once.

    >>> notes_of(with_notes(pa.table({"x": [1]}), ["assumed", "assumed", "drawn"]))
    ['assumed', 'drawn']
    """
    kept = json.dumps(list(dict.fromkeys(notes)))
    return table.replace_schema_metadata({**(table.schema.metadata or {}), _KEY: kept})


def notes_of(table: pa.Table) -> list[str]:
    """Return the notes of a table; most have none."""
    kept = (table.schema.metadata or {}).get(_KEY)
    return json.loads(kept) if kept else []


def together(notes: Iterable[str]) -> list[str]:
    """Return each note once; what is said of several things is said of them together.

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
    lines = [line for note in together(notes) for line in textwrap.wrap(f"{note}.", COLUMNS)]
    if lines:
        # A label of the figure, unlike a text, is given room by the layout.
        figure.supxlabel("\n".join(lines), x=0.012, ha="left", fontsize=6.5, color=GREY)
