"""Rates and channels that were recorded: capacity traces of mahimahi, and series of SINR.

In an experiment's file, by a path relative to it::

    rate = { kind = "trace", file = "drive.down" }
    rate = { kind = "sinr", sinr = { kind = "series", file = "drive.csv" } }

A trace has a line per opportunity to send 1500 bytes, with its millisecond (Netravali et al.,
USENIX ATC 2015, section 4). A series is CSV with the columns `ms` and `db`; each value holds until
the next. Both begin anew after their end.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from airmile._errors import InputError, UsageError

if TYPE_CHECKING:
    from airmile.dataset import Dataset

OPPORTUNITY_BYTES = 1500


def resolved(value: Any, folder: Path) -> Any:
    """Put what recorded files hold in place of their names, wherever they stand in a table.

    Raises
    ------
    InputError
        A file cannot be read; the message names the line.
    """
    if isinstance(value, list):
        return [resolved(each, folder) for each in value]
    if not isinstance(value, Mapping):
        return value
    reader = _READERS.get(str(value.get("kind")))
    if reader and isinstance(value.get("file"), str):
        rest = {key: each for key, each in value.items() if key != "file"}
        return {**rest, **reader(folder / value["file"])}
    return {key: resolved(each, folder) for key, each in value.items()}


def write_trace(run: Dataset, path: str | Path, *, direction: str = "downlink") -> int:
    """Write what the link of a run offered as a capacity trace.

    Parameters
    ----------
    run : Dataset
        A run of the testbed, with its truth.
    path : str or Path
        The file to write.
    direction : str
        `downlink` or `uplink`.

    Returns
    -------
    int
        Opportunities written.

    Raises
    ------
    UsageError
        The link offered nothing in this direction.
    """
    rows = run.sql(_OPPORTUNITIES.format(direction=direction)).to_pylist()
    lines = [str(row["ms"]) for row in rows for _ in range(row["count"])]
    if not lines:
        raise UsageError(f"{run.path}: nothing was offered {direction}", "downlink or uplink")
    Path(path).write_text("\n".join(lines) + "\n")
    return len(lines)


_OPPORTUNITIES = f"""
    SELECT ms, (carried // {OPPORTUNITY_BYTES} - before // {OPPORTUNITY_BYTES})::BIGINT AS count
    FROM (SELECT ms, carried, coalesce(lag(carried) OVER (ORDER BY ms), 0) AS before FROM
        (SELECT ms, sum(sum(available_bytes)) OVER (ORDER BY ms) AS carried FROM
            (SELECT (time_ns - min(time_ns) OVER ()) // 1000000 + 1 AS ms, available_bytes
             FROM truth_ttis WHERE direction = '{{direction}}') GROUP BY ms))
    WHERE count > 0 ORDER BY ms"""
"""What is left of 1500 bytes is carried on to the next millisecond."""


def _trace(path: Path) -> dict[str, Any]:
    milliseconds = []
    for number, line in enumerate(_lines(path), 1):
        if line.strip():
            milliseconds.append(_number(int, line, path, number, "a millisecond"))
    return {"ms": milliseconds}


def _series(path: Path) -> dict[str, Any]:
    rows = csv.DictReader(_lines(path))
    if not {"ms", "db"} <= set(rows.fieldnames or ()):
        raise InputError(f"{path}: no columns ms and db", "the first line names the columns")
    pairs = [
        (
            _number(float, row["ms"], path, rows.line_num, "a time in ms"),
            _number(float, row["db"], path, rows.line_num, "a SINR in dB"),
        )
        for row in rows
    ]
    return {"ms": [ms for ms, _ in pairs], "db": [db for _, db in pairs]}


_READERS: Mapping[str, Callable[[Path], dict[str, Any]]] = {"trace": _trace, "series": _series}


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not text") from None


Number = TypeVar("Number", int, float)


def _number(kind: Callable[[str], Number], text: str, path: Path, line: int, what: str) -> Number:
    try:
        return kind(text)
    except (TypeError, ValueError):
        raise InputError(f"{path}: line {line}: {text!r} is not {what}") from None
