"""A DuckDB database that several threads may query at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


Connect = Callable[[], "duckdb.DuckDBPyConnection"]
Prepare = Callable[["duckdb.DuckDBPyConnection"], None]


class Database:
    """A database that is opened when it is first needed.

    A connection of DuckDB serves one thread at a time, so each query gets a connection of its own
    to the same database, which takes a few microseconds.

    Parameters
    ----------
    lock : threading.RLock
        Held while the database is opened.
    """

    def __init__(self, lock: threading.RLock) -> None:
        self._lock = lock
        self._opened: duckdb.DuckDBPyConnection | None = None

    def connection(self, connect: Connect, prepare: Prepare) -> duckdb.DuckDBPyConnection:
        """Return a new connection, for one thread; the first one opens the database.

        Neither function is kept: they belong to the owner of the database, which would then not be
        freed, with all of DuckDB's threads, until Python looks for cycles.

        Parameters
        ----------
        connect : callable
            Opens the database.
        prepare : callable
            Makes its views. Meanwhile, the thread that prepares it may already query it.
        """
        with self._lock:
            if self._opened is None:
                self._opened = connect()
                try:
                    prepare(self._opened)
                except BaseException:
                    # Otherwise the next query would find only some of the views.
                    self._opened = None
                    raise
            return self._opened.cursor()
