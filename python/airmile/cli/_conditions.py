"""SQL given on the command line is tried on empty tables first, before hours of reading."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from airmile import _sql
from airmile._summary import evaluate, summary, summary_schema
from airmile.cli import _output

if TYPE_CHECKING:
    from airmile.dataset import Dataset


def check(where: str | None, fail_if: str | None) -> None:
    """Refuse conditions that name no column or are no SQL."""
    if where is not None:
        _check_where(where)
    if fail_if is not None:
        evaluate(fail_if, summary_schema(_causes()).empty_table())


def holds(dataset: Dataset, condition: str) -> bool:
    """Evaluate `--fail-if` over the verdict; unknown is said, and is no failure."""
    answer = evaluate(condition, summary(dataset.verdict, _causes()))
    if answer is None:
        _output.warn(f"--fail-if: {condition!r} is unknown here (null), which is no failure")
    return bool(answer)


def _check_where(where: str) -> None:
    import pyarrow as pa

    columns = _schema()["tables"]["flows"]["columns"]
    types = [(c["name"], pa.type_for_alias(c["type"])) for c in columns]
    hint = 'it is a condition on flows, as "server_port = 443"; `airmile schema flows`'
    _sql.check_condition(where, pa.schema(types).empty_table(), hint)


def _causes() -> list[str]:
    return [cause["name"] for cause in _schema()["causes"]]


def _schema() -> Any:
    from airmile import _engine

    return json.loads(_engine.schema())
