"""Several runs, one after the other, and what the verdict is worth on them."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from airmile._errors import InputError
from airmile.testbed import labels, scoring
from airmile.testbed.experiment import Experiment
from airmile.testbed.run import run


def run_all(experiments: Sequence[Experiment], out: Path) -> Iterator[str]:
    """Run what is missing in `out`, and tell about each.

    Parameters
    ----------
    experiments : sequence of Experiment
        In this order; the folder of each is its name.
    out : Path
        Where the folders are.

    Yields
    ------
    str
        A line per run, with the time that is left by what runs have taken so far.
    """
    missing = [experiment for experiment in experiments if not (out / experiment.name).exists()]
    if kept := len(experiments) - len(missing):
        yield f"{kept} of {len(experiments)} are there already"
    began = time.monotonic()
    for number, experiment in enumerate(missing, 1):
        manifest = run(experiment, out / experiment.name)
        labels.write(out / experiment.name, experiment.direction)
        late = manifest["link"]["late_us"]["p99"] / 1e3
        trust = "" if manifest["trustworthy"] else "  NOT to be trusted: see its manifest.json"
        left = (time.monotonic() - began) / number * (len(missing) - number)
        yield (
            f"{number}/{len(missing)}  {experiment.name}  {manifest['workload_ended']}, "
            f"late {late:.2f} ms (p99){trust}  {left:.0f} s left"
        )


def scores(runs: Path) -> Iterator[str]:
    """Analyse the monitor's capture of every run and score the verdict against its labels.

    Raises
    ------
    InputError
        There is no run.
    """
    folders = sorted(path.parent for path in runs.rglob("manifest.json") if _is_run(path))
    if not folders:
        raise InputError(f"{runs}: no run in it", "airmile testbed run bulk_download")
    total = scoring.Score()
    for folder in folders:
        scored = score_run(folder)
        total += scored
        yield f"{folder.name:20} {scored.agreement:6.1%} of {scored.bins} bins"
    yield f"{'all':20} {total.agreement:6.1%} of {total.bins} bins"


def score_run(folder: Path) -> scoring.Score:
    """Score one run."""
    import airmile

    with tempfile.TemporaryDirectory(prefix="airmile-score-") as scratch:
        dataset = airmile.analyze(folder / "monitor.pcap", out=Path(scratch) / "x.airmile")
        span = dataset.sql("SELECT min(start_ns) AS a, max(end_ns) AS b FROM flows").to_pylist()[0]
        return scoring.score_set(
            dataset.path / "slices", folder / "labels.csv", span["a"], span["b"]
        )


def _is_run(manifest: Path) -> bool:
    return "workload_ended" in json.loads(manifest.read_text())
