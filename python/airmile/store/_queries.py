"""Queries over the parts of a dataset: connections, views, and DuckDB's errors in plain words.

DuckDB (60 MB in memory) is imported when it is first needed.
"""

from __future__ import annotations

import errno
import math
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airmile import _signals
from airmile._errors import InputError, OutputError, UsageError
from airmile.store import _columns, _runs, _sql
from airmile.store._contents import Contents, unreadable
from airmile.store._database import Database

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

VERDICT_BYTES = 256_000_000
"""The most memory of DuckDB for a verdict; beyond it DuckDB uses the disk.

In a flood every flow may have its own phone, and counting distinct phones takes 70 bytes each.
"""

LEAST_VERDICT_BYTES = 64_000_000
"""The memory of DuckDB for a verdict on an analysis that was allowed little memory."""

_NO_SPACE = os.strerror(errno.ENOSPC)
_OWN_FILES = "files are named from the current folder; DuckDB needs none of its extensions for them"
_TOO_MANY = os.strerror(errno.EMFILE)
_MANY_PARTS = "the query needs more open files at once than this process may have"
_MORE_FILES = "raise the limit with ulimit -n"
_MORE_ROOM = "close other programs, or let TMPDIR name a folder with more room"


class Queries:
    """Connections to the tables, each of which is a view, restricted to the chosen flows.

    Parameters
    ----------
    contents : Contents
        The parts of the tables.
    condition : str, optional
        SQL condition on `flows`.
    threads : int
        Threads that each query uses; 0 means all cores.
    """

    def __init__(self, contents: Contents, condition: str | None, threads: int) -> None:
        self._contents, self._condition, self._threads = contents, condition, threads
        self._columns: dict[str, tuple[str, ...]] = {}
        self._lock = threading.RLock()
        self._of_verdict, self._of_queries = Database(self._lock), Database(self._lock)
        self._with_files = Database(self._lock)

    @property
    def bounded(self) -> duckdb.DuckDBPyConnection:
        """A connection that computes a verdict's sums if the manifest lacks them."""
        connect = partial(self._connect, memory=f"{self._verdict_bytes}B")
        return self._of_verdict.connection(connect, self._make_views)

    @property
    def _verdict_bytes(self) -> int:
        """The memory of a verdict: half of what the analysis was allowed, within limits."""
        allowed = self._contents.manifest.get("memory_bytes") or 2 * VERDICT_BYTES
        return min(VERDICT_BYTES, max(LEAST_VERDICT_BYTES, int(allowed) // 2))

    @property
    def unbounded(self) -> duckdb.DuckDBPyConnection:
        """A connection of other queries, without the memory limit of a verdict."""
        return self._of_queries.connection(self._connect, self._make_views)

    @property
    def with_files(self) -> duckdb.DuckDBPyConnection:
        """A connection of the user's own queries that may access files."""
        connect = partial(self._connect, any_file=True)
        return self._with_files.connection(connect, self._make_views)

    def _connect(
        self, memory: str | None = None, *, any_file: bool = False
    ) -> duckdb.DuckDBPyConnection:
        files = self._contents.files()
        return _sql.connect(files, threads=self._threads, memory=memory, any_file=any_file)

    def _make_views(self, connection: duckdb.DuckDBPyConnection) -> None:
        with self.errors():
            _columns.check(connection, self._contents.files())
            for name in self._contents.parts:
                view = f"CREATE VIEW {_sql.name(name)} AS FROM {self._contents.source(name)}"
                connection.execute(view + self._restriction(name))

    def _restriction(self, name: str) -> str:
        """Return the SQL that restricts a table to the chosen flows, by a key that it shares.

        The numbers of flows begin anew in each run. Rows that belong to no flow, such as the truth,
        are restricted to the runs of the flows.
        """
        if self._condition is None:
            return ""
        if name == "flows":
            self._check(self._condition)
            return f" WHERE ({self._condition}\n)"
        keys = [key for key in ("uid", "session_id") if key in self.columns(name)][:1]
        key = ", ".join([*([] if self._contents.runs is None else ["run"]), *keys])
        return f" WHERE ({key}) IN (SELECT {key} FROM flows)" if key else ""

    def _check(self, condition: str) -> None:
        # Read the columns as the view will have them, with the column `run` of a campaign.
        read = f"SELECT * FROM {self._contents.source('flows')} LIMIT 0"
        connection = self.bounded
        empty = connection.sql(read).to_arrow_table()
        _sql.check_condition(condition, empty, "`airmile schema flows` lists its columns")

    def columns(self, name: str) -> tuple[str, ...]:
        """Return the names of the columns of a table that is there."""
        if name not in self._columns:
            # Do not read the view: the columns are needed to find the key that restricts the view.
            read = f"SELECT * FROM {self._contents.source(name)} LIMIT 0"
            self._contents.check(self._contents.parts[name])
            with self.errors():
                connection = self.bounded
                self._columns[name] = tuple(connection.sql(read).columns)
        return self._columns[name]

    def records(self, query: str) -> list[dict[str, Any]]:
        """Return the rows of a query as plain values, if possible in the memory of a verdict."""
        import duckdb

        try:
            return _plain_rows(self.bounded, query)
        except duckdb.OutOfMemoryException:
            # Quantiles need memory, because DuckDB cannot move them to the temporary folder.
            return _plain_rows(self.unbounded, query)

    def add(self, connection: duckdb.DuckDBPyConnection, name: str, table: pa.Table) -> None:
        """Add a table to the database of a connection, once for all threads."""
        with self._lock:
            _sql.add_table(connection, name, table)

    @contextmanager
    def errors(self, *, of_user: bool = False, allow_files: bool = False) -> Iterator[None]:
        """Raise DuckDB's exceptions as errors of airmile, even those of a lazy query.

        The error blames the dataset, not the user, for a query that the user did not write.
        """
        import duckdb

        path = self._contents.path
        try:
            with self._contents.held(), _signals.forced():
                yield
        except duckdb.Error as error:
            if isinstance(error, duckdb.OutOfMemoryException) or _NO_SPACE in str(error):
                raise OutputError(f"{path}: {_sql.first_line(error)}", _MORE_ROOM) from None
            if _TOO_MANY in str(error):
                raise OutputError(f"{path}: {_MANY_PARTS}", _MORE_FILES) from None
            if _sql.is_damage(error):
                self._contents.check(self._contents.files())
                if allow_files:
                    raise UsageError(_sql.first_line(error), _OWN_FILES) from None
                raise unreadable(path, _sql.first_line(error)) from None
            if not of_user and (self._condition is None or self._answers_condition()):
                raise _unlike(path, _sql.first_line(error)) from None
            raise UsageError(*_advice(error, self._contents)) from None

    def _answers_condition(self) -> bool:
        """Return whether the condition alone is valid, so that the tables are at fault."""
        import duckdb

        try:
            connection = self.bounded
            connection.execute("SELECT count(*) FROM flows").fetchall()
        except duckdb.Error:
            return False
        return True


def _plain_rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    answer = _sql.answer(connection, query)
    return [dict(zip(answer.columns, map(_finite, row), strict=True)) for row in answer.fetchall()]


def _finite(value: Any) -> Any:
    """Return None for NaN, which airmile never writes but untrusted rows may contain."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _unlike(place: Path, error: str) -> InputError:
    return InputError(
        f"{place}: its tables are not as airmile writes them ({error})", _columns.AGAIN
    )


def _advice(error: duckdb.Error, contents: Contents) -> tuple[str, str]:
    import duckdb

    if _sql.is_of_files(error):
        return "a query reads the tables of the dataset and no other file", _sql.FILES_HINT
    if isinstance(error, duckdb.CatalogException) and "Table" in str(error):
        if contents.runs == []:
            return f"{contents.path} has no tables", _runs.none_finished(contents.path)
        return _sql.first_line(error), f"the tables here are {', '.join(contents.parts)}"
    if isinstance(error, duckdb.BinderException):
        return _sql.in_one_line(error), "`airmile schema TABLE` lists the columns of a table"
    parsed = isinstance(error, duckdb.ParserException)
    said = _sql.in_one_line(error) if parsed else _sql.first_line(error)
    return said, "the dialect is DuckDB's: https://duckdb.org/docs/sql/introduction"
