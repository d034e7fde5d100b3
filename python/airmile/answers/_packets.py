"""The packets of one flow: the captures of a dataset are read once more, for that flow alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from airmile._errors import InputError, UsageError, engine_errors
from airmile.answers.verdict._flows import offer
from airmile.store import _captures
from airmile.store._rows import rows

if TYPE_CHECKING:
    from airmile._engine import Option
    from airmile.dataset import Dataset


def read(dataset: Dataset, uid: int) -> pa.Table:
    """Return the packets of a flow, and make sure that they are those which were analysed."""
    expected, ending = _packets_of(dataset, uid)
    from airmile import _engine

    try:
        with engine_errors():
            stream = _engine.trace(_captures.find(dataset), uid, _options(dataset))
            table = pa.RecordBatchReader.from_stream(stream).read_all()
    except InputError as error:
        raise _cut_before(dataset, uid) or error from None
    except UsageError as error:
        # Nobody gave an option here: what is wrong was read from the dataset.
        raise InputError(f"{dataset.path}/manifest.json: {error.message}") from None
    if ending == "memory":
        # What followed is another flow, and reading it for this one alone needs no such end.
        table = table.slice(0, expected)
    if table.num_rows != expected and not dataset.manifest["interrupted"]:
        raise InputError(
            f"flow {uid} has {table.num_rows} packets in the capture and {expected} in "
            f"{dataset.path}: the capture has changed",
            "analyse it again with --overwrite",
        )
    return table


def _cut_before(dataset: Dataset, uid: int) -> InputError | None:
    """Say what is missing where flows were ended early: this may be what followed one."""
    ended = dataset.manifest.get("ended_for_memory", 0)
    if not ended:
        return None
    return InputError(
        f"flow {uid} goes on a connection that was ended early in {dataset.path}, as {ended} were, "
        "to keep within --memory: it cannot be read alone",
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
            f"flow {uid} is {found[0]['protocol']}: only the packets of TCP flows tell more than "
            "their times",
            offer(dataset),
        )
    return int(found[0]["packets"]), str(found[0]["ending"])


def _options(dataset: Dataset) -> dict[str, Option]:
    """Return the options that decide what is a flow and who is the phone, as they were."""
    manifest = dataset.manifest
    vantage = manifest["vantage"]
    return {
        "vantage": vantage["value"] if vantage["source"] == "given" else "auto",
        "ue_net": manifest["ue_nets"],
        "set": [f"{name}={value!r}" for name, value in manifest.get("parameters", {}).items()],
    }
