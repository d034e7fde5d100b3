"""What was opened: manifest, parts with their digests, and whether all of it is still there.

A dataset may consist of several others, such as the runs of a campaign. Its manifest then names
them, and every table begins with the column `run`.

The parts of a table are read in the order of their numbers, so that rows keep the order in which
the engine wrote them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airmile._errors import InputError
from airmile.store import _columns, _identity, _parts, _points, _runs, _sql

if TYPE_CHECKING:
    import pyarrow as pa


class Contents:
    """A folder as it was when it was opened, at one capture point.

    Parameters
    ----------
    given : path
        The folder, as the user named it.
    point : str, optional
        For runs of the testbed: the capture point whose analysis is read.
    chosen : collection of str, optional
        For a folder of runs: the names of those that are read; None reads all of them.

    Attributes
    ----------
    path : Path
        The folder, or for another capture point of one run that of its analysis.
    place : Path
        The absolute path: the current folder may change before another process opens it.
    manifest : dict
        The manifest; of several runs a common one.
    runs : list of str or None
        The runs of a folder of runs.
    parts : dict
        The files of each table, in the order of their rows.
    digests : dict
        Size and digest of each part, as far as manifests list them.

    Raises
    ------
    InputError
        The folder is no dataset, or a newer airmile wrote it, or it lacks one of the runs.
    UsageError
        There is no such capture point, or no run was chosen.
    """

    def __init__(self, given: Path, point: str | None, chosen: Collection[str] | None) -> None:
        self.path = self._given = given
        self.place = given.absolute()
        self.point, self.chosen = point, chosen
        self._identity = _identity.settled(self._read)
        self.runs: list[str] | None = self.manifest.get("runs")
        _sql.paths(self.files())

    def _read(self, identity: _identity.Identity) -> None:
        self.manifest, datasets = _together(self._given, self.chosen, identity)
        self.digests = _parts.expected(datasets)
        shared: _parts.Parts = {}
        if self.point is not None:
            self.path, self.manifest, datasets, shared = _points.seen_from(
                self.point, self._given, datasets, identity
            )
            self.digests |= _parts.expected(datasets)
        self.parts = {**_parts.find(datasets), **shared}

    def files(self) -> list[Path]:
        """Return the paths of all parts of all tables."""
        return [part for parts in self.parts.values() for part in parts]

    def content(self) -> str:
        """Return a digest of the manifest and of those of its parts."""
        parts = sorted((path.name, *digest) for path, digest in self.digests.items())
        known = json.dumps([self.manifest, parts], sort_keys=True, default=str)
        return hashlib.sha256(known.encode(errors="surrogatepass")).hexdigest()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Check before and after a block that no other analysis has replaced this one.

        Raises
        ------
        InputError
            Another analysis is in its place.
        """
        with self._identity.held():
            yield

    def check(self, parts: list[Path]) -> None:
        """Raise an error if parts have changed since they were written.

        Raises
        ------
        InputError
            A part is damaged, or another analysis is in its place.
        """
        with self.held():
            _parts.check(parts, self.digests)

    def check_tables(self, query: str, condition: str | None) -> None:
        """Check the parts of the tables that a query names, including those of a condition.

        If a query computes the name of a table (`query_table`), all tables are checked.

        Raises
        ------
        InputError
            A part is damaged, or another analysis is in its place.
        """
        said = f"{query} {condition or ''}".casefold()
        for name, parts in self.parts.items():
            if name in said or "query" in said or (condition is not None and name == "flows"):
                self.check(parts)

    def source(self, name: str) -> str:
        """Return the SQL that reads the rows of a table."""
        read = _sql.parquet if self.runs is None else _runs.source
        return read(self.parts[name])

    def read(self, name: str) -> pa.Table:
        """Return a whole table of one analysis.

        Raises
        ------
        InputError
            Its Parquet is damaged, or not as airmile writes it.
        """
        import pyarrow as pa
        from pyarrow import parquet

        files = self.parts[name]
        with self._readable(name):
            for part in files:
                _columns.check_read(part, parquet.read_schema(part))
            return pa.concat_tables(parquet.read_table(part, partitioning=None) for part in files)

    def described(self, name: str, rows: pa.Table) -> pa.Table:
        """Return rows of a table with unit and description of each column as metadata.

        Raises
        ------
        InputError
            The Parquet of the table is damaged.
        """
        import pyarrow as pa
        from pyarrow import parquet

        with self._readable(name):
            schema = parquet.read_schema(self.parts[name][0])
            if self.runs is not None:
                schema = schema.insert(0, pa.field("run", pa.string(), metadata=_runs.FIELD))
            return rows.cast(schema)

    @contextmanager
    def _readable(self, name: str) -> Iterator[None]:
        """Raise pyarrow's exceptions as errors of airmile."""
        import pyarrow as pa

        with self.held():
            try:
                yield
            except (pa.ArrowException, OSError, ValueError) as error:
                said = (str(error).splitlines() or [repr(error)])[0]
                raise unreadable(self.path / name, said) from None


def unreadable(place: Path, error: object) -> InputError:
    """Return the error for Parquet that cannot be read."""
    return InputError(f"{place}: its Parquet cannot be read ({error})", _parts.AGAIN)


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
