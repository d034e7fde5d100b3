"""Connections to DuckDB that can read only the files which they are given.

Datasets and queries are untrusted. So a connection reads only the files given when it is opened,
loads no extension, sees no Python variable, and has locked settings. It reads and writes other
files only if the user allows that for a query of their own.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from airmile import _memory, _signals
from airmile._errors import InputError, UsageError
from airmile.store import _parts

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

LEAST_BYTES = 256_000_000
"""The least memory limit of queries: with less, DuckDB refuses usual ones."""

_CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,
}


def connect(
    files: Iterable[Path] = (),
    *,
    threads: int = 0,
    memory: str | None = None,
    any_file: bool = False,
) -> duckdb.DuckDBPyConnection:
    """Open DuckDB on some files; it uses the system's temporary folder if memory is short.

    DuckDB makes a new folder there when it needs one, and removes it.

    Parameters
    ----------
    files : iterable of Path
        The absolute paths of the only files that it may open, unless `any_file` is true.
    threads : int
        Number of threads of queries; 0 means one per core.
    memory : str, optional
        Memory limit of queries, as ``"256MB"``; by default half of what the machine has free.
    any_file : bool
        Whether DuckDB may read and write any file of the user; only for the user's own SQL.

    Raises
    ------
    InputError
        The name of a file looks like a pattern, or is not UTF-8.
    """
    import duckdb

    # Imported here because the import takes time, and most subcommands do not need it.
    from airmile.store import _scratch

    named = list(files)
    for file in named:
        _parts.check_name(file)
    config = {**_CLOSED, "temp_directory": str(_scratch.fresh())}
    if threads:
        config["threads"] = threads
    if memory or (memory := _share()):
        config["memory_limit"] = memory
    connection = duckdb.connect(config=config)
    # An instant is shown in the same zone on every machine.
    connection.execute("SET GLOBAL TimeZone = 'UTC'")
    if not any_file:
        _close(connection, named)
    connection.execute("SET lock_configuration = true")
    return connection


def _share() -> str | None:
    """Return the memory that queries may use by default; None leaves the choice to DuckDB."""
    share = _memory.default()
    return None if share is None else f"{max(share, LEAST_BYTES)}B"


def answer(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.DuckDBPyRelation:
    """Return the relation of one query that only reads.

    Raises
    ------
    UsageError
        The text is not exactly one query, or does more than read.
    duckdb.Error
        The query is wrong.
    """
    import duckdb

    found = connection.extract_statements(query)
    types = [statement.type for statement in found]
    if types != [duckdb.StatementType.SELECT]:
        copies = types == [duckdb.StatementType.COPY]
        raise UsageError(_ONE_THAT_READS, FILES_HINT if copies else _HINT)
    if "copy" in query.lower():
        _refuse_copy(connection, found[0].query)
    return connection.sql(query)


def answer_with_files(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.DuckDBPyRelation:
    """Return the relation of one query or COPY, for which the user allows files.

    Raises
    ------
    UsageError
        The text is not exactly one query or COPY.
    duckdb.Error
        The query is wrong.
    """
    import duckdb

    types = [statement.type for statement in connection.extract_statements(query)]
    if types not in ([duckdb.StatementType.SELECT], [duckdb.StatementType.COPY]):
        raise UsageError("SQL must be one query or one COPY", _HINT)
    return connection.sql(query)


def add_table(connection: duckdb.DuckDBPyConnection, table: str, rows: pa.Table) -> None:
    """Add a table to a database, for all of its connections, unless it is there already."""
    connection.register("_rows", rows)
    connection.execute(f"CREATE TABLE IF NOT EXISTS {name(table)} AS FROM _rows")
    connection.unregister("_rows")


_ONE_THAT_READS = "SQL must be one query that reads"
_HINT = (
    "begin with SELECT, FROM, WITH, DESCRIBE or SUMMARIZE; PIVOT ... ON names its values with IN"
)
FILES_HINT = "`airmile query --allow-files` lets SQL of your own read and write files"


def missing_view(error: duckdb.CatalogException, names: Collection[str]) -> str | None:
    """Return which of these views a query reads although there is none; None for any other."""
    missing = (rf'Table with name "?{re.escape(each)}"? does not exist' for each in names)
    found = (re.search(each, str(error), re.IGNORECASE) for each in missing)
    return next((each for each, there in zip(names, found, strict=True) if there), None)


def is_of_files(error: duckdb.Error) -> bool:
    """Return whether a query failed because it needs files other than the tables."""
    import duckdb

    return isinstance(error, duckdb.PermissionException)


def check_condition(condition: str, columns: pa.Table, hint: str) -> None:
    """Raise an error if a `--where` is not a condition on the columns of a table.

    Raises
    ------
    UsageError
        The text is not a condition; `hint` says what a condition is.
    """
    import duckdb

    try:
        with _signals.forced():
            # DuckDB before 2.0 closes a connection that only a relation of it uses.
            connection = connect()
            connection.from_arrow(columns).filter(condition)
    except duckdb.Error as error:
        raise UsageError(f"--where: {first_line(error)}", hint) from None


def parquet(files: Iterable[Path], options: str = "") -> str:
    """Return the SQL that reads exactly these Parquet files."""
    return f"read_parquet({paths(files)}, hive_partitioning = false{options})"


def paths(files: Iterable[Path]) -> str:
    """Return a list of files for SQL, escaped because DuckDB expands patterns in names."""
    return f"[{', '.join(literal(_exactly(path)) for path in files)}]"


def literal(text: str) -> str:
    """Quote a text for SQL.

    >>> literal("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def name(text: str) -> str:
    """Quote the name of a table or column for SQL.

    >>> name("user")
    '"user"'
    """
    return '"' + text.replace('"', '""') + '"'


def first_line(error: duckdb.Error) -> str:
    """Return the message of DuckDB without the position in the query."""
    return str(error).split("\n", 1)[0]


def in_one_line(error: Exception) -> str:
    r"""Return the whole message of DuckDB in one line, with the line number of the query.

    >>> in_one_line(ValueError('no column "x"\nCandidate bindings: "y"\n\nLINE 2: x\n        ^'))
    'no column "x" Candidate bindings: "y" (line 2)'
    """
    # Use the last occurrence, because a name in the message may contain any text.
    said, place, after = str(error).rpartition("\nLINE ")
    if not place:
        return " ".join(after.split())
    return f"{' '.join(said.split())} (line {after.partition(':')[0]})"


def is_damage(error: duckdb.Error) -> bool:
    """Return whether an error means damaged files instead of a wrong query."""
    import duckdb

    broken = (duckdb.IOException, duckdb.InternalException, duckdb.FatalException)
    # The Parquet reader raises errors without a class, as for a truncated page.
    if type(error) is duckdb.Error or isinstance(error, (*broken, duckdb.SerializationException)):
        return True
    of_query = (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException)
    of_values = (duckdb.ConversionException, duckdb.OutOfRangeException)
    known = (*of_query, *of_values, duckdb.PermissionException)
    # Quoted text may come from the query, the tables or the name of a file.
    said = re.sub(r"'[^']*'|\"[^\"]*\"", "", str(error)).casefold()
    words = ("parquet", "invalid string encoding", "snappy", "lz4", "zstd", "thrift", "corrupt")
    return not isinstance(error, known) and any(word in said for word in words)


def _close(connection: duckdb.DuckDBPyConnection, files: Iterable[Path]) -> None:
    """Restrict a connection to these files, for good."""
    # DuckDB checks a name both as written in SQL and after expansion.
    allowed = [each for path in files for each in (literal(str(path)), literal(_exactly(path)))]
    connection.execute(f"SET allowed_paths = [{', '.join(allowed)}]")
    connection.execute("SET enable_external_access = false")


def _exactly(path: Path) -> str:
    r"""Return the pattern that matches only this path.

    >>> _exactly(Path("/runs[1]/a.parquet"))
    '/runs[[]1]/a.parquet'
    """
    pattern = glob.escape(str(path))
    if pattern != str(path) and "\\" in pattern:
        raise InputError(
            f"{path}: DuckDB cannot read a name with a backslash and one of * ? [", "rename it"
        )
    return pattern


def _refuse_copy(connection: duckdb.DuckDBPyConnection, query: str) -> None:
    """Raise an error for WITH x AS (COPY ... TO ...), which DuckDB parses as a query.

    DuckDB has no setting that allows reading files but not writing them. In a subquery, it refuses
    COPY by itself.
    """
    import duckdb

    try:
        # The line break ends a comment with which the query may end.
        within = query.rstrip("; \n")
        connection.sql(f"FROM (\n{within}\n) LIMIT 0")
    except duckdb.BinderException as error:
        if "COPY" not in first_line(error):
            raise
        raise UsageError(_ONE_THAT_READS, FILES_HINT) from None
