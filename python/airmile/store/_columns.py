"""Whether the columns of a table have the types that airmile writes.

A part may come from anywhere. Its columns are looked at before a row of it is read, so that no
query and no code behind one meets a type that it was not written for. A column that is absent is
another matter, for older versions wrote fewer; one that nobody declared is left alone.
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
"""Name, type, and how many fields it holds."""

_State = tuple[Path, int, int, int]

_TYPES = {
    **{"uint64": "UBIGINT", "int64": "BIGINT", "uint16": "USMALLINT", "float64": "DOUBLE"},
    **{"utf8": "VARCHAR", "string": "VARCHAR", "bool": "BOOLEAN", "int32": "INTEGER"},
}
"""Types of columns as `airmile schema` and as DuckDB names them."""

_checked: set[_State] = set()
"""Parts that were found right in this process, as they were then."""


def check(connection: duckdb.DuckDBPyConnection, parts: Iterable[Path]) -> None:
    """Refuse parts with a column of another type than airmile writes, by their footers.

    Raises
    ------
    InputError
        Such a column is named.
    duckdb.Error
        One cannot be read.
    """
    states = {part: _state(part) for part in parts}
    new = [part for part, state in states.items() if state not in _checked]
    for part, found in types(connection, new).items():
        for fault in wrong(part.parent.name, found):
            raise InputError(f"{part}: {fault}", AGAIN)
    _checked.update(states.values())


def check_read(part: Path, schema: pa.Schema) -> None:
    """Refuse columns that pyarrow, which reads names and types elsewhere, takes for something else.

    Raises
    ------
    InputError
        Such a column is named.
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

    SQL knows names in any case, and of several the first.

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
    """Leave out the root, which comes first, and what a column holds, which follows it."""
    within = 0
    for name, kind, children in fields[1:]:
        if not within:
            yield name, kind
        within += children - 1 if within else children


def wrong(table: str, found: dict[str, str]) -> Iterator[str]:
    """Say which of the columns that are there have another type."""
    for name, kind in declared(table).items():
        if name in found and found[name] != _TYPES[kind]:
            yield _said(name, found[name], kind)


@cache
def declared(table: str) -> dict[str, str]:
    """Return the type of each column that airmile declares; none of a table that it does not."""
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
    # A nested type may be named at any length.
    return f"the column {name} is {kind if len(kind) <= 40 else kind[:40] + '...'}, not {wanted}"
