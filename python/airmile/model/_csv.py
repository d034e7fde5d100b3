"""Measured rates, round trips and sizes that a CSV file gives to the model."""

from __future__ import annotations

import csv
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from airmile._errors import InputError, UsageError
from airmile.model.inputs import Array, Inputs

COLUMNS: dict[str, tuple[str, float]] = {
    "rate_bps": ("rate", 1.0),
    "rate_kbps": ("rate", 1e3),
    "rate_mbps": ("rate", 1e6),
    "rtt_s": ("rtt", 1.0),
    "rtt_ms": ("rtt", 1e-3),
    "loaded_rtt_s": ("loaded_rtt", 1.0),
    "loaded_rtt_ms": ("loaded_rtt", 1e-3),
    "size_bytes": ("size", 1.0),
}
"""The known columns, each with its quantity and the factor to the model's unit."""
TEXT = "give a CSV file in UTF-8, or a dataset, which `airmile analyze CAPTURE` writes"
HOW = f"its first line names columns among {', '.join(COLUMNS)}"


def from_csv(path: Path) -> Inputs:
    """Return the measurements in a CSV file whose first line names the columns.

    A cell may be empty. A rate and a round trip in the same row count as measured together.

    Raises
    ------
    InputError
        The file cannot be read.
    UsageError
        The file has none of the columns, or a cell is not a positive number; the error names line
        and column.
    """
    found: dict[str, list[float]] = {name: [] for name in ("rate", "rtt", "loaded_rtt", "size")}
    rate_of_rtt: list[float] = []
    for row in _rows(path):
        for quantity, value in row.items():
            found[quantity].append(value)
        if "rtt" in row:
            rate_of_rtt.append(row.get("rate", np.nan))
    rates, rtts, loaded, sizes = (np.array(values, float) for values in found.values())
    lacking = dict.fromkeys(("rates_bps", "rtts_s", "loaded_rtts_s", "sizes_bytes"), HOW)
    lacking["sizes_bytes"] += "; or give sizes (--sizes)"
    return Inputs(
        str(path), rates, rtts, loaded, sizes, np.array(rate_of_rtt, float),
        notes=_medians(path, rates, rtts, loaded), lacking=lacking,
    )  # fmt: skip


def _medians(path: Path, rates: Array, rtts: Array, loaded: Array) -> tuple[str, ...]:
    """Return notes with the medians, so that a reader sees if a column is in another unit."""
    groups = (
        (f"{path}: rates", rates * 1e-6, "Mbps"),
        (f"{path}: round trips", rtts * 1e3, "ms"),
        (f"{path} under load: round trips", loaded * 1e3, "ms"),
    )
    return tuple(
        f"{what} in {values.size} rows, median {np.median(values):.3g} {unit}"
        for what, values, unit in groups
        if values.size
    )


def _rows(path: Path) -> Iterator[dict[str, float]]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = csv.DictReader(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
            lines.fieldnames = [name.strip().lower() for name in lines.fieldnames or ()]
            _check_header(path, lines.fieldnames)
            for line in lines:
                where = f"{path}:{lines.line_num}"
                if lines.restkey in line:
                    raise UsageError(
                        f"{where} has more cells than the first line", "decimals take a point"
                    )
                yield _row(line, where)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: {error}", TEXT) from None


def _check_header(path: Path, names: Sequence[str]) -> None:
    known = [name for name in names if name in COLUMNS]
    if not known:
        raise UsageError(f"{path}: no known column among {_shown(names)}", HOW)
    for quantity, columns in groupby(sorted(known, key=_quantity), _quantity):
        twice = list(columns)
        if len(twice) > 1:
            raise UsageError(f"{path}: {' and '.join(twice)} both give the {quantity}", "keep one")


def _shown(names: Sequence[str]) -> str:
    """Return the names of the columns for an error message, cut if they are long."""
    return textwrap.shorten(repr(", ".join(names)), 80, placeholder=" ...")


def _quantity(column: str) -> str:
    return COLUMNS[column][0]


def _row(line: dict[str, str | None], where: str) -> dict[str, float]:
    row: dict[str, float] = {}
    for name, (quantity, unit) in COLUMNS.items():
        text = (line.get(name) or "").strip()
        if text:
            row[quantity] = _number(text, f"{where}: {name}") * unit
    return row


def _number(text: str, where: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = np.nan
    if not (number > 0 and np.isfinite(number)):
        raise UsageError(f"{where} is {text!r}", "it has to be a number above 0; or leave it empty")
    return number
