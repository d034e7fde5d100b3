"""The descriptions of tables that Python writes: their columns, and the document of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Column:
    """A column: its name, type and unit, a description, and its definition in the methods."""

    name: str
    type: str
    unit: str
    doc: str
    cite: str = "H5"


Described = Mapping[str, tuple[str, tuple[Column, ...]]]
"""The tables by name: what one row is, and the columns."""


def document(tables: Described, writer: str) -> dict[str, Any]:
    """Return the descriptions of tables, in the form that the engine uses for its own.

    >>> document({"t": ("flow", (Column("f", "int64", "", "The flow.", "A1"),))}, "Testbed")["t"]
    ... # doctest: +NORMALIZE_WHITESPACE
    {'doc': 'Testbed only. One row per flow.', 'columns': [{'name': 'f', 'type': 'int64',
     'unit': '', 'doc': 'The flow.', 'cite': 'A1'}]}
    """
    return {
        name: {
            "doc": f"{writer} only. One row per {what}.",
            "columns": [vars(column) for column in columns],
        }
        for name, (what, columns) in tables.items()
    }
