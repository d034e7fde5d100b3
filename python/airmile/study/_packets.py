"""The packets of one flow of a dataset, which may be one of a folder of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airmile._errors import InputError, UsageError
from airmile.store import _runs
from airmile.store._needs import Missing

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.dataset import Dataset

HOW = "keep the capture where it was when it was analysed"


def of_flow(dataset: Dataset, flow: dict[str, Any]) -> pa.Table:
    """Return the packets of a flow, read again from the capture.

    Parameters
    ----------
    dataset : Dataset
        An analysis, or a folder of runs.
    flow : dict
        `run` and `uid` of the flow.

    Raises
    ------
    Missing
        The capture is not there any more, or has changed.
    """
    from airmile.dataset import Dataset

    folder = _runs.folders(dataset.path, dataset.manifest).get(flow["run"])
    try:
        run = Dataset(folder) if flow["run"] and folder else dataset
        return run.packets(flow["uid"])
    except (InputError, UsageError) as error:
        raise Missing(f"{dataset.path}: {error.message}", error.hint or HOW) from None
