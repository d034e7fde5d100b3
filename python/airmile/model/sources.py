"""Where samples come from: a dataset, a CSV file, or a paper's percentiles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from airmile._errors import UsageError
from airmile.model._csv import from_csv
from airmile.model._flows import from_dataset
from airmile.model.inputs import Inputs
from airmile.model.published import PUBLISHED, Published

if TYPE_CHECKING:
    from airmile.dataset import Dataset


def read(where: str | Path | Dataset, direction: str = "downlink") -> Inputs:
    """Return what the model draws from.

    Parameters
    ----------
    where : str, path or Dataset
        A dataset or its directory, a CSV file, or a name of `PUBLISHED`.
    direction : {"downlink", "uplink"}
        Of the flows of a dataset.

    Raises
    ------
    UsageError
        It is none of these, or a number of the file is wrong; file, line and column are named.
    InputError
        The file or dataset cannot be read.

    Examples
    --------
    >>> float(np.median(read("eff14-4g").rtts_s).round(3))
    0.04
    >>> read(example).rtts_s.size
    1
    """
    import airmile

    if isinstance(where, airmile.Dataset):
        return from_dataset(where, direction)
    if str(where).lower() in PUBLISHED:
        return from_published(PUBLISHED[str(where).lower()])
    path = Path(where)
    if path.is_dir():
        return from_dataset(airmile.open(path), direction)
    if path.suffix.lower() in (".csv", ".tsv") or path.is_file():
        return from_csv(path)
    raise UsageError(
        f"{where}: neither a dataset, nor a CSV file, nor a published input",
        f"published are {', '.join(PUBLISHED)}",
    )


def from_published(published: Published) -> Inputs:
    """Return values that have a paper's percentiles."""
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
        # They are a distribution already: a kernel would only smear it.
        bandwidth="none",
        notes=tuple(notes),
        lacking={
            "loaded_rtts_s": f"{published.source} has none",
            "sizes_bytes": "a paper's percentiles hold no flows: give their sizes (--sizes)",
        },
    )
