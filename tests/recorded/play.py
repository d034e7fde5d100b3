"""Records runs, each repeated until it can be trusted; this needs root."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from airmile._errors import OutputError
from airmile.testbed.experiment.toml_file import parse
from airmile.testbed.run.emulated_run import run as play
from tests.recorded.runs import Run

TRIES = 4
"""The attempts at a run, which may be late on a machine with other work."""


def record(
    runs: Iterable[Run], out: Path, then: Callable[[Path], None] | None = None, at_once: int = 1
) -> bool:
    """Record the runs that a folder lacks; return whether all of them can be trusted.

    Parameters
    ----------
    runs : iterable of Run
        The runs to record.
    out : Path
        Each run's folder is made in it.
    then : callable, optional
        Called with the folder of each run that was recorded, in a process of its own: a function
        of a module that can be imported.
    at_once : int
        The number of runs at the same time, each in namespaces of its own.
    """
    out.mkdir(parents=True, exist_ok=True)
    missing = [run for run in runs if not (out / run.name).exists()]
    one = partial(_record, out, then)
    # A run handles signals, which only the main thread of a process may.
    with ProcessPoolExecutor(at_once, mp_context=get_context("spawn")) as pool:
        trusted = list(pool.map(one, missing))
    return all(trusted)


def recorded(out: Path, runs: Iterable[Run], holding: str) -> list[tuple[Run, Path]]:
    """Give the runs that exist and have a file."""
    found = [(run, out / run.name) for run in runs]
    return [(run, folder) for run, folder in found if (folder / holding).exists()]


def _record(out: Path, then: Callable[[Path], None] | None, run: Run) -> bool:
    folder = out / run.name
    for _ in range(TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        try:
            facts = play(parse(run.name, run.experiment), folder)
        except OutputError as error:
            _say(f"{run.name}: {error}")
            continue
        if facts["trustworthy"] and facts["workload_ended"] == "complete":
            if then:
                then(folder)
            _say(f"{run.name}: recorded")
            return True
        _say(f"{run.name}: {facts['workload_ended']}, {facts['untrustworthy_because']}")
    shutil.rmtree(folder, ignore_errors=True)
    return False


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
