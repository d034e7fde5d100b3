"""Checks of SQL conditions on empty tables, before a long analysis begins."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from airmile.answers.verdict._summary import evaluate, summary, summary_schema
from airmile.cli import _output
from airmile.store import _sql

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.dataset import Dataset


def check(where: str | None, fail_if: Iterable[str]) -> None:
    """Raise an error for conditions that name an unknown column or are not valid SQL."""
    if where is not None:
        _check_where(where)
    for condition in fail_if:
        evaluate(condition, summary_schema().empty_table())


def hold(dataset: Dataset, conditions: Iterable[str]) -> bool:
    """Return whether a `--fail-if` condition holds for the verdict.

    Each condition that holds is reported with its values. A condition whose value is unknown
    (null) is reported too, but does not count as a failure.
    """
    given = list(conditions)
    table = summary(dataset.verdict) if given else None
    answers = [_said(condition, table) for condition in given]
    return any(answers)


def _said(condition: str, table: pa.Table) -> bool:
    answer = evaluate(condition, table)
    if answer is not False:
        outcome = "holds" if answer else "is unknown (null), which is no failure"
        values = values_of(condition, table)
        _output.note(f"--fail-if: {condition} {outcome}{': ' if values else ''}{values}")
    return bool(answer)


def values_of(condition: str, table: pa.Table) -> str:
    """Return the columns that a condition names, with their values in a table of one row.

    >>> import pyarrow as pa
    >>> table = pa.table({"flows": [3], "share_idle": [0.8125], "limited_by": [None]})
    >>> values_of("Share_idle > 0.3 OR limited_by = 'flows'", table)
    'share_idle = 0.8125, limited_by = null'
    """
    words = re.findall(r"\w+", _TEXT.sub("", condition).lower())
    named = [name for name in dict.fromkeys(words) if name in table.column_names]
    return ", ".join(f"{name} = {_literal(table[name][0].as_py())}" for name in named)


_TEXT = re.compile(r"'(?:[^']|'')*'")
"""Matches an SQL string literal, whose words are not column names."""


def _literal(value: object) -> str:
    """Return a value as SQL."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f"'{value}'" if isinstance(value, str) else f"{value:.6g}"


def _check_where(where: str) -> None:
    import pyarrow as pa

    columns = _schema()["tables"]["flows"]["columns"]
    types = [(c["name"], pa.type_for_alias(c["type"])) for c in columns]
    hint = 'it is a condition on flows, as "server_port = 443"; `airmile schema flows`'
    _sql.check_condition(where, pa.schema(types).empty_table(), hint)


def _schema() -> Any:
    from airmile import _engine

    return json.loads(_engine.schema())
