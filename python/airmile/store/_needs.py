"""Tables and columns that a query needs, and that a dataset may lack.

A dataset of an older version may lack columns. A query that needs them reads a table through
`source`, which raises an error that names what is missing. `source` also adds `run` to each row, so
that a single dataset and a folder of runs look alike. Other queries read through `nullable`.
`contains`, `absent` and `has` test for tables, columns and rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from airmile._errors import UsageError
from airmile._words import quoted
from airmile.store import _columns, _runs, _sql
from airmile.store._remedies import SAMPLES
from airmile.store._tables import OF_SAMPLES

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store.tables import Tables


class Missing(UsageError):  # noqa: N818  # no error: the data are what they are
    """The data lack what an answer needs; the hint says how to get it."""


def source(dataset: Tables, table: str, *columns: str) -> str:
    """Return SQL that reads columns of a table, with the run of each row.

    Raises
    ------
    Missing
        The dataset lacks the table or one of the columns.
    """
    if lacking := dataset.missing(table, *columns):
        raise Missing(*lacking)
    run = "'' AS run" if absent(dataset, table, ("run",)) else "run"
    return f'(SELECT {run}, {existing(dataset, table, columns)} FROM "{table}")'


def need_flows(dataset: Tables) -> None:
    """Raise an error for a dataset without the table `flows`, such as an alignment.

    Raises
    ------
    UsageError
        There is no such table.
    """
    if contains(dataset, "flows"):
        return
    if dataset.manifest.get("runs") == []:
        hint = _runs.none_finished(dataset.path)
    elif dataset.manifest.get("modem"):
        hint = f"`airmile radio {quoted(dataset.path)}` says what the modem's log shows"
    else:
        hint = "`airmile analyze CAPTURE` writes flows"
    there = f"it has {', '.join(dataset.tables)}; " if dataset.tables else ""
    raise UsageError(f"{dataset.path} has no table 'flows'", there + hint)


def of_phones(dataset: Tables, *columns: str) -> str:
    """Return SQL that reads columns of `flows`; `ue` is the address by which the phone is known.

    So flows of one phone over IPv4 and over IPv6 have the same `ue` (methods A3).

    Raises
    ------
    Missing
        The dataset lacks the table or one of the columns.
    """
    rows = source(dataset, "flows", "subscriber", "ue", *columns)
    return f"(SELECT * EXCLUDE (subscriber) REPLACE (coalesce(subscriber, ue) AS ue) FROM {rows})"


def nullable(dataset: Tables, table: str, *columns: str) -> str:
    """Return SQL that reads columns of a table; columns that it lacks are null.

    A table that the dataset lacks has no rows.
    """
    if not dataset.columns(table):
        return f"({no_rows(table, columns)})"
    return f"(SELECT {existing(dataset, table, columns)} FROM {table})"


def existing(dataset: Tables, table: str, columns: Iterable[str]) -> str:
    """Return a list of columns for SELECT, with null for those that the table lacks."""
    lacking = set(absent(dataset, table, columns))
    return ", ".join(null(table, name) if name in lacking else _sql.name(name) for name in columns)


def absent(dataset: Tables, table: str, columns: Iterable[str]) -> list[str]:
    """Return the columns that a table lacks; without the table these are all of them."""
    there = dataset.columns(table)
    return [name for name in columns if name not in there]


def no_rows(table: str, columns: Iterable[str]) -> str:
    """Return SQL for a table that has these columns and no rows."""
    return f"SELECT {', '.join(null(table, name) for name in columns)} WHERE false"


def null(table: str, column: str) -> str:
    """Return SQL for a column of nulls with the declared type."""
    return f"NULL::{_columns.sql_type(table, column)} AS {_sql.name(column)}"


def contains(dataset: Tables, *tables: str) -> bool:
    """Return whether all of the tables are in the dataset, even if they have no rows."""
    return set(tables) <= set(dataset.tables)


def samples(dataset: Tables, otherwise: str) -> str:
    """Return how to get rows of samples: with --samples, or otherwise where that has been done."""
    done = dataset.manifest.get("samples") or any(has(dataset, name) for name in OF_SAMPLES)
    return otherwise if done else SAMPLES


def has(dataset: Tables, table: str) -> bool:
    """Return whether a table is in the dataset and has rows."""
    return dataset.rows(table) > 0


def some(rows: pa.Table, lacking: str, hint: str) -> pa.Table:
    """Return the rows; raise an error if there are none.

    Raises
    ------
    Missing
        There are no rows.
    """
    if rows.num_rows == 0:
        raise Missing(lacking, hint)
    return rows
