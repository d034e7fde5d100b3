"""Reads rows from a CSV file, which may be untrusted."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from airmile._errors import InputError, UsageError
from airmile.comparison._rows import (
    ALIASES,
    HANDOVERS,
    PAIRS,
    RESTARTS,
    ROW,
    SERIES,
    SINR,
    UNITS,
    Rows,
    Wanted,
    first,
    unit_of,
    word_of,
)

LARGEST = 200 << 20
LONGEST_LINE = 1 << 20
"""Limits of the file in characters; the longest line has room for every column."""

MOST_COLUMNS = 1000
UNKNOWN = frozenset({"", "na", "n/a", "nan", "null", "none", "-"})
"""The cells, in lower case, that mean that a value is unknown."""

USUAL = ("rate_bps", "throughput_bps", "rate_mbps", "throughput_mbps", "rate_kbps")
TEXT = "give a CSV file in UTF-8, or a dataset, which `airmile analyze CAPTURE` writes"
SMALLER = "keep the columns and rows that are compared"


def read(path: Path, label: str, wanted: Wanted) -> Rows:
    """Return the rows of a CSV file whose first line names the columns.

    Raises
    ------
    InputError
        The file cannot be read, or is too large.
    UsageError
        A column is missing, or a cell of a metric is not a number; the error names line and column.
    """
    if wanted.where is not None or wanted.table is not None:
        raise UsageError(f"{path} is a CSV file, which has one table", "drop --where and --table")
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
            lines = csv.reader(_bounded(path, file), delimiter=delimiter)
            header = _header(path, next(lines, []))
            return _rows(path, label, wanted, header, _numbered(lines))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{path}: {said}", TEXT) from None


def _bounded(path: Path, file: TextIO) -> Iterator[str]:
    """Yield the lines of a file within the limits: it may be a device or a pipe without an end."""
    total = 0
    while line := file.readline(LONGEST_LINE + 1):
        total += len(line)
        if len(line) > LONGEST_LINE:
            raise InputError(f"{path}: a line of more than {LONGEST_LINE >> 20} MiB", TEXT)
        if total > LARGEST:
            raise InputError(f"{path}: more than {LARGEST >> 20} million characters", SMALLER)
        yield line


def _header(path: Path, cells: Sequence[str]) -> list[str]:
    names = [cell.strip().lower() for cell in cells]
    if not any(names):
        raise InputError(f"{path}: no first line that names columns", TEXT)
    if len(names) > MOST_COLUMNS:
        raise InputError(f"{path}: more than {MOST_COLUMNS} columns", SMALLER)
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"{path}: two columns are called {twice[:60]!r}", "rename one")
    return names


def _numbered(lines: Iterator[list[str]]) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines that have a cell, with line numbers as in an editor."""
    for cells in lines:
        if any(cell.strip() for cell in cells):
            yield lines.line_num, cells  # type: ignore[attr-defined]


def _rows(
    path: Path,
    label: str,
    wanted: Wanted,
    header: list[str],
    lines: Iterator[tuple[int, list[str]]],
) -> Rows:
    metrics = [_named(path, each, header) for each in wanted.metrics] or [_usual(path, header)]
    by = None if wanted.by is None else _meant(path, wanted.by, header)
    unit, series, paired = _identity(path, wanted, header)
    known = [first(names, header) for names in (SINR, HANDOVERS, (RESTARTS,))]
    rows = Rows(label, {name: [] for name in metrics}, [], [], [], word_of(unit), paired)
    rows.units = {name: unit_of(name) for name in metrics}
    place = {name: at for at, name in enumerate(header)}
    for number, cells in lines:
        if len(cells) > len(header):
            raise UsageError(
                f"{path}:{number} has more cells than the first line", "decimals take a point"
            )
        cells += [""] * (len(header) - len(cells))
        where = f"{path}:{number}"
        for name in metrics:
            rows.values[name].append(_number(cells[place[name]], f"{where}: {name}"))
        rows.group.append(None if by is None else _text(cells[place[by]]))
        own = None if series is None else _text(cells[place[series]])
        rows.series.append(own)
        key = number if unit == ROW else _key(cells[place[unit]], f"{where}: {unit}")
        rows.unit.append((own, key) if series is not None and unit != series else key)
        for more, column in zip(known, (rows.sinr, rows.handovers, rows.restarts), strict=True):
            column.append(None if more is None else _maybe(cells[place[more]]))
    if unit == ROW:
        rows.notes.append(f"{label}: each line counts as an independent sample (--unit COLUMN)")
    return rows


def _identity(path: Path, wanted: Wanted, header: list[str]) -> tuple[str, str | None, bool]:
    """Return the columns of unit and series, and whether equal units of two groups are pairs."""
    given = wanted.pair or wanted.unit
    if given is not None:
        unit = ROW if given == ROW else _named(path, given, header)
    else:
        unit = first((*PAIRS, *UNITS), header) or ROW
    series = first(SERIES, header)
    return unit, series, wanted.pair is not None or unit in PAIRS


def _usual(path: Path, header: list[str]) -> str:
    found = first(USUAL, header)
    if found is None:
        raise UsageError(f"{path}: which column is compared?", _has(header, "--metric"))
    return found


def _named(path: Path, name: str, header: list[str]) -> str:
    if name.lower() not in header:
        raise UsageError(f"{path} has no column {name!r}", _has(header))
    return name.lower()


def _meant(path: Path, by: str, header: list[str]) -> str:
    found = first(ALIASES.get(by, (by.lower(),)), header)
    if found is None:
        raise UsageError(f"{path} has no column {by!r} to group by", _has(header))
    return found


def _has(header: list[str], option: str = "") -> str:
    names = ", ".join(header[:30]) + (", ..." if len(header) > 30 else "")
    return f"{option} {names[:300]}".strip() if option else f"it has {names[:300]}"


def _text(cell: str) -> str | None:
    return cell.strip() or None


def _key(cell: str, where: str) -> int | str:
    text = cell.strip()
    if not text:
        raise UsageError(f"{where} is empty", "each row needs one, or name another with --unit")
    return int(text) if text.isdecimal() and len(text) < 19 else text


def _number(cell: str, where: str) -> float | None:
    text = cell.strip()
    if text.lower() in UNKNOWN:
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(
            f"{where} is {text[:60]!r}", "it has to be a number with a decimal point, or empty"
        ) from None


def _maybe(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None
