"""Checks of the statistics in the footers of Parquet parts.

A reader skips row groups whose least and largest values exclude a condition. So wrong statistics
lead to wrong answers, and the digest of a part does not reveal them.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airmile.store import _columns

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import parquet


def faults(part: Path) -> Iterator[str]:
    """Yield the contradictions between the footer of a part and its rows.

    The part is read one row group at a time. Undeclared columns are not checked.
    """
    import pyarrow as pa
    from pyarrow import parquet

    declared = _columns.declared(part.parent.name)
    try:
        with parquet.ParquetFile(part) as file:
            groups = [file.metadata.row_group(number) for number in range(file.num_row_groups)]
            if file.metadata.num_rows != sum(group.num_rows for group in groups):
                yield f"its footer counts {file.metadata.num_rows} rows, its groups another number"
            for number, group in enumerate(groups):
                yield from _of_group(group, file.read_row_group(number), declared)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        yield f"it cannot be read ({str(error).splitlines()[0] if str(error) else error!r})"


def _of_group(
    group: parquet.RowGroupMetaData, rows: pa.Table, declared: Container[str]
) -> Iterator[str]:
    if group.num_rows != rows.num_rows:
        yield f"its footer counts {group.num_rows} rows where there are {rows.num_rows}"
    columns = [group.column(place) for place in range(group.num_columns)]
    for column in (each for each in columns if each.path_in_schema in declared):
        name = column.path_in_schema
        if column.num_values != group.num_rows:
            yield f"{name}: its footer counts {column.num_values} values in {group.num_rows} rows"
        # A Parquet footer has the names of columns in two places, which may differ.
        if column.statistics is not None and rows.column_names.count(name) == 1:
            yield from (f"{name}: {fault}" for fault in _of_column(column.statistics, rows[name]))


def _of_column(stated: parquet.Statistics, values: pa.ChunkedArray) -> Iterator[str]:
    import pyarrow.compute as pc

    if stated.has_null_count and stated.null_count != values.null_count:
        yield f"its footer counts {stated.null_count} nulls where there are {values.null_count}"
    if not stated.has_min_max or values.null_count == len(values):
        return
    bounds: dict[str, Any] = pc.min_max(values).as_py()
    # Footers truncate long texts, which makes the bounds wider.
    if not stated.min <= bounds["min"] or not bounds["max"] <= stated.max:
        yield "its footer gives bounds that leave out some of its values"
