"""Writes the truth of recorded runs beside their captures."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from tests.physics import truth
from tests.physics.analysed import case_of
from tests.recorded.files import write_rows


def write_truth(folder: Path) -> None:
    """Compute the truth of a run, and write it beside the captures of the run."""
    rows = truth.of(folder, case_of(folder))
    write_rows(folder / "truth.csv", map(asdict, rows), truth.COLUMNS)
