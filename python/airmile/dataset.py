"""A dataset directory: a manifest and one folder of Parquet parts per table.

A dataset may consist of several others, such as the runs of a campaign. Its manifest then names
them, and every table begins with the column `run`.

The parts of a table are read in the order of their numbers, so that rows keep the order in which
the engine wrote them.

DuckDB and pyarrow (60 and 40 MB in memory) are imported when they are first needed. They are needed
neither while the engine runs nor for the verdict of a whole analysis, whose sums are in the
manifest.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from airmile import _arguments, _signals
from airmile._errors import InputError, OutputError, UsageError
from airmile._words import quoted
from airmile.store import (
    _columns,
    _derived_tables,
    _identity,
    _needs,
    _parts,
    _points,
    _runs,
    _sql,
    _values,
)
from airmile.store._database import Database

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from airmile.answers.radio.findings import Radio
    from airmile.answers.verdict._judge import Verdict

T = TypeVar("T")

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


class Dataset:
    """The tables of one analysis, and the verdict that follows from them.

    Every table is an attribute (`flows`, `transfers`, `slices`, ...) and gives a
    :class:`pyarrow.Table`, whose fields carry unit and description as metadata.

    Several threads may use one dataset at the same time. It can be pickled, and thus sent to
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

    Raises
    ------
    InputError
        The directory is no dataset, or a newer airmile wrote it, or it lacks one of `runs`; or
        `threads` is out of its range. Every table, query and verdict raises this error if another
        analysis has replaced the dataset since it was opened; then open it again.
    UsageError
        `where` is not a condition on the columns of `flows`, or `runs` is empty.

    Examples
    --------
    >>> import airmile
    >>> dataset = airmile.open(example)
    >>> dataset.flows["server_port"].to_pylist()
    [80]
    >>> dataset.sql("SELECT cause FROM slices ORDER BY bytes DESC LIMIT 1").to_pydict()
    {'cause': ['lte_downlink']}
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
        self.path = self._given = Path(path)
        # The current folder may change before another process opens the dataset.
        self._place = self.path.absolute()
        self.point = point
        self._chosen_runs = runs
        self.where_condition = where
        self._identity = _identity.settled(self._read_manifests)
        self._runs: list[str] | None = self.manifest.get("runs")
        self.whole: Dataset | None = None
        self._columns: dict[str, tuple[str, ...]] = {}
        self._computed: dict[Callable[[Dataset], Any], Any] = {}
        self._lock = threading.RLock()
        self._of_verdict, self._of_queries = Database(self._lock), Database(self._lock)
        self._with_files = Database(self._lock)
        _sql.paths(self.files())
        if self.is_chosen:
            # An invalid condition raises its error here, not at the first query.
            _ = self._bounded

    def __reduce__(self) -> tuple[Any, ...]:
        if self.whole is not None:
            return _small_calls_of, (self.whole,)
        chosen = (self.where_condition, self._threads, self.point, self._chosen_runs)
        return _reopened, (self._place, *chosen, self._content())

    def _content(self) -> str:
        """Return a digest of the manifest and of those of its parts."""
        parts = sorted((path.name, *digest) for path, digest in self.digests.items())
        known = json.dumps([self.manifest, parts], sort_keys=True, default=str)
        return hashlib.sha256(known.encode(errors="surrogatepass")).hexdigest()

    def _read_manifests(self, identity: _identity.Identity) -> None:
        self.manifest, datasets = _together(self._given, self._chosen_runs, identity)
        self.digests = _parts.expected(datasets)
        shared: _parts.Parts = {}
        if self.point is not None:
            self.path, self.manifest, datasets, shared = _points.seen_from(
                self.point, self._given, datasets, identity
            )
            self.digests |= _parts.expected(datasets)
        self._parts = {**_parts.find(datasets), **shared}

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables in the dataset."""
        return tuple(self._parts)

    @property
    def partly_failed(self) -> bool:
        """Whether a part of the input could not be read, or flows were ended to save memory.

        `manifest` says where and why.
        """
        short_of_memory = self.manifest.get("ended_for_memory", 0) > 0
        return short_of_memory or bool(self.manifest.get("status") == "partial")

    @cached_property
    def verdict(self) -> Verdict:
        """What limited the capture, its flows and its transfers."""
        from airmile.answers.verdict._judge import judge
        from airmile.store._needs import need_flows

        need_flows(self)
        with self.held():
            return judge(self)

    @property
    def is_chosen(self) -> bool:
        """Whether the flows are a selection, or come from several analyses."""
        return self.where_condition is not None or self._runs is not None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Check before and after a block that no other analysis has replaced the dataset.

        Raises
        ------
        InputError
            Another analysis is in its place.
        """
        with self._identity.held():
            yield

    def once(self, compute: Callable[[Dataset], T]) -> T:
        """Return what a function of a module gives for this dataset; it is called only once."""
        if compute not in self._computed:
            self._computed[compute] = compute(self)
        found: T = self._computed[compute]
        return found

    @property
    def of_small_calls(self) -> Dataset:
        """The same dataset, whose sums and verdict are those of its small calls (methods T1).

        It is made anew each time: a dataset that kept it would be in a circle, and not be freed.
        """
        view = object.__new__(type(self))
        own = ("verdict", "radio")
        vars(view).update({name: each for name, each in vars(self).items() if name not in own})
        view.whole, view._computed = self, {}
        return view

    @cached_property
    def radio(self) -> Radio:
        """What the modem logs show: whether the downlink was the bottleneck.

        Raises
        ------
        UsageError
            The dataset was written without a modem log.
        """
        from airmile.answers.radio.findings import find

        if not self.manifest.get("modem"):
            raise UsageError(
                f"{self.path} holds no modem log",
                "`airmile radio LOG --capture FILE` reads one beside a capture",
            )
        with self.held():
            return find(self)

    def table(self, name: str) -> pa.Table:
        """Return a table by name, with unit and description of each column as metadata."""
        if name not in self._parts:
            raise UsageError(f"{self.path} has no table {name!r}", self._absent(name))
        import pyarrow as pa
        from pyarrow import parquet

        self._check_tables(name)
        if self.where_condition is None and self._runs is None:
            return self._read(name)
        with self.errors():
            # An answer needs its connection, which ends when nobody has it.
            connection = self._connection
            answer = connection.sql(f"FROM {_sql.name(name)}").to_arrow_table()
        with self._unreadable(name):
            schema = parquet.read_schema(self._parts[name][0])
            if self._runs is not None:
                schema = schema.insert(0, pa.field("run", pa.string(), metadata=_runs.FIELD))
            return answer.cast(schema)

    def _read(self, name: str) -> pa.Table:
        """Return a whole table."""
        import pyarrow as pa
        from pyarrow import parquet

        with self._unreadable(name):
            for part in self._parts[name]:
                _columns.check_read(part, parquet.read_schema(part))
            parts = [parquet.read_table(part, partitioning=None) for part in self._parts[name]]
            return pa.concat_tables(parts)

    @contextmanager
    def _unreadable(self, name: str) -> Iterator[None]:
        """Raise pyarrow's exceptions as errors of airmile."""
        import pyarrow as pa

        with self.held():
            try:
                yield
            except (pa.ArrowException, OSError, ValueError) as error:
                said = (str(error).splitlines() or [repr(error)])[0]
                raise _unreadable(self.path / name, said) from None

    def _check_tables(self, query: str) -> None:
        """Check the parts of the tables that a query names, including those of a condition.

        If a query computes the name of a table (`query_table`), all tables are checked.
        """
        said = f"{query} {self.where_condition or ''}".casefold()
        chosen = self.where_condition is not None
        for name, parts in self._parts.items():
            if name in said or "query" in said or (chosen and name == "flows"):
                self._check_parts(parts)

    def _check_parts(self, parts: list[Path]) -> None:
        with self.held():
            _parts.check(parts, self.digests)

    def sql(self, query: str, *, allow_files: bool = False) -> pa.Table:
        """Run one SQL query (DuckDB's dialect) over the tables; every table is a view.

        So is `summary`, which has one row: the verdict, counts and shares, as ``--fail-if`` sees
        them. A query can only read the tables: it writes no file and changes no setting.

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

        from airmile.answers.verdict import _summary

        self._check_tables(query)
        read = _sql.answer_with_files if allow_files else _sql.answer
        with self.errors(of_user=True, allow_files=allow_files):
            connection = self._connection_to_files if allow_files else self._connection
            try:
                answer = read(connection, query)
            except duckdb.CatalogException as error:
                if not _summary.is_missing(error):
                    raise
                self._make_summary(connection)
                answer = read(connection, query)
            return _values.to_arrow(answer)

    def _make_summary(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Make the view `summary`, which most queries do not need and takes a verdict."""
        from airmile.answers.verdict import _summary

        row = _summary.summary(self.verdict)
        with self._lock:
            _sql.add_table(connection, _summary.NAME, row)

    def arrow(self, query: str, *, of_user: bool = False) -> pa.Table:
        """Run a query that airmile wrote; if it fails, the tables are at fault.

        With `of_user` it contains text of the user, and the error says what is wrong with that
        text.
        """
        self._check_tables(query)
        with self.errors(of_user=of_user):
            connection = self._connection
            return _values.to_arrow(_sql.answer(connection, query))

    def records(self, query: str, *, of_user: bool = False) -> list[dict[str, Any]]:
        """Return the rows of a query as plain values, if possible in the memory of a verdict."""
        import duckdb

        self._check_tables(query)
        with self.errors(of_user=of_user):
            try:
                return _plain_rows(self._bounded, query)
            except duckdb.OutOfMemoryException:
                # Quantiles need memory, because DuckDB cannot move them to the temporary folder.
                return _plain_rows(self._connection, query)

    @property
    def _bounded(self) -> duckdb.DuckDBPyConnection:
        """A connection that computes a verdict's sums if the manifest lacks them."""
        connect = partial(self._connect, memory=f"{self._verdict_bytes}B")
        return self._of_verdict.connection(connect, self._make_views)

    @property
    def _verdict_bytes(self) -> int:
        """The memory of a verdict: half of what the analysis was allowed, within limits."""
        allowed = self.manifest.get("memory_bytes") or 2 * VERDICT_BYTES
        return min(VERDICT_BYTES, max(LEAST_VERDICT_BYTES, int(allowed) // 2))

    @property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        """A connection of other queries, without the memory limit of a verdict."""
        return self._of_queries.connection(self._connect, self._make_views)

    @property
    def _connection_to_files(self) -> duckdb.DuckDBPyConnection:
        """A connection of the user's own queries that may access files."""
        connect = partial(self._connect, any_file=True)
        return self._with_files.connection(connect, self._make_views)

    def _connect(
        self, memory: str | None = None, *, any_file: bool = False
    ) -> duckdb.DuckDBPyConnection:
        return _sql.connect(self.files(), threads=self._threads, memory=memory, any_file=any_file)

    def files(self) -> list[Path]:
        """Return the paths of all parts of all tables."""
        return [part for parts in self._parts.values() for part in parts]

    def _make_views(self, connection: duckdb.DuckDBPyConnection) -> None:
        with self.errors():
            _columns.check(connection, self.files())
            for name in self._parts:
                view = f"CREATE VIEW {_sql.name(name)} AS FROM {self._source(name)}"
                connection.execute(view + self._restriction(name))

    @contextmanager
    def errors(self, *, of_user: bool = False, allow_files: bool = False) -> Iterator[None]:
        """Raise DuckDB's exceptions as errors of airmile, even those of a lazy query.

        The error blames the dataset, not the user, for a query that the user did not write.
        """
        import duckdb

        try:
            with self.held(), _signals.forced():
                yield
        except duckdb.Error as error:
            if isinstance(error, duckdb.OutOfMemoryException) or _NO_SPACE in str(error):
                raise OutputError(f"{self.path}: {_sql.first_line(error)}", _MORE_ROOM) from None
            if _TOO_MANY in str(error):
                raise OutputError(f"{self.path}: {_MANY_PARTS}", _MORE_FILES) from None
            if _sql.is_damage(error):
                self._check_parts(self.files())
                if allow_files:
                    raise UsageError(_sql.first_line(error), _OWN_FILES) from None
                raise _unreadable(self.path, _sql.first_line(error)) from None
            if not of_user and (self.where_condition is None or self._answers_condition()):
                raise _unlike(self.path, _sql.first_line(error)) from None
            raise UsageError(*_sql_advice(error, self)) from None

    def _answers_condition(self) -> bool:
        """Return whether the condition alone is valid, so that the tables are at fault."""
        import duckdb

        try:
            connection = self._bounded
            connection.execute("SELECT count(*) FROM flows").fetchall()
        except duckdb.Error:
            return False
        return True

    def packets(self, uid: int) -> pa.Table:
        """Return the packets of one TCP flow with their facts, read from the captures again.

        Parameters
        ----------
        uid : int
            The number of the flow in the table `flows`.

        Returns
        -------
        pyarrow.Table
            One row per packet: time, direction, offsets, class, ACK, window, SACK blocks, bytes in
            flight, round trips. The metadata of a column describe it.

        Raises
        ------
        UsageError
            There is no such TCP flow.
        InputError
            The captures no longer exist, or have changed since the analysis.

        Examples
        --------
        >>> import airmile
        >>> dataset = airmile.open(example)
        >>> packets = dataset.packets(dataset.flows["uid"][0].as_py())
        >>> packets.num_rows, packets["flags"][0].as_py()
        (15472, 'S')
        """
        from airmile.answers._packets import read

        return read(self, uid)

    def packets_of(self, uids: Iterable[int]) -> Iterator[tuple[int, pa.Table]]:
        """Yield several TCP flows with their packets; one pass over the captures serves many flows.

        Parameters
        ----------
        uids : iterable of int
            The numbers of the flows in the table `flows`.

        Yields
        ------
        int
            The number of a flow, in the order given, each once.
        pyarrow.Table
            Its packets, as :meth:`packets` returns them.

        Raises
        ------
        UsageError
            One of the numbers is not that of a TCP flow in this dataset.
        InputError
            The captures no longer exist, or have changed since the analysis.

        Notes
        -----
        One pass over the captures keeps up to 524,288 packets of several flows in memory; more
        packets take more passes.

        Examples
        --------
        >>> import airmile
        >>> dataset = airmile.open(example)
        >>> uids = dataset.flows["uid"].to_pylist()
        >>> [packets.num_rows for _, packets in dataset.packets_of(uids)]
        [15472]
        """
        from airmile.answers._packets import read_each

        return read_each(self, uids)

    def where(self, condition: str) -> Dataset:
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

    def at(self, point: str) -> Dataset:
        """Return the same runs of the testbed, as seen from another of their captures.

        Parameters
        ----------
        point : str
            ``ue``, ``monitor`` or ``server``.

        Returns
        -------
        Dataset
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

    def _again(self, *, where: str | None, point: str | None) -> Dataset:
        with self.held():
            return Dataset(
                self._place, where=where, threads=self._threads, point=point, runs=self._chosen_runs
            )

    def rows(self, name: str) -> int:
        """Return the number of rows of a table on disk; 0 if there is no such table."""
        if name not in self._parts:
            return 0
        counted = self.manifest.get("rows")
        if self._runs is None and isinstance(counted, dict) and isinstance(counted.get(name), int):
            return int(counted[name])
        query = f"SELECT sum(num_rows) FROM parquet_file_metadata({_sql.paths(self._parts[name])})"
        self._check_parts(self._parts[name])
        with self.errors():
            connection = self._bounded
            found = connection.execute(query).fetchall()
        return int(found[0][0]) if found else 0

    def columns(self, name: str) -> tuple[str, ...]:
        """Return the names of the columns of a table; empty if there is no such table."""
        if name not in self._parts:
            return ()
        if name not in self._columns:
            # Do not read the view: the columns are needed to find the key that restricts the view.
            read = f"SELECT * FROM {self._source(name)} LIMIT 0"
            self._check_parts(self._parts[name])
            with self.errors():
                connection = self._bounded
                self._columns[name] = tuple(connection.sql(read).columns)
        return self._columns[name]

    def __getattr__(self, name: str) -> pa.Table:
        if name.startswith("_") or name not in self._parts:
            raise AttributeError(f"{type(self).__name__} has no table or attribute {name!r}")
        return self.table(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._parts]

    def __repr__(self) -> str:
        return f"Dataset({str(self.path)!r}: {', '.join(self._parts)})"

    def _source(self, name: str) -> str:
        """Return the SQL that reads the rows of a table."""
        read = _sql.parquet if self._runs is None else _runs.source
        return read(self._parts[name])

    def _restriction(self, name: str) -> str:
        """Return the SQL that restricts a table to the chosen flows, by a key that it shares.

        The numbers of flows begin anew in each run. Rows that belong to no flow, such as the truth,
        are restricted to the runs of the flows.
        """
        condition = self.where_condition
        if condition is None:
            return ""
        if name == "flows":
            self._check(condition)
            return f" WHERE ({condition}\n)"
        keys = [key for key in ("uid", "session_id") if key in self.columns(name)][:1]
        key = ", ".join([*([] if self._runs is None else ["run"]), *keys])
        return f" WHERE ({key}) IN (SELECT {key} FROM flows)" if key else ""

    def _check(self, condition: str) -> None:
        # Read the columns as the view will have them, with the column `run` of a campaign.
        read = f"SELECT * FROM {self._source('flows')} LIMIT 0"
        connection = self._bounded
        empty = connection.sql(read).to_arrow_table()
        _sql.check_condition(condition, empty, _columns_hint("flows"))

    def _absent(self, name: str) -> str:
        if name in _needs.OF_SAMPLES:
            return "it is written when the capture is analysed with --samples"
        if self._runs == []:
            return _runs.none_finished(self.path)
        if name in _derived_tables.TABLES:
            command = f"airmile table {quoted(self.path)} {name}"
            return f"it is computed from the other tables: {command}"
        return f"it has {', '.join(self._parts)}"


def _small_calls_of(dataset: Dataset) -> Dataset:
    """Return what a dataset sent to another process was there: the view of its small calls."""
    return dataset.of_small_calls


def _reopened(
    path: Path,
    where: str | None,
    threads: int,
    point: str | None,
    runs: Collection[str] | None,
    content: str,
) -> Dataset:
    """Open a dataset that was pickled, and check that it is still the same."""
    dataset = Dataset(path, where=where, threads=threads, point=point, runs=runs)
    if dataset._content() != content:
        raise InputError(
            f"{path}: it has changed since it was sent to this process",
            f"open it again: airmile.open({str(path)!r})",
        )
    return dataset


def open(path: str | os.PathLike[str]) -> Dataset:
    """Open a dataset that was written before.

    Parameters
    ----------
    path : str or path
        The directory, as ``run7.airmile``.

    Returns
    -------
    Dataset
        Its tables and its verdict.

    Examples
    --------
    >>> import airmile
    >>> "flows" in airmile.open(example).tables
    True
    """
    return Dataset(path)


def _plain_rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    answer = _sql.answer(connection, query)
    return [dict(zip(answer.columns, map(_finite, row), strict=True)) for row in answer.fetchall()]


def _finite(value: Any) -> Any:
    """Return None for NaN, which airmile never writes but untrusted rows may contain."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _unreadable(place: Path, error: object) -> InputError:
    return InputError(f"{place}: its Parquet cannot be read ({error})", _parts.AGAIN)


def _unlike(place: Path, error: str) -> InputError:
    return InputError(
        f"{place}: its tables are not as airmile writes them ({error})", _columns.AGAIN
    )


def _together(
    path: Path, chosen: Collection[str] | None, identity: _identity.Identity
) -> tuple[dict[str, Any], dict[Path, dict[str, Any]]]:
    """Read the manifest of a dataset; those of its folders with tables, which may be its runs."""
    manifest, root = identity.read(path), path.resolve()
    if chosen is not None:
        manifest = _runs.only(path, manifest, chosen)
    if "runs" not in manifest:
        return manifest, {root: manifest}
    runs = {name: identity.read(path / name) for name in _runs.names(path, manifest["runs"])}
    for name, run in runs.items():
        if "runs" in run:
            raise InputError(f"{path / name}: this run contains runs of its own", _runs.FOLDERS)
    folders = {root / name: run for name, run in runs.items()}
    return _runs.together(manifest, list(runs.values())), folders


def _columns_hint(table: str) -> str:
    return f"`airmile schema {table}` lists its columns"


def _sql_advice(error: duckdb.Error, dataset: Dataset) -> tuple[str, str]:
    import duckdb

    if _sql.is_of_files(error):
        return "a query reads the tables of the dataset and no other file", _sql.FILES_HINT
    if isinstance(error, duckdb.CatalogException) and "Table" in str(error):
        if dataset.manifest.get("runs") == []:
            return f"{dataset.path} has no tables", _runs.none_finished(dataset.path)
        return _sql.first_line(error), f"the tables here are {', '.join(dataset.tables)}"
    if isinstance(error, duckdb.BinderException):
        return _sql.in_one_line(error), "`airmile schema TABLE` lists the columns of a table"
    parsed = isinstance(error, duckdb.ParserException)
    said = _sql.in_one_line(error) if parsed else _sql.first_line(error)
    return said, "the dialect is DuckDB's: https://duckdb.org/docs/sql/introduction"
