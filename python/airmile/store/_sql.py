"""The one place that opens DuckDB, which reads the files that it is given and does nothing else.

Datasets come from elsewhere, and queries are pasted. So a connection reaches no file but those
named when it is opened, loads no extension, sees no variable of Python, and keeps its settings.
Where the user allows files, for a query of their own, the first of these does not hold.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from airmile import _signals
from airmile._errors import InputError, UsageError
from airmile.store import _parts

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

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
    """Open DuckDB on some files; what it cannot hold goes to the system's temporary folder.

    DuckDB makes a folder of a fresh name there when it needs it, and removes it; by default it is
    in the current one.

    Parameters
    ----------
    files : iterable of Path
        The only ones that it may open, unless it may open any; absolute.
    threads : int
        Threads that queries use; 0 means all cores.
    memory : str, optional
        What queries may hold, as ``"256MB"``.
    any_file : bool
        Whether it may read and write whatever the user may: for SQL of the user's own alone.

    Raises
    ------
    InputError
        The name of a file looks like a pattern, or is not UTF-8.
    """
    import duckdb

    # It takes a while to import, and most verbs end before.
    from airmile.store import _scratch

    named = list(files)
    for file in named:
        _parts.check_name(file)
    config = {**_CLOSED, "temp_directory": str(_scratch.fresh())}
    if threads:
        config["threads"] = threads
    if memory:
        config["memory_limit"] = memory
    connection = duckdb.connect(config=config)
    if not any_file:
        _close(connection, named)
    connection.execute("SET lock_configuration = true")
    return connection


def answer(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.DuckDBPyRelation:
    """Begin to answer one query that only reads.

    Raises
    ------
    UsageError
        It is none, or more than one, or does something else.
    duckdb.Error
        It is wrong.
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
    """Begin to answer one query, or to copy to a file, where the user allows files.

    Raises
    ------
    UsageError
        It is none, or more than one, or does something else.
    duckdb.Error
        It is wrong.
    """
    import duckdb

    types = [statement.type for statement in connection.extract_statements(query)]
    if types not in ([duckdb.StatementType.SELECT], [duckdb.StatementType.COPY]):
        raise UsageError("SQL is answered when it is one query or one COPY", _HINT)
    return connection.sql(query)


_ONE_THAT_READS = "SQL is answered when it is one query that reads"
_HINT = (
    "begin with SELECT, FROM, WITH, DESCRIBE or SUMMARIZE; PIVOT ... ON names its values with IN"
)
FILES_HINT = "`airmile query --allow-files` lets SQL of your own read and write files"


def is_of_files(error: duckdb.Error) -> bool:
    """Return whether a query is wrong because it may touch no file but the tables."""
    import duckdb

    return isinstance(error, duckdb.PermissionException)


def check_condition(condition: str, columns: pa.Table, hint: str) -> None:
    """Refuse what `--where` gives when it is no condition on the columns of a table.

    Raises
    ------
    UsageError
        It is none; `hint` says what would be one.
    """
    import duckdb

    try:
        with _signals.forced():
            connect().from_arrow(columns).filter(condition)
    except duckdb.Error as error:
        raise UsageError(f"--where: {first_line(error)}", hint) from None


def parquet(files: Iterable[Path], options: str = "") -> str:
    """Give the SQL that reads Parquet files: these alone, and only the columns that are in them."""
    return f"read_parquet({paths(files)}, hive_partitioning = false{options})"


def paths(files: Iterable[Path]) -> str:
    """Give a list of files in SQL, each meant as it is: DuckDB expands patterns."""
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
    """Return what DuckDB says without the place in the query."""
    return str(error).split("\n", 1)[0]


def in_one_line(error: Exception) -> str:
    r"""Return all that DuckDB says, and of the place in the query its line.

    >>> in_one_line(ValueError('no column "x"\nCandidate bindings: "y"\n\nLINE 2: x\n        ^'))
    'no column "x" Candidate bindings: "y" (line 2)'
    """
    # The last one: a name in what it says may hold anything.
    said, place, after = str(error).rpartition("\nLINE ")
    if not place:
        return " ".join(after.split())
    return f"{' '.join(said.split())} (line {after.partition(':')[0]})"


def is_damage(error: duckdb.Error) -> bool:
    """Return whether the files are at fault, and not the query."""
    import duckdb

    broken = (duckdb.IOException, duckdb.InternalException, duckdb.FatalException)
    # What has no kind is of the reader: a page ends before its values do.
    if type(error) is duckdb.Error or isinstance(error, (*broken, duckdb.SerializationException)):
        return True
    of_query = (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException)
    of_values = (duckdb.ConversionException, duckdb.OutOfRangeException)
    known = (*of_query, *of_values, duckdb.PermissionException)
    # What is quoted comes from the query, the tables or the name of a file.
    said = re.sub(r"'[^']*'|\"[^\"]*\"", "", str(error)).casefold()
    words = ("parquet", "invalid string encoding", "snappy", "lz4", "zstd", "thrift", "corrupt")
    return not isinstance(error, known) and any(word in said for word in words)


def _close(connection: duckdb.DuckDBPyConnection, files: Iterable[Path]) -> None:
    """Let a connection reach these files and no others."""
    # The name is checked as it is written in SQL, and again as it is found.
    allowed = [each for path in files for each in (literal(str(path)), literal(_exactly(path)))]
    connection.execute(f"SET allowed_paths = [{', '.join(allowed)}]")
    connection.execute("SET enable_external_access = false")


def _exactly(path: Path) -> str:
    r"""Give the pattern that only this path fits.

    >>> _exactly(Path("/runs[1]/a.parquet"))
    '/runs[[]1]/a.parquet'
    """
    pattern = glob.escape(str(path))
    if pattern != str(path) and "\\" in pattern:
        raise InputError(
            f"{path}: DuckDB reads no name with a backslash and one of * ? [", "rename it"
        )
    return pattern


def _refuse_copy(connection: duckdb.DuckDBPyConnection, query: str) -> None:
    """Refuse WITH x AS (COPY ... TO ...), which counts as a query: below the top level it is none.

    DuckDB has no setting under which it reads files and writes none.
    """
    import duckdb

    try:
        # It may end in a comment.
        within = query.rstrip("; \n")
        connection.sql(f"FROM (\n{within}\n) LIMIT 0")
    except duckdb.BinderException as error:
        if "COPY" not in first_line(error):
            raise
        raise UsageError(_ONE_THAT_READS, FILES_HINT) from None
