"""The captures from which a dataset was made; they may have been moved or changed since."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from airmile._errors import InputError
from airmile.store import _parts

if TYPE_CHECKING:
    from airmile.store.tables import Tables

READ = ("ok", "partial")
"""The states of an input from which packets were read."""


def find(dataset: Tables) -> list[str]:
    """Return the paths of the captures from which packets were read.

    Raises
    ------
    InputError
        A capture is missing, or has changed since the analysis.
    """
    sources = [source for source in dataset.manifest["inputs"] if source["status"] in READ]
    return [str(_capture(dataset, source)) for source in sources]


def are_there(dataset: Tables) -> bool:
    """Return whether the packets can be read again."""
    try:
        return bool(find(dataset))
    except InputError:
        return False


def _capture(dataset: Tables, source: dict[str, Any]) -> Path:
    name = source["name"]
    again = "analyse the capture where it is now, or draw from it: airmile plot CAPTURE --flow UID"
    if name == "-":
        raise InputError(
            f"{dataset.path} was read from a pipe, and its packets are gone",
            "keep the capture in a file: tcpdump -w FILE, then airmile FILE",
        )
    # A testbed run contains its captures. All other names are relative to the directory in which
    # the analysis ran, which is often that of the dataset.
    places = (dataset.path / Path(name).name, Path(name), dataset.path.parent / name)
    path: Path | None = next(filter(_is_file, places), None)
    if path is None:
        raise InputError(f"{name} is missing; {dataset.path} was made from it", again)
    if path == places[0]:
        _parts.refuse_link(path)
    size, then = path.stat().st_size, source.get("size_bytes")
    if then is not None and size != then:
        raise InputError(f"{path}: {size} bytes, but {then} when {dataset.path} was made", again)
    return path


def _is_file(place: Path) -> bool:
    try:
        return place.is_file()
    except OSError:
        # A name from an untrusted manifest may be longer than a file system allows.
        return False
