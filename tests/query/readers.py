"""Readers of each format that know nothing of airmile: a table comes back as values for JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from decimal import Decimal
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa
from pyarrow import ipc, parquet

Table = tuple[list[str], list[list[Any]]]
"""The names of the columns, and the rows."""


def read(form: str, content: bytes) -> Table:
    """Read what airmile wrote in a format."""
    return _READERS[form](content)


def written(form: str, value: Any) -> Any:
    """Return what a format has for a value, given what JSON has for it."""
    if form in ("json", "ndjson"):
        return value
    if form in ("arrow", "parquet"):
        return _loosely(value)
    if value is None:
        return "" if form == "csv" else "-"
    if isinstance(value, list | dict):
        return json.loads(json.dumps(value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if form == "csv" else _for_people(form, value)


def cell(form: str, value: Any, nested: bool) -> Any:
    """Return what was read so that it can be compared with `written`."""
    if form in ("arrow", "parquet"):
        return _loosely(value)
    if form == "csv" and re.fullmatch(r"-0|-?[0-9.]+e[+-][0-9]+", value):
        return str(float(value))
    if form in ("csv", "text", "md") and nested and value not in ("", "-"):
        return json.loads(value)
    return value


def _for_people(form: str, value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return shown.rstrip() if form == "text" else shown


def _loosely(value: Any) -> Any:
    """Return a value whose numbers are texts."""
    if isinstance(value, dict):
        return {key.replace(" ", ""): _loosely(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_loosely(inner) for inner in value]
    if value is None or isinstance(value, bool):
        return value
    text = format(value, "f") if isinstance(value, Decimal) else str(value)
    return text.rstrip("0") if re.fullmatch(r"-?\d+\.\d+", text) else text


def _json(content: bytes) -> Table:
    return _objects(_strictly(content.decode()))


def _ndjson(content: bytes) -> Table:
    return _objects([_strictly(line) for line in content.decode().splitlines()])


def _strictly(text: str) -> Any:
    def refuse(name: str) -> Any:
        raise AssertionError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len(dict(pairs)) == len(pairs), "a key is repeated"
    return dict(pairs)


def _objects(rows: list[dict[str, Any]]) -> Table:
    return list(rows[0]) if rows else [], [list(row.values()) for row in rows]


def _csv(content: bytes) -> Table:
    usual = csv.field_size_limit(1 << 22)
    try:
        head, *rows = csv.reader(io.StringIO(content.decode(), newline=""), strict=True)
    finally:
        csv.field_size_limit(usual)
    return head, rows


def _markdown(content: bytes) -> Table:
    head, rule, *rows = [_split(line) for line in content.decode().splitlines()]
    assert set(rule) <= {"---"}
    return head, [list(row) for row in rows]


def _split(line: str) -> list[str]:
    assert line.startswith("| ") and line.endswith(" |")
    cells = re.split(r"(?<!\\)(?:\\\\)* \| ", line[2:-2])
    return [_unescaped(cell) for cell in cells]


def _unescaped(cell: str) -> str:
    plain = re.sub(r"\\([|\[\\])", r"\1", cell)
    return plain.replace("&lt;", "<").replace("&amp;", "&")


def _text(content: bytes) -> Table:
    head, _, *rows = content.decode().split("\n")[:-1]
    cells = [f"{row.strip()}  ".split("  ", 1) for row in rows]
    return head.split(), [[cell.strip() for cell in row] for row in cells]


def _arrow(content: bytes) -> Table:
    return _stored(ipc.open_stream(content).read_all())


def _parquet(content: bytes) -> Table:
    return _stored(parquet.read_table(io.BytesIO(content)))


def _stored(table: pa.Table) -> Table:
    """Return the values that DuckDB finds in an Arrow table, which it writes as JSON itself."""
    table.validate(full=True)
    columns = [_column(column) for column in table.columns]
    return table.column_names, [list(row) for row in zip(*columns, strict=True)]


def _column(column: pa.ChunkedArray) -> list[Any]:
    if pa.types.is_decimal(column.type):
        return list(column.to_pylist())
    if pa.types.is_null(column.type):
        return [None] * len(column)
    shown = _database().from_arrow(pa.table({"v": column}))
    as_json = "CAST(to_json(v) AS VARCHAR)"
    if not pa.types.is_nested(column.type) and not pa.types.is_boolean(column.type):
        as_json = "v" if pa.types.is_floating(column.type) else "CAST(v AS VARCHAR)"
        return [row[0] for row in shown.project(as_json).fetchall()]
    return [each and json.loads(each, parse_constant=_CONSTANTS.get) for (each,) in
            shown.project(as_json).fetchall()]  # fmt: skip


@cache
def _database() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    return connection


_CONSTANTS = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}

_READERS = {
    "json": _json,
    "ndjson": _ndjson,
    "csv": _csv,
    "md": _markdown,
    "text": _text,
    "arrow": _arrow,
    "parquet": _parquet,
}
