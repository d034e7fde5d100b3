"""The values of a table as JSON and as the text of a cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
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


def with_text(table: pa.Table) -> pa.Table:
    """Return a table in which every value that is not a number or a flag is text.

    Lists, structs and maps become JSON.
    """
    shown = _values.as_text(table)
    for place, column in enumerate(shown.columns):
        if pa.types.is_nested(column.type):
            texts = pa.chunked_array([_documents(column)], pa.string())
            shown = shown.set_column(place, shown.field(place).with_type(pa.string()), texts)
    return shown


def _documents(column: pa.ChunkedArray) -> list[str | None]:
    return [None if each is None else written(each, None) for each in _for_json(column)]


def _for_json(column: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Return the values of a column for JSON, which has no infinite numbers: they are text."""
    found: list[Any] = column.to_pylist()
    if pa.types.is_floating(column.type):
        finite = compute.all(compute.is_finite(column)).as_py() is not False
        return found if finite else [_number(each) for each in found]
    change = _change(column.type)
    return found if change is None else [change(each) for each in found]


def _change(kind: pa.DataType) -> Callable[[Any], Any] | None:
    """Return what makes a value of a type one for JSON; None if it is one."""
    if pa.types.is_map(kind):
        within = _change(kind.item_type) or _same
        return lambda value: None if value is None else {k: within(v) for k, v in value}
    if pa.types.is_struct(kind):
        parts = {field.name: _change(field.type) or _same for field in kind}
        return lambda value: (
            None if value is None else {name: part(value[name]) for name, part in parts.items()}
        )
    if pa.types.is_nested(kind):
        each = _change(kind.value_type) or _same
        return lambda value: None if value is None else [each(item) for item in value]
    return _number if pa.types.is_floating(kind) else None


def _number(value: float | None) -> float | str | None:
    return value if value is None or math.isfinite(value) else str(value)


def _same(value: Any) -> Any:
    return value


def _ids_as_text(table: pa.Table) -> pa.Table:
    """Return the table with ids, the only unsigned columns of 64 bits, as text."""
    fields = [f.with_type(pa.string()) if f.type == pa.uint64() else f for f in table.schema]
    return table.cast(pa.schema(fields, table.schema.metadata))
