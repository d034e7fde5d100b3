"""The packets of one flow: the captures of a dataset are read once more, for that flow alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from airmile._errors import InputError, UsageError, engine_errors
from airmile._flows import offer
from airmile._rows import rows

if TYPE_CHECKING:
    from airmile._engine import Option
    from airmile.dataset import Dataset

READ = ("ok", "partial")
"""States of an input that gave packets."""


def read(dataset: Dataset, uid: int) -> pa.Table:
    """Return the packets of a flow, and make sure that they are those which were analysed."""
    expected = _packets_of(dataset, uid)
    from airmile import _engine

    try:
        with engine_errors():
            stream = _engine.trace(_captures(dataset), uid, _options(dataset))
            table = pa.RecordBatchReader.from_stream(stream).read_all()
    except UsageError as error:
        # Nobody gave an option here: what is wrong was read from the dataset.
        raise InputError(f"{dataset.path}/manifest.json: {error.message}") from None
    if table.num_rows != expected and not dataset.manifest["interrupted"]:
        raise InputError(
            f"flow {uid} has {table.num_rows} packets in the capture and {expected} in "
            f"{dataset.path}: the capture has changed",
            "analyse it again with --overwrite",
        )
    return table


def _packets_of(dataset: Dataset, uid: int) -> int:
    query = (
        "SELECT protocol, coalesce(dl_packets, 0) + coalesce(ul_packets, 0) AS packets FROM flows"
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
    return int(found[0]["packets"])


def _captures(dataset: Dataset) -> list[str]:
    """Find the captures that gave packets, and refuse those that are no longer the same."""
    sources = [source for source in dataset.manifest["inputs"] if source["status"] in READ]
    return [str(_capture(dataset, source)) for source in sources]


def _capture(dataset: Dataset, source: dict[str, Any]) -> Path:
    name = source["name"]
    again = "analyse the capture where it is now, or draw from it: airmile plot CAPTURE --flow UID"
    if name == "-":
        raise InputError(
            f"{dataset.path} was read from a pipe, and its packets are gone",
            "keep the capture in a file: tcpdump -w FILE, then airmile FILE",
        )
    # A run of the testbed holds its captures, wherever it is now. Any other name stands as it was
    # given: from the directory of that time, often the one that the dataset is in.
    places = (dataset.path / Path(name).name, Path(name), dataset.path.parent / name)
    path: Path | None = next(filter(_is_file, places), None)
    if path is None:
        raise InputError(f"{name}: gone since {dataset.path} was made from it", again)
    size, then = path.stat().st_size, source.get("size_bytes")
    if then is not None and size != then:
        raise InputError(f"{path}: {size} bytes, but {then} when {dataset.path} was made", again)
    return path


def _is_file(place: Path) -> bool:
    try:
        return place.is_file()
    except OSError:
        # As where a stranger's name is longer than any.
        return False


def _options(dataset: Dataset) -> dict[str, Option]:
    """Return the options that decide what is a flow and who is the phone, as they were."""
    manifest = dataset.manifest
    vantage = manifest["vantage"]
    return {
        "vantage": vantage["value"] if vantage["source"] == "given" else "auto",
        "ue_net": manifest["ue_nets"],
        "set": [f"{name}={value!r}" for name, value in manifest.get("parameters", {}).items()],
    }
