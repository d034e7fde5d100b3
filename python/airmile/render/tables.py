"""A table in each format: for people, for files, and for the next program in a pipe.

Infinite values leave JSON as the text ``inf`` and unknown ones as null; CSV writes them as
``inf`` and as an empty field.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Literal, get_args

import pyarrow as pa
from pyarrow import csv, ipc, parquet

from airmile.render import markdown
from airmile.render.json import plain

Format = Literal["text", "json", "ndjson", "csv", "parquet", "arrow", "md"]
FORMATS: tuple[Format, ...] = get_args(Format)
BINARY: tuple[Format, ...] = ("parquet", "arrow")

TEXT_ROWS = 1000
"""Rows that the text form shows: more cannot be read."""


def as_format(name: str) -> Format:
    """Return a format by name."""
    return FORMATS[FORMATS.index(name)]


def write(table: pa.Table, form: Format, out: IO[bytes]) -> None:
    """Write a table to a binary stream."""
    if form == "csv":
        csv.write_csv(table, out)
    elif form == "parquet":
        parquet.write_table(table, out, compression="zstd")
    elif form == "arrow":
        with ipc.new_stream(out, table.schema) as stream:
            stream.write_table(table)
    else:
        for piece in _TEXTS[form](table):
            out.write(piece.encode())


def _text(table: pa.Table) -> Iterator[str]:
    """Columns side by side, numbers to the right; no line is wrapped or cut."""
    shown = [_line(row) for row in table.slice(0, TEXT_ROWS).to_pylist()]
    header = [*table.column_names]
    right = [pa.types.is_integer(f.type) or pa.types.is_floating(f.type) for f in table.schema]
    widths = [max(map(len, column)) for column in zip(header, *shown, strict=True)]
    for line in (header, ["-" * width for width in widths], *shown):
        cells = [
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(line, widths, right, strict=True)
        ]
        yield "  ".join(cells).rstrip() + "\n"
    if table.num_rows > TEXT_ROWS:
        yield f"... {table.num_rows - TEXT_ROWS} more rows: add LIMIT, or take --format csv\n"


def _line(row: dict[str, object]) -> list[str]:
    return [_shown(value) for value in row.values()]


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _json(table: pa.Table) -> Iterator[str]:
    yield "["
    for number, line in enumerate(_ndjson(table)):
        yield ("," if number else "") + "\n" + line.rstrip("\n")
    yield "\n]\n"


def _ndjson(table: pa.Table) -> Iterator[str]:
    for batch in table.to_batches(max_chunksize=10_000):
        for row in batch.to_pylist():
            yield json.dumps(plain(row), ensure_ascii=False, allow_nan=False, default=str) + "\n"


def _markdown(table: pa.Table) -> Iterator[str]:
    body = (_line(row) for row in table.to_pylist())
    yield markdown.table(table.column_names, body) + "\n"


_TEXTS = {"text": _text, "json": _json, "ndjson": _ndjson, "md": _markdown}
