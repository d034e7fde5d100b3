"""Compares two folders of kept results: tables without regard to order, JSON by keys, text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

EXAMPLES = 3
"""The most lines or keys of one input that are printed."""

_SIDES = ("before", "after")


def differences(before: Path, after: Path) -> Iterator[str]:
    """Yield a line for each input, table, column or key that differs.

    Tables are compared in the columns that both have; columns and tables of one alone are named
    once for all inputs.
    """
    inputs = {side: {path.name for path in side.iterdir()} for side in (before, after)}
    for only in sorted(inputs[before] ^ inputs[after]):
        yield f"{only}: kept on one side alone"
    told: set[str] = set()
    for name in sorted(inputs[before] & inputs[after]):
        for line in _of_input(before / name, after / name):
            schema = line.startswith("only ")
            if not schema or line not in told:
                yield line if schema else f"{name}: {line}"
            told.add(line)


def _of_input(before: Path, after: Path) -> Iterator[str]:
    for ending in ("json", "text"):
        texts = [(side / f"said.{ending}").read_text() for side in (before, after)]
        if texts[0] != texts[1]:
            yield from _documents(*texts) if ending == "json" else _lines(*texts)
    folders = [side / "tables.airmile" for side in (before, after)]
    tables = [{path.name for path in each.glob("*") if path.is_dir()} for each in folders]
    for only in sorted(tables[0] ^ tables[1]):
        yield f"only {'before' if only in tables[0] else 'after'}: table {only}"
    for table in sorted(tables[0] & tables[1]):
        yield from _rows(table, folders[0] / table, folders[1] / table)


def _rows(table: str, before: Path, after: Path) -> Iterator[str]:
    """Compare the rows of a table, and each of its columns if they differ."""
    database = duckdb.connect()
    for side, folder in zip(_SIDES, (before, after), strict=True):
        database.sql(f"CREATE VIEW {side} AS FROM read_parquet('{folder}/*.parquet')")
    columns = {side: database.view(side).columns for side in _SIDES}
    for side, other in (_SIDES, _SIDES[::-1]):
        for column in columns[side]:
            if column not in columns[other]:
                yield f"only {side}: column {table}.{column}"
    both = [column for column in columns["before"] if column in columns["after"]]
    counts = [_count(database, *sides, both) for sides in (_SIDES, _SIDES[::-1])]
    if any(counts):
        changed = [each for each in both if _count(database, *_SIDES, [each])]
        named = ", ".join(changed) or "values in other rows"
        yield f"{table}: {counts[0]} rows before, {counts[1]} after; {named}"


def _count(database: duckdb.DuckDBPyConnection, one: str, other: str, columns: list[str]) -> int:
    """Count the rows of `one` that `other` does not have as often."""
    named = ", ".join(f'"{column}"' for column in columns)
    found = database.sql(
        f"SELECT count(*) FROM (SELECT {named} FROM {one} EXCEPT ALL SELECT {named} FROM {other})"
    )
    return int(found.fetchall()[0][0])


def _documents(before: str, after: str) -> Iterator[str]:
    """Compare what follows the line with the exit code, key by key."""
    codes, values = zip(*(each.split("\n", 1) for each in (before, after)), strict=True)
    if codes[0] != codes[1]:
        yield f"JSON: {codes[0]}, {codes[1]}"
    if not all(value.strip() for value in values):
        return
    found = list(_keys("", json.loads(values[0]), json.loads(values[1])))
    yield from (f"JSON: {line}" for line in found[:EXAMPLES])
    if len(found) > EXAMPLES:
        yield f"JSON: {len(found)} values in all"


def _keys(path: str, before: Any, after: Any) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            yield from _keys(f"{path}.{key}", before.get(key), after.get(key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, pair in enumerate(zip(before, after, strict=True)):
            yield from _keys(f"{path}[{index}]", *pair)
    elif before != after:
        yield f"{path}: {str(before)[:80]} -> {str(after)[:80]}"


def _lines(before: str, after: str) -> Iterator[str]:
    """Yield the first lines of a text that differ."""
    pairs = list(zip(before.splitlines(), after.splitlines(), strict=False))
    found = [pair for pair in pairs if pair[0] != pair[1]]
    for one, other in found[:EXAMPLES]:
        yield f"text: {one.strip()[:100]} -> {other.strip()[:100]}"
    if not found:
        yield "text: one is longer"
