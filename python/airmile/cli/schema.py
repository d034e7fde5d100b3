"""`airmile schema`: the columns of tables, the thresholds, and the causes."""

from __future__ import annotations

import json
from typing import Any

import click

from airmile import _citations
from airmile._errors import UsageError
from airmile.cli import _answer
from airmile.cli._options import option
from airmile.store import _settings

_FIRST = ("table", "columns", "name", "words", "type", "default", "range", "unit")
"""Keys of a row that come first, in the order of output; keys that name sources follow."""

_LAST = ("one row per", "doc")
"""Keys that come last: columns of sentences, which are not padded with blanks in a pipe."""

_SOURCES = ("cite", "source", "definition")
"""Keys that name where a row is defined, which the text form writes behind its sentences."""

_FLAGS = {"may_be_infinite": "May be infinite.", "may_be_negative": "May be negative."}
"""Keys that are true of few rows, of which the text form says so."""


def _topics(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    topics = [*described()["tables"], "parameters", "causes"]
    return [topic for topic in topics if topic.startswith(incomplete)]


@click.command()
@click.argument(
    "topic", required=False, metavar="[TABLE|parameters|causes]", shell_complete=_topics
)
@option("format", help="Format of the list.")
def schema(topic: str | None, form: str) -> None:
    """List the tables, or the columns of one table, the parameters, or the causes."""
    import pyarrow as pa

    from airmile.render.json import written

    document = described()
    if form == "json" and topic in (None, "parameters"):
        _answer.show(form, json=lambda: written(_rows(document, topic) if topic else document))
    else:
        rows = [_in_columns(row) for row in _rows(document, topic)]
        if form == "text":
            rows = [_in_sentences(row) for row in rows]
        _answer.show(form, table=lambda: pa.Table.from_pylist(rows))


def described() -> dict[str, Any]:
    """Describe every table, parameter and cause, with the address of its definition."""
    from airmile import _engine
    from airmile.store import _tables

    document: dict[str, Any] = json.loads(_engine.schema())
    tables = {
        name: {**table, "columns": [_defined(column, "cite") for column in table["columns"]]}
        for name, table in _tables.described().items()
    }
    parameters = [_defined(parameter, "source") for parameter in document["parameters"]]
    return {**document, "tables": tables, "parameters": parameters}


def _defined(row: dict[str, Any], key: str) -> dict[str, Any]:
    """Return a row extended by the address of the definition that `row[key]` cites."""
    return {**row, "definition": _citations.definition(row[key])}


def _rows(document: dict[str, Any], topic: str | None) -> list[dict[str, Any]]:
    if topic is None:
        found: list[dict[str, Any]] = [
            {"table": name, "columns": len(table["columns"]), "one row per": table["doc"]}
            for name, table in document["tables"].items()
        ]
    elif topic in ("parameters", "causes"):
        found = document[topic]
    elif topic in document["tables"]:
        found = document["tables"][topic]["columns"]
    else:
        known = ", ".join([*document["tables"], "parameters", "causes"])
        raise UsageError(f"no table {topic!r}", f"there are {known}")
    return [{key: _one_line(row[key]) for key in sorted(row, key=_place)} for row in found]


def _in_columns(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its default as text: defaults of parameters have several types."""
    if "default" not in row:
        return row
    return {**row, "default": _settings.written(row["default"]).removesuffix(".0")}


def _in_sentences(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose flags and sources are in its last column, which no column pads."""
    if "doc" not in row:
        return row
    flags = [words for key, words in _FLAGS.items() if row.get(key)]
    sources = [row[key] for key in _SOURCES if row.get(key)]
    named = [f"[{'; '.join(sources)}]"] if sources else []
    left_out = {*_FLAGS, *_SOURCES}
    kept = {key: value for key, value in row.items() if key not in left_out}
    return {**kept, "doc": " ".join([row["doc"], *flags, *named])}


def _place(key: str) -> int:
    """Return the sort position of a key: the name comes first and the description last."""
    if key in _LAST:
        return len(_FIRST) + 1
    return _FIRST.index(key) if key in _FIRST else len(_FIRST)


def _one_line(value: Any) -> Any:
    return " ".join(value.split()) if isinstance(value, str) else value
