"""Checks that the columns of a table have the types that airmile writes.

Parts are untrusted. The columns of a part are checked before its rows are read, so that no query
gets a value of an unexpected type. Absent columns are allowed, because older versions wrote fewer
columns. Undeclared columns are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from airmile._errors import InputError
from airmile.store import _sql, _tables

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

AGAIN = "analyse the capture again with --overwrite"

_Field = tuple[str, str, int]
"""The name, the type and the number of child fields of a field in a Parquet schema."""

_State = tuple[Path, int, int, int]

_TYPES = {
    **{"uint64": "UBIGINT", "int64": "BIGINT", "uint16": "USMALLINT", "float64": "DOUBLE"},
    **{"utf8": "VARCHAR", "string": "VARCHAR", "bool": "BOOLEAN", "int32": "INTEGER"},
}
"""DuckDB's names of types, by the names in `airmile schema`."""

_checked: set[_State] = set()
"""Parts that passed the check in this process, with the state that they had then."""


def check(connection: duckdb.DuckDBPyConnection, parts: Iterable[Path]) -> None:
    """Raise an error if a column of a part has another type than airmile writes.

    Raises
    ------
    InputError
        A column has another type; the error names it.
    duckdb.Error
        A part cannot be read.
    """
    states = {part: _state(part) for part in parts}
    new = [part for part, state in states.items() if state not in _checked]
    for part, found in types(connection, new).items():
        for fault in wrong(part.parent.name, found):
            raise InputError(f"{part}: {fault}", AGAIN)
    _checked.update(states.values())


def check_read(part: Path, schema: pa.Schema) -> None:
    """Raise an error for a column of another type as pyarrow sees it, unlike DuckDB.

    Raises
    ------
    InputError
        A column has another type; the error names it.
    """
    import pyarrow as pa

    for name, kind in declared(part.parent.name).items():
        places = schema.get_all_field_indices(name)
        if len(places) > 1:
            raise InputError(f"{part}: {len(places)} columns are called {name}", AGAIN)
        if places and schema.field(name).type != pa.type_for_alias(kind):
            raise InputError(f"{part}: {_said(name, str(schema.field(name).type), kind)}", AGAIN)


def types(
    connection: duckdb.DuckDBPyConnection, parts: Sequence[Path]
) -> dict[Path, dict[str, str]]:
    """Return DuckDB's type of each column of some parts, by name in lower case.

    SQL ignores the case of names, and uses the first of several equal ones.

    Raises
    ------
    duckdb.Error
        A part cannot be read.
    """
    fields: dict[str, list[_Field]] = {str(part): [] for part in parts}
    if parts:
        columns = "file_name, name, duckdb_type, coalesce(num_children, 0)"
        query = f"SELECT {columns} FROM parquet_schema({_sql.paths(parts)})"
        for file, *field in connection.execute(query).fetchall():
            fields[file].append((field[0], field[1], field[2]))
    return {
        Path(file): {name.lower(): kind for name, kind in reversed(list(_outermost(rows)))}
        for file, rows in fields.items()
    }


def _outermost(fields: Sequence[_Field]) -> Iterator[tuple[str, str]]:
    """Yield name and type of the columns, without the root and without child fields."""
    within = 0
    for name, kind, children in fields[1:]:
        if not within:
            yield name, kind
        within += children - 1 if within else children


def wrong(table: str, found: dict[str, str]) -> Iterator[str]:
    """Yield a fault for each column of another type than declared."""
    for name, kind in declared(table).items():
        if name in found and found[name] != _TYPES[kind]:
            yield _said(name, found[name], kind)


@cache
def declared(table: str) -> dict[str, str]:
    """Return the declared types of a table's columns; none for an undeclared table."""
    columns = _tables.described().get(table, {"columns": []})["columns"]
    return {each["name"]: each["type"] for each in columns}


def sql_type(table: str, column: str) -> str:
    """Return DuckDB's name for the type of a column that airmile declares.

    >>> sql_type("flows", "server_name")
    'VARCHAR'
    """
    return _TYPES[declared(table)[column]]


def _state(part: Path) -> _State:
    try:
        state = part.stat()
    except OSError as error:
        raise InputError(f"{part}: {error.strerror or error}", AGAIN) from None
    return part, state.st_ino, state.st_mtime_ns, state.st_size


def _said(name: str, kind: str, wanted: str) -> str:
    # An untrusted part may have a nested type with a very long name.
    return f"the column {name} is {kind if len(kind) <= 40 else kind[:40] + '...'}, not {wanted}"
