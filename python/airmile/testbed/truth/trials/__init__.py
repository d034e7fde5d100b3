"""Tables of what the workloads of a run did: trials, video clips and segments (methods H8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airmile.testbed.truth import tables
from airmile.testbed.truth.trials import log, rows, videos
from airmile.testbed.truth.trials.known import Known

if TYPE_CHECKING:
    from airmile.store import Tables


def write(dataset: Tables, facts: Mapping[str, Any]) -> None:
    """Write these tables for a run whose captures have been analysed.

    Parameters
    ----------
    dataset : Tables
        The run with the tables that it has so far.
    facts : mapping
        The facts of the run, under `testbed` in its manifest.
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
