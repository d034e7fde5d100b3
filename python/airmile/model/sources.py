"""The place from which the model takes its samples: a dataset, a CSV file or a paper."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from airmile._errors import UsageError
from airmile.model._csv import from_csv
from airmile.model._flows import from_dataset
from airmile.model.inputs import Inputs
from airmile.model.published import PUBLISHED, Published
from airmile.store import Tables


def read(where: str | Path | Tables, direction: str = "downlink") -> Inputs:
    """Return the samples from which the model draws.

    Parameters
    ----------
    where : str, path or Tables
        A dataset or its directory, a CSV file, or a name in `PUBLISHED`.
    direction : {"downlink", "uplink"}
        The direction of a dataset's flows.

    Raises
    ------
    UsageError
        `where` is none of these, or a number in the file is wrong; the error names file, line and
        column.
    InputError
        The file or dataset cannot be read.

    Examples
    --------
    >>> float(np.median(read("eff14-4g").rtts_s).round(3))
    0.04
    >>> read(example).rtts_s.size
    1
    """
    if isinstance(where, Tables):
        return from_dataset(where, direction)
    if str(where).lower() in PUBLISHED:
        return from_published(PUBLISHED[str(where).lower()])
    path = Path(where)
    if path.is_dir():
        return from_dataset(Tables(path), direction)
    if path.suffix.lower() in (".csv", ".tsv") or path.is_file():
        return from_csv(path)
    raise UsageError(
        f"{where}: neither a dataset, nor a CSV file, nor a published input",
        f"the published inputs are {', '.join(PUBLISHED)}",
    )


def from_published(published: Published) -> Inputs:
    """Return samples that have the percentiles of a paper."""
    loaded = published.loaded_rtt_ms
    notes = [
        f"{published.title}: half a log-normal on each side of the median, through the 5th, 50th "
        f"and 95th percentile of {published.source}: an approximation"
    ]
    if loaded is not None:
        notes.append(f"{published.title} under load: {published.loaded_source}")
    return Inputs(
        published.title,
        rates_bps=published.downlink_kbps.values() * 1e3,
        rtts_s=published.rtt_ms.values() / 1e3,
        loaded_rtts_s=np.empty(0) if loaded is None else loaded.values() / 1e3,
        of_percentiles=True,
        # These values already follow the distribution, and a kernel would widen it.
        bandwidth="none",
        notes=tuple(notes),
        lacking={
            "loaded_rtts_s": f"{published.source} has none",
            "sizes_bytes": "a paper's percentiles have no sizes of flows: give them (--sizes)",
        },
    )
