"""Scores one set from the shell, by the rule of :mod:`airmile.testbed.scoring`.

::

    python tests/score/score.py SLICES.csv LABELS.csv.gz [FIRST_NS LAST_NS]

``SLICES`` is a CSV file or a directory of Parquet parts; ``LABELS`` a file or the directory of its
set.
"""

from __future__ import annotations

import csv
import gzip
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from airmile.testbed.scoring.cause import Bin, Score, Slice, score

DEFAULT_BIN_S = 0.1
"""Length of the last bin, which has no next row to end it."""


def main(arguments: list[str]) -> int:
    """Print the score of one set."""
    if len(arguments) not in (2, 4):
        print(__doc__, file=sys.stderr)
        return 2
    slices, labels, *span = arguments
    first, last = (int(text) for text in span) if span else (None, None)
    print(score_set(Path(slices), Path(labels), first, last))
    return 0


def score_set(
    slices: Path, labels: Path, first_ns: int | None = None, last_ns: int | None = None
) -> Score:
    """Score a file or directory of slices against a set's labels.

    A set does not say which direction was judged: it is the one with more payload bytes.
    """
    rows = read_slices(slices)
    return score(rows, read_labels(labels), first_ns, last_ns, bulk(rows))


def read_labels(path: Path) -> list[Bin]:
    """Read labels, plain or gzip, or those of a set's directory; a bin lasts until the next."""
    file = path / "labels.csv.gz" if path.is_dir() else path
    data = file.read_bytes()
    text = (gzip.decompress(data) if file.suffix == ".gz" else data).decode()
    rows = list(csv.DictReader(text.splitlines()))
    starts = [_nanoseconds(row["t_unix"]) for row in rows]
    ends = [*starts[1:], *(start + int(DEFAULT_BIN_S * 1e9) for start in starts[-1:])]
    return [
        Bin(start, end, row["label"], _busy(row))
        for row, start, end in zip(rows, starts, ends, strict=True)
    ]


def read_slices(path: Path) -> list[Slice]:
    """Read slices from a CSV file, a Parquet file, or a directory of Parquet parts."""
    rows = _csv_rows(path) if path.suffix == ".csv" else _parquet_rows(path)
    return [
        Slice(
            str(row["direction"]),
            int(row["start_ns"]),
            int(row["end_ns"]),
            int(row["bytes"] or 0),
            str(row["cause"]),
            int(row.get("uid") or 0),
        )
        for row in rows
    ]


def bulk(slices: list[Slice]) -> str | None:
    """Find the direction with more payload bytes."""
    size: Counter[str] = Counter()
    for row in slices:
        size[row.direction] += row.bytes
    return max(size, key=lambda direction: size[direction], default=None)


def _busy(row: Mapping[str, str]) -> float:
    names = ("under_ms", "active_ms", "contention_ms", "last_active_ms")
    under, active, contention, last = (float(row[name] or 0) for name in names)
    total = under + active + contention + last
    return (active + contention) / total if total else 0.0


def _nanoseconds(seconds: str) -> int:
    """Read decimal seconds without the 200 ns that a float would lose."""
    whole, _, part = seconds.partition(".")
    return int(whole) * 10**9 + int(part.ljust(9, "0")[:9])


def _csv_rows(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open(newline="") as text:
        yield from csv.DictReader(text)


def _parquet_rows(path: Path) -> list[Mapping[str, Any]]:
    from pyarrow import parquet

    columns = ["direction", "start_ns", "end_ns", "bytes", "cause"]
    rows: list[Mapping[str, Any]] = parquet.read_table(path, columns=columns).to_pylist()
    return rows


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
