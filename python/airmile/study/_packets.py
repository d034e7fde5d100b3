"""The packets of flows, read from the captures of a dataset or of a folder of runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airmile._errors import InputError, UsageError
from airmile.store import Tables, _runs
from airmile.store._needs import Missing
from airmile.study import _shared

if TYPE_CHECKING:
    import pyarrow as pa


HOW = "keep the capture where it was when it was analysed"


def of_flow(dataset: Tables, flow: Mapping[str, Any]) -> pa.Table:
    """Return the packets of a flow, as `of_flows` yields them."""
    ((_, packets),) = of_flows(dataset, [flow])
    return packets


def of_flows(
    dataset: Tables, flows: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[Mapping[str, Any], pa.Table]]:
    """Yield flows with their packets, which are read from the captures again, run by run.

    If other exhibits of the same page need packets, the same pass reads these, too.

    Parameters
    ----------
    dataset : Tables
        An analysis of a capture, or a folder of runs.
    flows : sequence of dict
        `run` and `uid` of each flow.

    Raises
    ------
    Missing
        A capture no longer exists, or has changed since the analysis.
    """
    try:
        for run in dict.fromkeys(flow["run"] for flow in flows):
            own = {flow["uid"]: flow for flow in flows if flow["run"] == run}
            for uid, packets in _shared.packets(dataset, opened(dataset, run), run, list(own)):
                yield own[uid], packets
    except (InputError, UsageError) as error:
        raise Missing(f"{dataset.path}: {error.message}", error.hint or HOW) from None


def opened(dataset: Tables, run: str) -> Tables:
    """Return the dataset of a run."""
    folder = _runs.folders(dataset.path, dataset.manifest).get(run)
    return Tables(folder) if run and folder else dataset
