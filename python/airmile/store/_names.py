"""Unique names for the columns of a query, of which several may have the same name.

A join with ``*`` answers with the columns of both tables. Arrow keeps repeated names, but objects
of JSON, and dictionaries and data frames in Python, keep only one of the columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

NAME_IN_QUERY = b"name_in_query"
"""Key of the metadata of a column that has another name than the query gave it."""


def unique(names: Iterable[str]) -> list[str]:
    """Return names of which no two are equal: a repeated one gets the least free number.

    >>> unique(["uid", "uid", "bytes", "uid", "uid_1"])
    ['uid', 'uid_2', 'bytes', 'uid_3', 'uid_1']
    """
    given = list(names)
    taken, seen, numbers, made = set(given), set[str](), dict[str, int](), list[str]()
    for name in given:
        fresh = name
        while name in seen and fresh in taken:
            numbers[name] = numbers.get(name, 0) + 1
            fresh = f"{name}_{numbers[name]}"
        seen.add(name)
        taken.add(fresh)
        made.append(fresh)
    return made


def named(table: pa.Table, given: Iterable[str]) -> pa.Table:
    """Return a table whose columns have the given names, made unique; metadata keep the given."""
    import pyarrow as pa

    wanted = list(given)
    fields = [
        _field(field, name, own)
        for field, name, own in zip(table.schema, unique(wanted), wanted, strict=True)
    ]
    return pa.Table.from_arrays(table.columns, schema=pa.schema(fields, table.schema.metadata))


def _field(field: pa.Field, name: str, own: str) -> pa.Field:
    if name == own:
        return field.with_name(name)
    return field.with_name(name).with_metadata({**(field.metadata or {}), NAME_IN_QUERY: own})


def renamed(table: pa.Table) -> dict[str, str]:
    """Return the columns that got another name, each with the name that the query gave it."""
    return {
        field.name: field.metadata[NAME_IN_QUERY].decode()
        for field in table.schema
        if field.metadata and NAME_IN_QUERY in field.metadata
    }
