"""Columns with their meaning as Arrow tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

Meanings = Mapping[str, tuple[pa.DataType, str, str]]
"""Type, unit and description of each column."""


def table(meanings: Meanings, cite: str, columns: Mapping[str, Any]) -> pa.Table:
    """Make a table; NaN is null."""
    fields = [
        pa.field(name, kind, metadata={"unit": unit, "doc": doc, "cite": cite})
        for name, (kind, unit, doc) in meanings.items()
    ]
    arrays = [pa.array(columns[field.name], field.type, from_pandas=True) for field in fields]
    return pa.table(arrays, schema=pa.schema(fields))
