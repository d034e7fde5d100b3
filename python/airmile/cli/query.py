"""`airmile query`: SQL over the tables of a dataset."""

from __future__ import annotations

from pathlib import Path

import click

from airmile.cli import _answer, _output
from airmile.cli._options import option


@click.command()
@click.argument("dataset", type=Path)
@click.argument("sql")
@click.option(
    "--allow-files",
    is_flag=True,
    help="Let the SQL read and write files; only for SQL that you trust.",
)
@option("format", help="Format of the answer.")
def query(dataset: Path, sql: str, allow_files: bool, form: str) -> None:
    """Run an SQL query over the tables of a DATASET that `analyze` wrote.

    Every table is a view, and the SQL dialect is DuckDB's. `airmile schema` lists the tables. A
    query reads only these tables; with --allow-files it may also name files (read_csv, COPY ...
    TO).

    Example: airmile query phone.airmile "SELECT cause, sum(end_ns - start_ns) / 1e9 AS s FROM
    slices GROUP BY cause ORDER BY s DESC"
    """
    import airmile

    answer = airmile.open(dataset).sql(sql, allow_files=allow_files)
    _answer.show(form, table=lambda: answer)
    if form == "text" and not answer.num_rows:
        _output.note("no row answers the query")
