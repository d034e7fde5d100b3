"""The verdict as the view `summary` of queries and of `--fail-if`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from airmile._errors import UsageError
from airmile.answers.verdict._certainty import joined
from airmile.answers.verdict._headline import totals
from airmile.store._needs import absent
from airmile.store._rows import rows

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from airmile.answers.verdict._judge import VerdictValues
    from airmile.store import Tables

NAME = "summary"
"""The name of the view."""

_OF_VERDICT = {
    "limited_by": "string",
    "certainty": "string",
    "small_calls_limited_by": "string",
    "link_is_bottleneck": "bool",
    "used_bps": "float64",
    "available_bps": "float64",
    "link_demand_ratio": "float64",
}
_COUNTED = {
    "flows": "int64",
    "tcp_flows": "int64",
    "ues": "int64",
    "duration_s": "float64",
    "packets": "int64",
    "ul_payload_bytes": "int64",
    "dl_payload_bytes": "int64",
    "retransmission_ratio": "float64",
    "timeouts_seen": "int64",
    "problems": "int64",
}


def summary(verdict: VerdictValues, causes: list[str] | None = None) -> pa.Table:
    """Return the one-row view `summary`.

    It has the fields of the verdict, the counts of :func:`totals`, and ``share_<cause>`` for each
    cause: 0 if the cause had no time, null if nothing was judged or if no transfer of this capture
    could show the cause. Without `causes` these are all causes.
    """
    causes = _all_causes() if causes is None else causes
    import pyarrow as pa

    inputs = verdict.dataset.manifest["inputs"]
    unknown = _unknown(verdict.dataset, causes)
    row = {
        **{name: getattr(verdict, name) for name in _OF_VERDICT},
        "second": joined(verdict.second),
        **totals(verdict.dataset),
        "problems": sum(len(source["problems"]) for source in inputs),
        **{
            f"share_{cause}": verdict.shares.get(cause, None if cause in unknown else 0.0)
            if verdict.shares
            else None
            for cause in causes
        },
    }
    return pa.Table.from_pylist([row], schema=summary_schema(causes))


def _unknown(dataset: Tables, causes: list[str]) -> set[str]:
    """Return the causes whose share is unknown (null) in every transfer."""
    known = [each for each in causes if not absent(dataset, "transfers", (f"share_{each}",))]
    if not known:
        return set()
    counts = ", ".join(f"count(share_{cause}) AS {cause}" for cause in known)
    row = rows(dataset, f"SELECT {counts} FROM transfers")[0]
    return {cause for cause in known if not row[cause]}


def summary_schema(causes: list[str] | None = None) -> pa.Schema:
    """Return the columns of `summary`; without `causes`, with the shares of all causes."""
    import pyarrow as pa

    named = _all_causes() if causes is None else causes
    columns = (
        _OF_VERDICT
        | {"second": "string"}
        | _COUNTED
        | {f"share_{cause}": "float64" for cause in named}
    )
    return pa.schema([(name, pa.type_for_alias(kind)) for name, kind in columns.items()])


def _all_causes() -> list[str]:
    from airmile import _engine

    return [cause["name"] for cause in json.loads(_engine.schema())["causes"]]


def evaluate(condition: str, table: pa.Table) -> bool | None:
    """Return whether an SQL condition holds for the row of `table`; None if it is unknown."""
    import duckdb

    from airmile import _signals
    from airmile.store import _sql

    connection = _sql.connect()
    connection.register(NAME, table)
    try:
        # The line break ends a comment with which a condition may end.
        query = f"SELECT CAST(({condition}\n) AS BOOLEAN) FROM {NAME}"
        with _signals.forced():
            answered = _sql.answer(connection, query).fetchall()
    except (duckdb.Error, UsageError) as error:
        message = error.message if isinstance(error, UsageError) else _plain(error)
        hint = f"the view {NAME} has the columns {', '.join(table.column_names)}"
        raise UsageError(f"--fail-if: {message}", hint) from None
    value: bool | None = answered[0][0] if answered else None
    return value


def _plain(error: duckdb.Error) -> str:
    """Return the message of DuckDB without the kind of the error, which says nothing to a user."""
    from airmile.store import _sql

    return re.sub(r"^[A-Z]\w+ Error: ", "", _sql.first_line(error))
