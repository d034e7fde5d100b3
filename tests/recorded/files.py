"""Reads and writes the files of a recording, plain or gzip."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def read_bytes(path: Path) -> bytes:
    """Read a file, which may be compressed."""
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file as a whole; it is compressed if its name says so."""
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(gzip.compress(data, 6, mtime=0) if path.suffix == ".gz" else data)
    part.replace(path)


def read_rows(path: Path) -> list[dict[str, str]]:
    """Read a CSV file."""
    return list(csv.DictReader(read_bytes(path).decode().splitlines()))


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> None:
    """Write a CSV file."""
    text = io.StringIO()
    table = csv.DictWriter(text, list(columns), extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    write_bytes(path, text.getvalue().encode())


def read_events(path: Path, event: str) -> list[dict[str, Any]]:
    """Read the lines of a log with one kind of event."""
    every = (json.loads(line) for line in path.read_text().splitlines())
    return [line for line in every if line["event"] == event]
