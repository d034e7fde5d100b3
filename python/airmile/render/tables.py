"""A table in each format.

JSON, CSV, text and Markdown have no types for times, decimals, bytes and the like: they are the
text of ``CAST(value AS VARCHAR)`` in DuckDB. Lists, structs and maps are arrays and objects in
JSON, and JSON text in a cell of the other three. In JSON, infinite numbers and NaN are text, and so
are ids of 64 bits, because many readers store numbers as floats of 53 bits. In CSV, null is an
empty field and an empty text is ``""``; in a table of one column null is ``""`` as well, because
readers skip empty lines. CSV values are not escaped, even if they begin with `=`: a spreadsheet
takes such a value for a formula unless the column is imported as text. Text and Markdown, which are
for people, round numbers to six digits, write null as a dash and escape control characters.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO, Literal, get_args

import pyarrow as pa
from pyarrow import csv, ipc, parquet

from airmile._words import printable_lines
from airmile.render import _cells, grid, markdown
from airmile.render.json import written
from airmile.store import _names

Format = Literal["text", "json", "ndjson", "csv", "parquet", "arrow", "md"]
FORMATS: tuple[Format, ...] = get_args(Format)
BINARY: tuple[Format, ...] = ("parquet", "arrow")


def as_format(name: str) -> Format:
    """Return a format by name."""
    return FORMATS[FORMATS.index(name)]


def write(table: pa.Table, form: Format, out: IO[bytes], width: int | None = None) -> None:
    """Write a table to a binary stream; text is fitted to `width` columns if that is given.

    Of several columns with one name, all but the first get a number.
    """
    table = _names.named(table, table.column_names)
    if form == "csv":
        _csv(table, out)
    elif form == "parquet":
        parquet.write_table(table, out, compression="zstd")
    elif form == "arrow":
        with ipc.new_stream(out, table.schema) as stream:
            stream.write_table(table)
    elif form == "text":
        for piece in grid.lines(table, width):
            out.write(piece.encode() + b"\n")
    else:
        for piece in _TEXTS[form](table):
            out.write(piece.encode())


def _csv(table: pa.Table, out: IO[bytes]) -> None:
    """Write a table as CSV; control characters are escaped on a terminal only."""
    shown = _without_empty_lines(_cells.with_text(table))
    if not out.isatty():
        csv.write_csv(shown, out)
        return
    whole = io.BytesIO()
    csv.write_csv(shown, whole)
    out.write(printable_lines(whole.getvalue().decode()).encode())


def _without_empty_lines(table: pa.Table) -> pa.Table:
    """Return a table of one column with empty text for null; any other table is unchanged."""
    if table.num_columns != 1 or not table.column(0).null_count:
        return table
    column = table.column(0).cast(pa.string()).fill_null("")
    return pa.table([column], names=table.column_names)


def _json(table: pa.Table) -> Iterator[str]:
    yield "["
    for number, line in enumerate(_ndjson(table)):
        yield ("," if number else "") + "\n" + line.rstrip("\n")
    yield "\n]\n" if table.num_rows else "]\n"


def _ndjson(table: pa.Table) -> Iterator[str]:
    for row in _cells.rows(table):
        yield written(row, None) + "\n"


def _markdown(table: pa.Table) -> Iterator[str]:
    body = (list(row) for row in zip(*grid.columns(table), strict=True))
    yield markdown.table(table.column_names, body) + "\n"


_TEXTS = {"json": _json, "ndjson": _ndjson, "md": _markdown}
