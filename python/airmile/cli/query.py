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

    Every table is a view, and so is `summary`, the row that `--fail-if` sees. The SQL dialect is
    DuckDB's. `airmile schema` lists the tables. A query reads only these tables; with --allow-files
    it may also name files (read_csv, COPY ... TO). Of several columns with one name, all but the
    first get a number, as uid and uid_1.

    Example: airmile query phone.airmile "SELECT cause, sum(end_ns - start_ns) / 1e9 AS s FROM
    slices GROUP BY cause ORDER BY s DESC"
    """
    import airmile
    from airmile.store import _names

    answer = airmile.open(dataset).sql(sql, allow_files=allow_files)
    if renamed := _names.renamed(answer):
        named = ", ".join(f"{own} is here {name}" for name, own in renamed.items())
        _output.note(f"columns of the same name: {named}")
    _answer.show(form, table=lambda: answer)
    if form == "text" and not answer.num_rows:
        _output.note("no row answers the query")
