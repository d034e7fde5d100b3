"""A DuckDB database that several threads may query at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


class Database:
    """A database that is opened when it is first needed.

    A connection of DuckDB serves one thread at a time, so each query gets a connection of its own
    to the same database, which takes a few microseconds.

    Parameters
    ----------
    connect : callable
        Opens the database.
    prepare : callable
        Makes its views. Meanwhile, the thread that prepares it may already query it.
    lock : threading.RLock
        Held while the database is opened.
    """

    def __init__(
        self,
        connect: Callable[[], duckdb.DuckDBPyConnection],
        prepare: Callable[[duckdb.DuckDBPyConnection], None],
        lock: threading.RLock,
    ) -> None:
        self._connect = connect
        self._prepare = prepare
        self._lock = lock
        self._opened: duckdb.DuckDBPyConnection | None = None

    def connection(self) -> duckdb.DuckDBPyConnection:
        """Return a new connection, for one thread."""
        with self._lock:
            if self._opened is None:
                self._open()
            assert self._opened is not None
            return self._opened.cursor()

    def _open(self) -> None:
        self._opened = self._connect()
        try:
            self._prepare(self._opened)
        except BaseException:
            # Otherwise the next query would find only some of the views.
            self._opened = None
            raise
