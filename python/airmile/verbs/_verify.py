"""Checks whether a dataset is as an analysis wrote it: digests, columns, invariants, verdict.

The checks find damage and faults of airmile. They do not prove the origin of a dataset: anybody
who can write a dataset can write a consistent one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airmile._errors import InputError, UsageError
from airmile.answers.verdict import _sums
from airmile.store import Tables, _columns, _footers, _manifest, _parts, _runs, _sql
from airmile.store._needs import contains

Columns = dict[str, dict[str, Any]]

_KEYS = {"flows": "uid", "transfers": "transfer_id", "sessions": "session_id"}
"""The column of each table whose values are unique."""

_IN_ORDER = {
    "dns": [("query_ns", "response_ns")],
    "pings": [("request_ns", "reply_ns")],
    "http": [("request_ns", "response_ns"), ("response_ns", "response_end_ns")],
    "transfers": [
        *(("request_ns", later) for later in ("request_end_ns", "first_byte_ns", "end_ns")),
        *((earlier, "end_ns") for earlier in ("request_end_ns", "first_byte_ns")),
    ],
}
"""The columns of each table of which the first is never later than the second.

Where the clock of a capture steps back, the later one is null.
"""

SHARE_ERROR = 1e-9
"""The largest error of a sum of shares: they are quotients of whole ns, so only rounding."""


@dataclass(frozen=True)
class Finding:
    """A problem that was found in a dataset.

    Attributes
    ----------
    where : str
        The file or table that has the problem.
    fault : str
        The problem in words.
    """

    where: str
    fault: str


def verify(path: Path) -> Iterator[Finding]:
    """Check a dataset, or every run of a folder of runs, and yield its problems.

    Raises
    ------
    InputError
        The dataset cannot be opened; the message says what is damaged. A run that cannot be opened
        is a finding instead.
    """
    manifest = _manifest.read(path)
    if "runs" not in manifest:
        yield from _verify(path)
        return
    for name in _runs.names(path, manifest["runs"]):
        try:
            yield from _verify(path / name)
        except InputError as error:
            yield Finding(str(path / name), error.message)


def _verify(path: Path) -> Iterator[Finding]:
    dataset = Tables(path)
    with dataset.held():
        found = list(_findings(dataset))
    yield from found


def _findings(dataset: Tables) -> Iterator[Finding]:
    damaged = list(_digests(dataset))
    yield from damaged
    if damaged:
        # The other checks would read the damaged parts.
        return
    try:
        if unlike := [*_columns_of(dataset), *_footers_of(dataset)]:
            # Queries would fail, or miss rows.
            yield from unlike
            return
        yield from _invariants(dataset)
        yield from _verdict(dataset)
    except (InputError, UsageError) as error:
        yield Finding(str(dataset.path), error.message)


def _digests(dataset: Tables) -> Iterator[Finding]:
    known = dataset.digests
    if not known:
        yield Finding(str(dataset.path / "manifest.json"), "lists no digests: an older airmile")
    for file, (size, digest) in known.items():
        if fault := _parts.damage(file, size, digest):
            yield Finding(str(file), fault)


def _columns_of(dataset: Tables) -> Iterator[Finding]:
    """Check the columns of every part against those that airmile writes."""
    parts = dataset.files()
    with _sql.connect(parts) as connection, dataset.errors():
        types = _columns.types(connection, parts)
    for part, found in types.items():
        table = part.parent.name
        yield from (Finding(str(part), fault) for fault in _columns.wrong(table, found))
        for name in (name for name in _described(table) if name not in found):
            yield Finding(str(part), f"the column {name} is missing")


def _footers_of(dataset: Tables) -> Iterator[Finding]:
    for part in dataset.files():
        yield from (Finding(str(part), fault) for fault in _footers.faults(part))


def _invariants(dataset: Tables) -> Iterator[Finding]:
    for name in dataset.tables:
        described = _described(name)
        types = set(dataset.columns(name))
        counted = dataset.manifest.get("rows", {}).get(name)
        rules = list(_rules(dataset, name, described, types))
        sums = [f"count(*) FILTER ({rule}) AS r{i}" for i, (_, rule) in enumerate(rules)]
        found = dataset.records(
            f"SELECT {', '.join(['count(*) AS n', *sums])} FROM {_sql.name(name)}"
        )
        if counted is None and described:
            yield Finding(
                str(dataset.path / name),
                f"{found[0]['n']} rows, and no number of them in the manifest",
            )
        elif counted is not None and counted != found[0]["n"]:
            yield Finding(
                str(dataset.path / name), f"{found[0]['n']} rows, and {counted} in the manifest"
            )
        for i, (said, _) in enumerate(rules):
            if found[0][f"r{i}"]:
                yield Finding(str(dataset.path / name), f"{said}: {found[0][f'r{i}']} rows")
        yield from _doubled(dataset, name)


def _described(table: str) -> Columns:
    """Return the columns of a table of the engine; other tables have no published invariants."""
    from airmile import _engine

    tables = json.loads(_engine.schema())["tables"]
    return {each["name"]: each for each in tables.get(table, {"columns": []})["columns"]}


def _rules(
    dataset: Tables, table: str, described: Columns, types: set[str]
) -> Iterator[tuple[str, str]]:
    """Yield the faults to look for, each as text and as an SQL condition."""
    for name, column in described.items():
        key = _sql.name(name)
        if column["type"] == "float64":
            wild = f"isnan({key})" if column["may_be_infinite"] else f"NOT isfinite({key})"
            yield f"{name} is not a finite number", wild
        if column["type"] in ("int64", "float64") and not column["may_be_negative"]:
            yield f"{name} is negative", f"{key} < 0"
    if number := _KEYS.get(table):
        yield f"{number} is unknown", f"{number} IS NULL"
    if {"start_ns", "end_ns"} <= types:
        yield "it ends before it begins", "end_ns < start_ns"
    for earlier, later in _IN_ORDER.get(table, []):
        if {earlier, later} <= types:
            yield f"{later} is before {earlier}", f"{later} < {earlier}"
    if {"uid", "session_id"} & types and described:
        yield from _within(dataset, table, types & described.keys())
    if shares := [_sql.name(name) for name in sorted(described) if name.startswith("share_")]:
        total = " + ".join(f"coalesce({share}, 0)" for share in shares)
        known = " OR ".join(f"{share} IS NOT NULL" for share in shares)
        yield "its shares do not add up to 1", f"({known}) AND abs({total} - 1) > {SHARE_ERROR}"


def _within(dataset: Tables, table: str, types: set[str]) -> Iterator[tuple[str, str]]:
    """Yield checks that instants are within the time of the capture.

    There are exceptions: a promotion begins before the first packet that shows it, and so does the
    request of its transfer. A bin of `throughput` that contains the first packet begins before it.
    """
    first, last = dataset.manifest.get("first_ns"), dataset.manifest.get("last_ns")
    if first is None or last is None:
        return
    promoted = " AND cause <> 'promotion_delay'" if table == "slices" else ""
    for name in (name for name in sorted(types) if name.endswith("_ns")):
        before = (table, name) in (("transfers", "request_ns"), ("throughput", "start_ns"))
        key = _sql.name(name)
        early = "false" if before else f"{key} < {first}"
        yield f"{name} is outside of the capture", f"({early}{promoted}) OR {key} > {last}"


def _doubled(dataset: Tables, table: str) -> Iterator[Finding]:
    key = _KEYS.get(table)
    if key is None:
        return
    query = f"SELECT count(*) - count(DISTINCT {key}) AS n FROM {table} WHERE {key} IS NOT NULL"
    if doubled := dataset.records(query)[0]["n"]:
        yield Finding(str(dataset.path / table), f"{key} is not unique: {doubled} rows too many")


def _verdict(dataset: Tables) -> Iterator[Finding]:
    """Compute the sums of the verdict again from the tables, and compare them."""
    if not contains(dataset, "flows"):
        return
    stored, place = _sums.in_manifest(dataset.manifest), str(dataset.path / "manifest.json")
    if stored is None:
        if not _sums.is_left_out(dataset.manifest):
            yield Finding(place, "verdict: missing, or of another shape")
        return
    again = json.loads(json.dumps(_sums.by_sql(dataset)))
    different = [key for key in again if again[key] != stored.get(key)]
    if different:
        yield Finding(place, f"verdict: {', '.join(different)} are not what the tables add up to")
