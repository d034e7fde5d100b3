"""The truth of recorded runs, laid beside their captures."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from tests.physics import truth
from tests.physics.analysed import case_of
from tests.recorded.files import write_rows


def write_truth(folder: Path) -> None:
    """Work the truth of a run out and lay it beside its captures."""
    rows = truth.of(folder, case_of(folder))
    write_rows(folder / "truth.csv", map(asdict, rows), truth.COLUMNS)
