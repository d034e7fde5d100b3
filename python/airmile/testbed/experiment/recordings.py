"""Recorded rates and channels: capacity traces of Mahimahi, and series of SINR values.

An experiment names a file in its own folder::

    rate = { kind = "trace", file = "drive.down" }
    rate = { kind = "sinr", sinr = { kind = "series", file = "drive.csv" } }

A trace has a line for each opportunity to send 1500 bytes, with its time in milliseconds (Netravali
et al., USENIX ATC 2015, section 4). A series is CSV with the columns `ms` and `db`; each value
holds until the next one. After its end, either of them starts again.

Root reads these files, and an experiment may come from an untrusted person. So only files in the
folder of the experiment are read, and no error quotes their contents.
"""

from __future__ import annotations

import csv
import itertools
import math
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airmile._errors import InputError, UsageError

if TYPE_CHECKING:
    from airmile.store import Tables

OPPORTUNITY_BYTES = 1500

MOST_BYTES = 16_000_000
"""The largest recording, in bytes: more than an hour of 40 Mbit/s."""

MOST_MS = 86_400_000
"""The latest time in ms: a day, the longest time that the link can run."""


def resolved(value: Any, folder: Path) -> Any:
    """Return a table with the contents of recorded files in place of their names.

    Raises
    ------
    InputError
        A file cannot be read; the message names the line.
    UsageError
        A file is not in the folder of the experiment.
    """
    if isinstance(value, list):
        return [resolved(each, folder) for each in value]
    if not isinstance(value, Mapping):
        return value
    reader = _READERS.get(str(value.get("kind")))
    if reader and isinstance(value.get("file"), str):
        rest = {key: each for key, each in value.items() if key != "file"}
        return {**rest, **reader(_beside(folder, value["file"]))}
    return {key: resolved(each, folder) for key, each in value.items()}


def write_trace(run: Tables, path: str | Path, *, direction: str = "downlink") -> int:
    """Write what the link of a run could carry as a capacity trace of Mahimahi.

    Parameters
    ----------
    run : Tables
        A run of the testbed that has the truth of its link.
    path : str or Path
        The file to write.
    direction : str
        `downlink` or `uplink`.

    Returns
    -------
    int
        The number of opportunities that were written.

    Raises
    ------
    UsageError
        The link could carry nothing in this direction.
    """
    rows = run.arrow(_OPPORTUNITIES.format(direction=direction)).to_pylist()
    lines = [str(row["ms"]) for row in rows for _ in range(row["count"])]
    if not lines:
        raise UsageError(
            f"{run.path}: the link could carry nothing {direction}", "choose downlink or uplink"
        )
    Path(path).write_text("\n".join(lines) + "\n")
    return len(lines)


_OPPORTUNITIES = f"""
    SELECT ms, (carried // {OPPORTUNITY_BYTES} - before // {OPPORTUNITY_BYTES})::BIGINT AS count
    FROM (SELECT ms, carried, coalesce(lag(carried) OVER (ORDER BY ms), 0) AS before FROM
        (SELECT ms, sum(sum(available_bytes)) OVER (ORDER BY ms) AS carried FROM
            (SELECT (time_ns - min(time_ns) OVER ()) // 1000000 + 1 AS ms, available_bytes
             FROM truth_ttis WHERE direction = '{{direction}}') GROUP BY ms))
    WHERE count > 0 ORDER BY ms"""
"""SQL of the opportunities per ms; what is left below 1500 bytes counts in the next ms."""


def _beside(folder: Path, name: str) -> Path:
    """Return the path of a file in the folder of the experiment; refuse any other place."""
    hint = "name a file beside the experiment, without a folder"
    path = folder / name
    if Path(name).name != name or "\0" in name or path.is_symlink():
        raise UsageError(f"file = {name!r} is not beside the experiment", hint)
    return path


def _trace(path: Path) -> dict[str, Any]:
    lines = [(at, line) for at, line in enumerate(_lines(path), 1) if line.strip()]
    every = [(at, int(_number(line, path, at, "a millisecond", whole=True))) for at, line in lines]
    for (_, before), (at, ms) in itertools.pairwise(every):
        if ms < before:
            raise InputError(f"{path}: line {at}: the time is before that of the previous line")
    return {"ms": [ms for _, ms in every]}


def _series(path: Path) -> dict[str, Any]:
    rows = csv.DictReader(_lines(path))
    try:
        if not {"ms", "db"} <= set(rows.fieldnames or ()):
            raise InputError(
                f"{path}: lacks the columns ms and db", "the first line names the columns"
            )
        pairs = [
            (
                _number(row["ms"], path, rows.line_num, "a time in ms"),
                _number(row["db"], path, rows.line_num, "a SINR in dB"),
            )
            for row in rows
        ]
    except csv.Error:
        raise InputError(f"{path}: line {rows.line_num}: not CSV") from None
    return {"ms": [ms for ms, _ in pairs], "db": [db for _, db in pairs]}


_READERS: Mapping[str, Callable[[Path], dict[str, Any]]] = {"trace": _trace, "series": _series}


def _lines(path: Path) -> list[str]:
    try:
        # The flags refuse a symbolic link made since the check, and do not wait for a pipe.
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(file, encoding="utf-8") as text:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise InputError(f"{path}: not an ordinary file")
            read = text.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not text") from None
    if len(read) > MOST_BYTES:
        raise InputError(f"{path}: more than {MOST_BYTES} bytes", "leave out what is not needed")
    return read.splitlines()


def _number(
    text: str | None, path: Path, line: int, what: str, *, whole: bool = False
) -> float | int:
    """Return a number in a cell; a time must not be negative."""
    try:
        value = int(text or "") if whole else float(text or "")
    except ValueError:
        value = math.nan
    if not (0 if whole else -MOST_MS) <= value <= MOST_MS:
        raise InputError(f"{path}: line {line}: not {what}")
    return value
