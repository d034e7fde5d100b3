"""A table in each format.

In JSON an infinite value is the text ``inf`` and an unknown value is null; in CSV they are ``inf``
and an empty field. CSV values are not escaped, even if they begin with `=`: a spreadsheet takes
such a value for a formula unless the column is imported as text. Ids of 64 bits are text in JSON,
because many readers store numbers as floats of 53 bits.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO, Literal, get_args

import pyarrow as pa
from pyarrow import csv, ipc, parquet

from airmile._words import printable_lines
from airmile.render import grid, markdown
from airmile.render.json import written

Format = Literal["text", "json", "ndjson", "csv", "parquet", "arrow", "md"]
FORMATS: tuple[Format, ...] = get_args(Format)
BINARY: tuple[Format, ...] = ("parquet", "arrow")


def as_format(name: str) -> Format:
    """Return a format by name."""
    return FORMATS[FORMATS.index(name)]


def write(table: pa.Table, form: Format, out: IO[bytes], width: int | None = None) -> None:
    """Write a table to a binary stream; text is fitted to `width` columns if that is given."""
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
    if not out.isatty():
        csv.write_csv(table, out)
        return
    whole = io.BytesIO()
    csv.write_csv(table, whole)
    out.write(printable_lines(whole.getvalue().decode()).encode())


def _json(table: pa.Table) -> Iterator[str]:
    yield "["
    for number, line in enumerate(_ndjson(table)):
        yield ("," if number else "") + "\n" + line.rstrip("\n")
    yield "\n]\n" if table.num_rows else "]\n"


def _ndjson(table: pa.Table) -> Iterator[str]:
    for batch in _ids_as_text(table).to_batches(max_chunksize=10_000):
        for row in batch.to_pylist():
            yield written(row, None) + "\n"


def _ids_as_text(table: pa.Table) -> pa.Table:
    """Return the table with ids, the only unsigned columns of 64 bits, as text."""
    fields = [f.with_type(pa.string()) if f.type == pa.uint64() else f for f in table.schema]
    return table.cast(pa.schema(fields))


def _markdown(table: pa.Table) -> Iterator[str]:
    body = (grid.cells(row) for row in table.to_pylist())
    yield markdown.table(table.column_names, body) + "\n"


_TEXTS = {"json": _json, "ndjson": _ndjson, "md": _markdown}
