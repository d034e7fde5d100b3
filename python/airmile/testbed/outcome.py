"""What a run leaves: one dataset of its analysis, its truth and its files."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from airmile.testbed import labels, tables
from airmile.testbed.experiment import Experiment

SUFFIX = ".airmile"
"""Of the folder of a run, as of every dataset."""

CAPTURES = ("monitor", "ue", "server")
"""The first that is there is analysed."""


def finish(part: Path, out: Path, experiment: Experiment, facts: dict[str, Any]) -> None:
    """Turn the files of a run into a dataset.

    Parameters
    ----------
    part : Path
        Where the files are now.
    out : Path
        Where they will be.
    experiment : Experiment
        What was run.
    facts : dict
        What is known of the run; the manifest's key `testbed`.
    """
    import airmile

    tables.collect(part)
    capture = next(name for name in CAPTURES if (part / f"{name}.pcap").exists())
    _analyse(part, out, capture, facts)
    dataset = airmile.open(part)
    if "truth_ttis" in dataset.tables:
        labels.write(dataset, experiment.direction, experiment.sender)


def manifest_of(run: Path) -> dict[str, Any]:
    """Read what is known of a finished run."""
    facts: dict[str, Any] = json.loads((run / "manifest.json").read_text())["testbed"]
    return facts


def is_run(folder: Path) -> bool:
    """Whether a folder is a finished run."""
    file = folder / "manifest.json"
    return file.is_file() and "testbed" in json.loads(file.read_text())


def has_truth(run: Path) -> bool:
    """Whether a finished run knows what its link did; over a real interface it does not."""
    return (run / "truth_labels").is_dir()


def _analyse(part: Path, out: Path, capture: str, facts: dict[str, Any]) -> None:
    """Lay the tables of the analysis beside those of the truth, under one manifest."""
    import airmile

    with tempfile.TemporaryDirectory(dir=part) as scratch:
        analysed = airmile.analyze(part / f"{capture}.pcap", out=Path(scratch) / "x").path
        manifest = json.loads((analysed / "manifest.json").read_text())
        for table in analysed.iterdir():
            if table.is_dir():
                table.rename(part / table.name)
    # Where the capture will be read again for its packets.
    manifest["inputs"][0]["name"] = str(out / f"{capture}.pcap")
    (part / "manifest.json").write_text(json.dumps({**manifest, "testbed": facts}, indent=1) + "\n")
