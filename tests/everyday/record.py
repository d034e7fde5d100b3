"""Writes the truth of recorded runs beside their captures."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from tests.everyday import truth
from tests.everyday.rows import REQUEST_COLUMNS, TRUTH_COLUMNS
from tests.recorded.files import write_rows


def write_truth(folder: Path) -> None:
    """Compute the truth of a run, and write it beside the captures of the run."""
    rows, waits = truth.of(folder)
    write_rows(folder / "truth.csv", map(asdict, rows), TRUTH_COLUMNS)
    write_rows(folder / "requests.csv", map(asdict, waits), REQUEST_COLUMNS)
