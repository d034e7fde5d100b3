"""What a query needs of a dataset, and what to do where it is not there.

A query reads a table through `source`, so that a missing table or column is named before DuckDB
stumbles over it, and so that one dataset and a folder of runs look alike: each row has `run`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._errors import UsageError

if TYPE_CHECKING:
    from airmile.dataset import Dataset

MODEM = "analyse the capture together with the modem's log: airmile analyze CAPTURE --modem LOG"
TRUTH = "only runs of `airmile testbed` know the truth: airmile testbed run NAME"
CAPTURE = "it comes from a capture: airmile analyze CAPTURE"

_HOW = {
    **dict.fromkeys(("ttis", "bursts", "cells", "handovers", "buffer_status"), MODEM),
    **dict.fromkeys(("truth_ttis", "truth_tcp"), TRUTH),
    "rtt_samples": "analyse the capture with --samples",
}


class Missing(UsageError):  # noqa: N818  # no error: the data are what they are
    """The data cannot give what was asked; `hint` says how to get what it lacks."""


def source(dataset: Dataset, table: str, *columns: str) -> str:
    """Return SQL that reads columns of a table, and the run of each row.

    Raises
    ------
    Missing
        The dataset lacks the table or one of the columns.
    """
    there = dataset.columns(table)
    if not there:
        raise Missing(f"{dataset.path}: no table {table!r}", _HOW.get(table, CAPTURE))
    absent = [name for name in columns if name not in there]
    if absent:
        raise Missing(
            f"{dataset.path}: the table {table!r} has no column {', '.join(absent)}",
            "an older airmile wrote it: analyse the capture again",
        )
    run = "run" if "run" in there else "'' AS run"
    quoted = ", ".join(f'"{name}"' for name in columns)
    return f'(SELECT {run}, {quoted} FROM "{table}")'


def has(dataset: Dataset, table: str) -> bool:
    """Tell whether a table is here and holds rows."""
    return dataset.rows(table) > 0


def some(rows: pa.Table, lacking: str, hint: str) -> pa.Table:
    """Return the rows; refuse an empty answer, which would be an empty picture.

    Raises
    ------
    Missing
        There are none.
    """
    if rows.num_rows == 0:
        raise Missing(lacking, hint)
    return rows
