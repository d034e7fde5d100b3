"""The packets of one flow, for which the captures of a dataset are read again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._errors import InputError, UsageError, engine_errors
from airmile.answers.verdict._flows import offer
from airmile.store import _captures
from airmile.store._rows import rows
from airmile.store._settings import settings

if TYPE_CHECKING:
    from airmile._engine import Option
    from airmile.dataset import Dataset


def read(dataset: Dataset, uid: int) -> pa.Table:
    """Return the packets of a flow, after checking that they are those which were analysed."""
    expected, ending = _packets_of(dataset, uid)
    from airmile import _engine

    try:
        with engine_errors():
            stream = _engine.trace(_captures.find(dataset), uid, _options(dataset))
            table = pa.RecordBatchReader.from_stream(stream).read_all()
    except InputError as error:
        raise _cut_before(dataset, uid) or error from None
    except UsageError as error:
        # The options come from the dataset, not from the user.
        raise InputError(f"{dataset.path}/manifest.json: {error.message}") from None
    if ending == "memory":
        # The analysis ended this flow early to save memory; later packets belong to another flow.
        table = table.slice(0, expected)
    if table.num_rows != expected and not dataset.manifest["interrupted"]:
        raise InputError(
            f"flow {uid} has {table.num_rows} packets in the capture and {expected} in "
            f"{dataset.path}: the capture has changed",
            "analyse it again with --overwrite",
        )
    return table


def _cut_before(dataset: Dataset, uid: int) -> InputError | None:
    """Return an error that names flows ended early, which may explain the missing packets."""
    ended = dataset.manifest.get("ended_for_memory", 0)
    if not ended:
        return None
    return InputError(
        f"flow {uid} continues a connection that was ended early in {dataset.path}, as {ended} "
        "were, to keep within --memory: it cannot be read alone",
        "analyse the capture again with more --memory, or a part of it",
    )


def _packets_of(dataset: Dataset, uid: int) -> tuple[int, str]:
    query = (
        "SELECT protocol, ending, coalesce(dl_packets, 0) + coalesce(ul_packets, 0) AS packets "
        "FROM flows"
    )
    found = rows(dataset, f"{query} WHERE uid = {uid}")
    if not found:
        raise UsageError(f"{dataset.path} has no flow {uid}", offer(dataset))
    if found[0]["protocol"] != "tcp":
        raise UsageError(
            f"flow {uid} is {found[0]['protocol']}: packets can be listed for TCP flows only",
            offer(dataset),
        )
    return int(found[0]["packets"]), str(found[0]["ending"])


def _options(dataset: Dataset) -> dict[str, Option]:
    """Return the options of the analysis that define flows and phones."""
    manifest = dataset.manifest
    vantage = manifest["vantage"]
    return {
        "vantage": vantage["value"] if vantage["source"] == "given" else "auto",
        "ue_net": manifest["ue_nets"],
        "set": settings(manifest.get("parameters", {})),
    }
