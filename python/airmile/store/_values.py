"""Values of SQL as Arrow carries them, and as text.

A query may answer with any type of DuckDB. Arrow, and thus Parquet, lacks some of them, and DuckDB
exports others with another value: a time without its zone, an interval that wraps around. Such
values become text here, or values that Arrow carries exactly (docs/guide/query.md lists the types).
A format that is text has the text of ``CAST(value AS VARCHAR)`` for what it has no type for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from airmile.store import _sql
from airmile.store._names import named
from airmile.store._nested import Rewriting

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_NUMBERS = {
    *("boolean", "tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger"),
    *("float", "double"),
}
_EXACT = {
    *(*_NUMBERS, "ubigint", "decimal", "varchar", "uuid", "null", "blob"),
    *("date", "timestamp", "timestamp_ms", "timestamp_ns"),
    *("timestamp with time zone", "timestamptz_ns"),
}
"""The types without parts that DuckDB gives to Arrow exactly, wherever they are."""

_EXACT_COLUMNS = {"hugeint", "enum", "time", "time_ns"}
"""The types that it gives exactly in a column, but not within lists, structs and maps.

Of a hugeint it gives all bits, which `_narrowed` reads. It cannot read every list of enums again.
"""

_NESTED = {"list", "array", "struct", "tuple", "map"}


def to_arrow(answer: duckdb.DuckDBPyRelation) -> pa.Table:
    """Return an answer as Arrow, with unique names and every value exact."""
    names, kinds = answer.columns, answer.types
    own = [f"#{place}" for place in range(1, len(kinds) + 1)]
    wanted = [_exact_column(place, kind) for place, kind in zip(own, kinds, strict=True)]
    if wanted != own:
        # Columns are addressed by place, because several may have the same name.
        answer = answer.project(_listed(wanted))
    table = answer.to_arrow_table()
    for place, kind in enumerate(kinds):
        if change := _AFTERWARDS.get(kind.id):
            table = _with(table, place, change(table.column(place)))
    return named(table, names)


def as_text(table: pa.Table) -> pa.Table:
    """Return a table of text, numbers and flags, and of lists, structs and maps of these.

    Ids of 64 bits within them are text, and so are the keys of maps.
    """
    import pyarrow as pa

    for place, column in enumerate(table.columns):
        if pa.types.is_decimal256(column.type):
            table = _with(table, place, column.cast(pa.string()))
    places = [place for place, field in enumerate(table.schema) if not _is_plain(field.type)]
    if places:
        columns = [table.column(place) for place in places]
        found = _written(pa.Table.from_arrays(columns, list(map(str, places))))
        for place, column in zip(places, found.columns, strict=True):
            table = _with(table, place, column)
    return table


def _with(table: pa.Table, place: int, column: pa.ChunkedArray) -> pa.Table:
    return table.set_column(place, table.field(place).with_type(column.type), column)


def _is_plain(kind: pa.DataType) -> bool:
    """Return whether a type is text, a number, a flag or null."""
    from pyarrow import types

    texts = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    numbers = types.is_integer(kind) or types.is_floating(kind)
    return bool(texts or numbers or types.is_boolean(kind) or types.is_null(kind))


def _written(table: pa.Table) -> pa.Table:
    connection = _sql.connect()
    answer = connection.from_arrow(table)
    rewriting = Rewriting(_leaf_as_text, _key_as_text)
    texts = [rewriting.of(f"#{place}", kind) for place, kind in enumerate(answer.types, start=1)]
    return answer.project(_listed(texts)).to_arrow_table()


def _listed(values: list[str]) -> str:
    return ", ".join(f"{value} AS c{place}" for place, value in enumerate(values))


def _leaf_as_text(value: str, kind: Any) -> str:
    plain = kind.id in _NUMBERS or kind.id in ("varchar", "null")
    return value if plain else _text(value)


def _key_as_text(value: str, kind: Any) -> str:
    if kind.id == "varchar":
        return value
    return _text(f"to_json({value})" if kind.id in _NESTED else value)


def _exact_column(value: str, kind: Any) -> str:
    return value if kind.id in _EXACT_COLUMNS else Rewriting(_exact).of(value, kind)


def _exact(value: str, kind: Any) -> str:
    if kind.id in _EXACT:
        return value
    if kind.id == "timestamp_s":
        # Parquet has no seconds, and an infinite time cannot be multiplied.
        return f"CAST({value} AS TIMESTAMP)"
    return _text(f"to_json({value})" if kind.id == "variant" else value)


def _text(value: str) -> str:
    return f"CAST({value} AS VARCHAR)"


def _narrowed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return whole numbers of 128 bits in the smallest type that has room for all of them.

    DuckDB sums integers in 128 bits, and hardly any sum is that large.
    """
    import pyarrow as pa

    small = _fitting(column, pa.int64())
    if small is not None:
        return small
    whole = column.cast(pa.decimal256(39))
    middle = _fitting(whole, pa.decimal128(38))
    return whole if middle is None else middle


def _fitting(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray | None:
    import pyarrow as pa

    try:
        return column.cast(kind)
    except pa.ArrowInvalid:
        return None


def _without_midnight_at_the_end(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return times of day as text if one of them is 24:00:00, which Arrow does not allow."""
    import pyarrow as pa
    from pyarrow import compute

    last = compute.max(column.cast(pa.int64())).as_py()
    if last is None or last < _DAY[column.type.unit]:
        return column
    return _written(pa.table([column], ["c0"])).column(0)


_DAY = {"us": 86_400 * 10**6, "ns": 86_400 * 10**9}

_AFTERWARDS: dict[str, Callable[[pa.ChunkedArray], pa.ChunkedArray]] = {
    "hugeint": _narrowed,
    "uhugeint": _narrowed,
    "time": _without_midnight_at_the_end,
    "time_ns": _without_midnight_at_the_end,
}
"""What is done to columns of a type that Arrow has; it depends on their values."""
