"""The values of a table as JSON and as the text of a cell."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyarrow import compute

from airmile.render.json import written
from airmile.store import _values


def rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table as values for JSON; ids of 64 bits are text."""
    shown = _values.as_text(_ids_as_text(table))
    names = shown.column_names
    for batch in shown.to_batches(max_chunksize=10_000):
        for row in zip(*map(_for_json, batch.columns), strict=True):
            yield dict(zip(names, row, strict=True))


def _for_json(column: pa.Array) -> list[Any]:
    if pa.types.is_nested(column.type):
        return [value(each) for each in column.to_pylist(maps_as_pydicts="strict")]
    found: list[Any] = column.to_pylist()
    finite = not pa.types.is_floating(column.type) or compute.all(compute.is_finite(column)).as_py()
    return [value(each) for each in found] if finite is False else found


def with_text(table: pa.Table) -> pa.Table:
    """Return a table in which every value that is not a number or a flag is text.

    Lists, structs and maps become JSON.
    """
    shown = _values.as_text(table)
    for place, column in enumerate(shown.columns):
        if pa.types.is_nested(column.type):
            column = pa.chunked_array([_documents(column)], pa.string())
            shown = shown.set_column(place, shown.field(place).with_type(pa.string()), column)
    return shown


def value(found: Any) -> Any:
    """Return a value for JSON, which has no infinite numbers: they are text.

    >>> value([1.5, float("-inf"), {"a": float("nan")}])
    [1.5, '-inf', {'a': 'nan'}]
    """
    if isinstance(found, float) and not math.isfinite(found):
        return str(found)
    if isinstance(found, dict):
        return {key: value(inner) for key, inner in found.items()}
    if isinstance(found, list):
        return [value(inner) for inner in found]
    return found


def _documents(column: pa.ChunkedArray) -> list[str | None]:
    found = column.to_pylist(maps_as_pydicts="strict")
    return [None if each is None else written(value(each), None) for each in found]


def _ids_as_text(table: pa.Table) -> pa.Table:
    """Return the table with ids, the only unsigned columns of 64 bits, as text."""
    fields = [f.with_type(pa.string()) if f.type == pa.uint64() else f for f in table.schema]
    return table.cast(pa.schema(fields, table.schema.metadata))
