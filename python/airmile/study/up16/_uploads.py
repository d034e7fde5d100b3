"""The largest upload of each run in a dataset, which may also be a single run."""

from __future__ import annotations

import pyarrow as pa

from airmile.store import Tables, _runs
from airmile.store._needs import Missing
from airmile.uplink import Upload, upload


def uploads(dataset: Tables, sender: pa.Table | None) -> dict[str, Upload]:
    """Return the largest upload of each run that has one.

    Raises
    ------
    Missing
        No run has an upload; the error says what the first run lacks.
    """
    found: dict[str, Upload] = {}
    lacking: Missing | None = None
    for run, folder in _runs.folders(dataset.path, dataset.manifest).items():
        try:
            found[run] = upload(Tables(folder) if run else dataset, sender=sender)
        except Missing as error:
            lacking = lacking or error
    if not found:
        raise lacking or Missing(f"{dataset.path}: no runs", "airmile testbed run NAME")
    return found
