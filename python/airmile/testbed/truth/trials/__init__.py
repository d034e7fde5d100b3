"""What the workloads of a run did, as tables: trials, clips of video and their segments (H8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airmile.testbed.truth import tables
from airmile.testbed.truth.trials import log, rows, videos
from airmile.testbed.truth.trials.known import Known

if TYPE_CHECKING:
    from airmile.dataset import Dataset


def write(dataset: Dataset, facts: Mapping[str, Any]) -> None:
    """Write the tables of a run whose captures have been analysed.

    Parameters
    ----------
    dataset : Dataset
        The run, with its tables so far.
    facts : mapping
        The facts of the run (`testbed` of its manifest).
    """
    import pyarrow as pa

    known = Known(dataset, facts)
    found = sorted(rows.trials(log.read(dataset.path, facts["experiment"])), key=_start)
    every = {
        "trials": [known.completed(number, trial) for number, trial in enumerate(found, 1)],
        "clips": [],
        "video": [],
    }
    for trial, row in zip(found, every["trials"], strict=True):
        if trial.segments:
            every["clips"].append(videos.clip(trial, row))
            every["video"] += videos.segments(trial, row["trial"])
    for name, some in every.items():
        tables.write(dataset.path, name, pa.Table.from_pylist(some, schema=tables.schema(name)))


def _start(trial: rows.Trial) -> int:
    return trial.start_ns
