"""Records runs, each until it can be trusted, and works out their truth (root)."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from airmile._errors import OutputError
from airmile.testbed.experiment import parse
from airmile.testbed.outcome import manifest_of
from airmile.testbed.run import run as play
from tests.everyday import truth
from tests.everyday.files import write_rows
from tests.everyday.kinds import Run

TRIES = 4
"""On a machine with other work a run may be late."""


def record(runs: Iterable[Run], out: Path) -> bool:
    """Record what is missing in a folder, and tell whether all of it can be trusted."""
    out.mkdir(parents=True, exist_ok=True)
    trusted = True
    for run in runs:
        folder = out / run.name
        if not folder.exists():
            trusted &= _record(run, folder)
    return trusted


def _record(run: Run, folder: Path) -> bool:
    for _ in range(TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        try:
            facts = play(parse(run.name, run.experiment), folder)
        except OutputError as error:
            _say(f"{run.name}: {error}")
            continue
        if facts["trustworthy"] and facts["workload_ended"] == "complete":
            write_truth(folder)
            _say(f"{run.name}: recorded")
            return True
        _say(f"{run.name}: {facts['workload_ended']}, {facts['untrustworthy_because']}")
    shutil.rmtree(folder, ignore_errors=True)
    return False


def write_truth(folder: Path) -> None:
    """Work the truth of a run out and lay it beside its captures."""
    rows, waits = truth.of(folder)
    write_rows(folder / "truth.csv", map(asdict, rows), truth.TRUTH_COLUMNS)
    write_rows(folder / "requests.csv", map(asdict, waits), truth.REQUEST_COLUMNS)


def recorded(out: Path, runs: Iterable[Run]) -> list[tuple[Run, Path]]:
    """Give the runs that are there."""
    found = [(run, out / run.name) for run in runs]
    return [(run, folder) for run, folder in found if (folder / "truth.csv").exists()]


def trusted(folder: Path) -> bool:
    """Whether a recorded run's own account of itself says so."""
    return bool(manifest_of(folder)["trustworthy"])


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
