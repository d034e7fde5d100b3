"""The tables of a dataset directory: a manifest and one folder of Parquet parts per table.

DuckDB and pyarrow (60 and 40 MB in memory) are imported when they are first needed. They are needed
neither while the engine runs nor for the verdict of a whole analysis, whose sums are in the
manifest.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from airmile import _arguments
from airmile._errors import InputError, UsageError
from airmile._words import quoted
from airmile.store import _derived_tables, _runs, _sql, _tables, _values
from airmile.store._contents import Contents
from airmile.store._queries import Queries
from airmile.store._remedies import CAPTURE, REMEDIES

if TYPE_CHECKING:
    from typing import Self

    import pyarrow as pa

T = TypeVar("T")


class Tables:
    """The tables of one analysis, or of several runs: what every answer is computed from.

    Every table is an attribute (`flows`, `transfers`, `slices`, ...) and gives a
    :class:`pyarrow.Table`, whose fields carry unit and description as metadata.

    Answers, studies, models and comparisons take `Tables` and return values. What
    :func:`airmile.open` and :func:`airmile.analyze` return is an :class:`airmile.Dataset`: these
    tables, and the answers about them. So a `Dataset` can be given wherever `Tables` are taken.

    Several threads may use one object at the same time. It can be pickled, and thus sent to
    another process, as its path and what was chosen of it; the other process opens it there, and
    raises an `InputError` if the dataset in that place has changed.

    Parameters
    ----------
    path : str or path
        The directory, as ``run7.airmile``.
    where : str, optional
        SQL condition on `flows`; every table is then restricted to the flows that meet it.
    threads : int
        Threads that each query uses; 0 means all cores.
    point : str, optional
        For runs of the testbed: the analysis of the capture at ``ue``, ``monitor`` or ``server``,
        with the truth and the modem's log of the run.
    runs : collection of str, optional
        For a folder of runs: the names of those that are read, as in the column `run`; None reads
        all of them.

    Attributes
    ----------
    path : Path
        The directory; for another capture point of one run, that of its analysis.
    manifest : dict
        What the engine wrote about the analysis: inputs, parameters, warnings, numbers of rows.
        Several runs have one common manifest.
    digests : dict of Path to (int, str)
        Size in bytes and digest (XXH3, 128 bits) of each part, as the manifest lists them; empty
        for a dataset of an older airmile.
    point : str or None
        The capture point that was chosen.
    where_condition : str or None
        The condition on `flows`.
    whole : Tables or None
        For the view of the small calls, the tables of which it is the view (see
        :attr:`of_small_calls`); otherwise None.

    Raises
    ------
    InputError
        The directory is no dataset, or a newer airmile wrote it, or it lacks one of `runs`; or
        `threads` is out of its range. Every table and query raises this error if another analysis
        has replaced the dataset since it was opened; then open it again.
    UsageError
        `where` is not a condition on the columns of `flows`, or `runs` is empty.

    Examples
    --------
    >>> from airmile.store import Tables
    >>> tables = Tables(example)
    >>> tables.flows["server_port"].to_pylist()
    [80]
    >>> tables.rows("flows"), tables.columns("flows")[0]
    (1, 'uid')
    >>> tables.sql("SELECT cause FROM slices ORDER BY bytes DESC LIMIT 1").to_pydict()
    {'cause': ['lte_downlink']}
    """

    computed_views: ClassVar[Mapping[str, Callable[[Any], pa.Table]]] = {}
    """Views that a query may read beside the tables, with the function that computes each.

    A function gets these tables when a query first reads its view.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        where: str | None = None,
        threads: int = 0,
        point: str | None = None,
        runs: Collection[str] | None = None,
    ) -> None:
        self._threads = _arguments.threads(threads)
        self._contents = Contents(Path(path), point, runs)
        self.path, self.manifest = self._contents.path, self._contents.manifest
        self.digests = self._contents.digests
        self.point, self.where_condition = point, where
        self.whole: Self | None = None
        self._computed: dict[Callable[..., Any], Any] = {}
        self._queries = Queries(self._contents, where, self._threads)
        if self.is_chosen:
            # An invalid condition raises its error here, not at the first query.
            _ = self._queries.bounded

    def __reduce__(self) -> tuple[Any, ...]:
        if self.whole is not None:
            return _small_calls_of, (self.whole,)
        kept = self._contents
        chosen = (self.where_condition, self._threads, self.point, kept.chosen)
        return _reopened, (type(self), kept.place, *chosen, kept.content())

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables that are there."""
        return tuple(self._contents.parts)

    @property
    def partly_failed(self) -> bool:
        """Whether a part of the input could not be read, or flows were ended to save memory.

        `manifest` says where and why.
        """
        short_of_memory = self.manifest.get("ended_for_memory", 0) > 0
        return short_of_memory or bool(self.manifest.get("status") == "partial")

    @property
    def is_chosen(self) -> bool:
        """Whether the flows are a selection, or come from several analyses."""
        return self.where_condition is not None or self._contents.runs is not None

    def table(self, name: str) -> pa.Table:
        """Return a table by name, with unit and description of each column as metadata.

        Raises
        ------
        UsageError
            There is no such table; the hint says why, and how to get it.
        """
        if name not in self.tables:
            raise UsageError(f"{self.path} has no table {name!r}", self._absent(name))
        self._check(name)
        if not self.is_chosen:
            return self._contents.read(name)
        with self.errors():
            # An answer needs its connection, which ends when nobody has it.
            connection = self._queries.unbounded
            answer = connection.sql(f"FROM {_sql.name(name)}").to_arrow_table()
        return self._contents.described(name, answer)

    def _check(self, query: str) -> None:
        self._contents.check_tables(query, self.where_condition)

    def sql(self, query: str, *, allow_files: bool = False) -> pa.Table:
        """Run one SQL query (DuckDB's dialect) over the tables; every table is a view.

        A query can only read the tables: it writes no file and changes no setting. A `Dataset` has
        one more view, `summary`, of one row: the verdict, counts and shares, as ``--fail-if`` sees
        them.

        Parameters
        ----------
        query : str
            The query, such as ``"SELECT server, dl_rtt_p50_ms FROM flows"``.
        allow_files : bool
            Whether the query may read and write any file that you may (``read_csv``,
            ``COPY ... TO``). Use it only for your own SQL, never for SQL of somebody else.

        Returns
        -------
        pyarrow.Table
            The answer to the query. Of several columns with one name, all but the first get a
            number, as `uid` and `uid_1`. Values that Arrow cannot carry exactly, such as intervals,
            are text (docs/guide/query.md).

        Raises
        ------
        UsageError
            The query is wrong (the message quotes DuckDB), or it is not exactly one reading query.
        OutputError
            The answer needs more memory, or more room in the temporary folder, than there is.
        """
        import duckdb

        self._check(query)
        read = _sql.answer_with_files if allow_files else _sql.answer
        with self.errors(of_user=True, allow_files=allow_files):
            connection = self._queries.with_files if allow_files else self._queries.unbounded
            try:
                answer = read(connection, query)
            except duckdb.CatalogException as error:
                name = _sql.missing_view(error, self.computed_views)
                if name is None:
                    raise
                self._queries.add(connection, name, self.computed_views[name](self))
                answer = read(connection, query)
            return _values.to_arrow(answer)

    def arrow(self, query: str, *, of_user: bool = False) -> pa.Table:
        """Run a query that airmile wrote; if it fails, the tables are at fault.

        Parameters
        ----------
        query : str
            The query.
        of_user : bool
            Whether it contains text of the user; the error then says what is wrong with that text.

        Raises
        ------
        InputError
            The tables are damaged, or not as airmile writes them.
        UsageError
            With `of_user`: the user's text is no valid SQL.
        """
        self._check(query)
        with self.errors(of_user=of_user):
            connection = self._queries.unbounded
            return _values.to_arrow(_sql.answer(connection, query))

    def records(self, query: str, *, of_user: bool = False) -> list[dict[str, Any]]:
        """Run a query as :meth:`arrow` does; return its rows as plain values.

        It is answered in the memory of a verdict if possible. NaN, which airmile never writes, is
        None.
        """
        self._check(query)
        with self.errors(of_user=of_user):
            return self._queries.records(query)

    def rows(self, name: str) -> int:
        """Return the number of rows of a table on disk; 0 if there is no such table."""
        if name not in self.tables:
            return 0
        counted = self.manifest.get("rows")
        known = counted.get(name) if isinstance(counted, dict) else None
        if self._contents.runs is None and isinstance(known, int):
            return known
        parts = self._contents.parts[name]
        query = f"SELECT sum(num_rows) FROM parquet_file_metadata({_sql.paths(parts)})"
        self._contents.check(parts)
        with self.errors():
            connection = self._queries.bounded
            found = connection.execute(query).fetchall()
        return int(found[0][0]) if found else 0

    def columns(self, name: str) -> tuple[str, ...]:
        """Return the names of the columns of a table; empty if there is no such table."""
        return self._queries.columns(name) if name in self.tables else ()

    def missing(self, table: str, *columns: str) -> tuple[str, str] | None:
        """Return what a query of a table would lack, and how to get it.

        Parameters
        ----------
        table : str
            The table.
        *columns : str
            The columns that the query reads.

        Returns
        -------
        tuple of (str, str) or None
            What is missing, and what to do; None if everything is there.

        Examples
        --------
        >>> from airmile.store import Tables
        >>> tables = Tables(example)
        >>> tables.missing("flows", "server", "server_port") is None
        True
        >>> tables.missing("truth_ttis", "tti")[1]
        'only runs of `airmile testbed` have the truth: airmile testbed run NAME'
        """
        there = self.columns(table)
        if not there:
            return f"{self.path}: no table {table!r}", REMEDIES.get(table, CAPTURE)
        if lacking := [name for name in columns if name not in there]:
            said = f"{self.path}: the table {table!r} has no column {', '.join(lacking)}"
            return said, "an older airmile wrote it: analyse the capture again"
        return None

    def files(self) -> list[Path]:
        """Return the paths of all parts of all tables."""
        return self._contents.files()

    def held(self) -> AbstractContextManager[None]:
        """Check before and after a block that no other analysis has replaced the dataset.

        Raises
        ------
        InputError
            Another analysis is in its place.
        """
        return self._contents.held()

    def errors(
        self, *, of_user: bool = False, allow_files: bool = False
    ) -> AbstractContextManager[None]:
        """Raise DuckDB's exceptions in a block as errors of airmile, even those of a lazy query.

        Parameters
        ----------
        of_user : bool
            Whether the query contains text of the user; otherwise the tables are at fault.
        allow_files : bool
            Whether the query may read other files, which may then be the damaged ones.

        Raises
        ------
        InputError
            The tables are damaged, or not as airmile writes them, or were replaced.
        OutputError
            The answer needs more memory, more open files, or more room than there is.
        UsageError
            With `of_user`: the query is wrong.
        """
        return self._queries.errors(of_user=of_user, allow_files=allow_files)

    def once(self, compute: Callable[[Self], T]) -> T:
        """Return what a function gives for these tables; it is called only once.

        Parameters
        ----------
        compute : callable
            A function of a module. What it gives is kept as long as the tables are.

        Examples
        --------
        >>> from airmile.store import Tables
        >>> def ports(tables):
        ...     print("computed")
        ...     return tables.flows["server_port"].to_pylist()
        >>> tables = Tables(example)
        >>> tables.once(ports), tables.once(ports)
        computed
        ([80], [80])
        """
        if compute not in self._computed:
            self._computed[compute] = compute(self)
        found: T = self._computed[compute]
        return found

    @property
    def of_small_calls(self) -> Self:
        """The same tables, of which the small calls are judged instead of what is larger (T1).

        It is made anew each time: tables that kept it would be in a circle, and not be freed.
        """
        view = object.__new__(type(self))
        vars(view).update({name: each for name, each in vars(self).items() if self._shares(name)})
        view.whole, view._computed = self, {}
        return view

    def _shares(self, name: str) -> bool:
        """Return whether a view of the tables has the same value; an answer is its own."""
        return not isinstance(getattr(type(self), name, None), cached_property)

    def where(self, condition: str) -> Self:
        """Return the same dataset restricted to the flows that meet an SQL condition.

        Raises
        ------
        InputError
            Another analysis has replaced the dataset since it was opened.
        UsageError
            It is not a condition on the columns of `flows`.
        """
        if self.where_condition is not None:
            # The line break ends a comment with which a condition may end.
            condition = f"({self.where_condition}\n) AND ({condition}\n)"
        return self._again(where=condition, point=self.point)

    def at(self, point: str) -> Self:
        """Return the same runs of the testbed, as seen from another of their captures.

        Parameters
        ----------
        point : str
            ``ue``, ``monitor`` or ``server``.

        Returns
        -------
        Tables or Dataset
            The tables of that capture, with the truth and the modem log, which are the same at
            every point. A flow has another `uid` there, but the same ports.

        Raises
        ------
        InputError
            Another analysis has replaced the dataset since it was opened.
        UsageError
            There is no such point, or a run has no analysis of its capture there.
        """
        return self._again(where=self.where_condition, point=point)

    def _again(self, *, where: str | None, point: str | None) -> Self:
        kept = self._contents
        with self.held():
            return type(self)(
                kept.place, where=where, threads=self._threads, point=point, runs=kept.chosen
            )

    def _absent(self, name: str) -> str:
        """Return why there is no table of this name, or how to get it."""
        if name in _tables.OF_SAMPLES:
            return "it is written when the capture is analysed with --samples"
        if self._contents.runs == []:
            return _runs.none_finished(self.path)
        if name in _derived_tables.TABLES:
            command = f"airmile table {quoted(self.path)} {name}"
            return f"it is computed from the other tables: {command}"
        return f"it has {', '.join(self.tables)}"

    def __getattr__(self, name: str) -> pa.Table:
        if name.startswith("_") or name not in self.tables:
            raise AttributeError(f"{type(self).__name__} has no table or attribute {name!r}")
        return self.table(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.tables]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r}: {', '.join(self.tables)})"


def _small_calls_of(tables: Tables) -> Tables:
    """Return what tables sent to another process were there: the view of its small calls."""
    return tables.of_small_calls


def _reopened(
    kind: type[Tables],
    path: Path,
    where: str | None,
    threads: int,
    point: str | None,
    runs: Collection[str] | None,
    content: str,
) -> Tables:
    """Open tables that were pickled, and check that they are still the same."""
    tables = kind(path, where=where, threads=threads, point=point, runs=runs)
    if tables._contents.content() != content:
        raise InputError(
            f"{path}: it has changed since it was sent to this process",
            f"open it again: airmile.open({str(path)!r})",
        )
    return tables
