"""The captures that a dataset was made from: they are not in it, and may be gone or changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from airmile._errors import InputError
from airmile.store import _parts

if TYPE_CHECKING:
    from airmile.dataset import Dataset

READ = ("ok", "partial")
"""States of an input that gave packets."""


def find(dataset: Dataset) -> list[str]:
    """Find the captures that gave packets.

    Raises
    ------
    InputError
        One is missing, or is not the same as when it was analysed.
    """
    sources = [source for source in dataset.manifest["inputs"] if source["status"] in READ]
    return [str(_capture(dataset, source)) for source in sources]


def are_there(dataset: Dataset) -> bool:
    """Return whether the packets can be read again."""
    try:
        return bool(find(dataset))
    except InputError:
        return False


def _capture(dataset: Dataset, source: dict[str, Any]) -> Path:
    name = source["name"]
    again = "analyse the capture where it is now, or draw from it: airmile plot CAPTURE --flow UID"
    if name == "-":
        raise InputError(
            f"{dataset.path} was read from a pipe, and its packets are gone",
            "keep the capture in a file: tcpdump -w FILE, then airmile FILE",
        )
    # A run of the testbed holds its captures, wherever it is now. Any other name is as it was
    # given: from the directory of that time, often the one that the dataset is in.
    places = (dataset.path / Path(name).name, Path(name), dataset.path.parent / name)
    path: Path | None = next(filter(_is_file, places), None)
    if path is None:
        raise InputError(f"{name}: missing; {dataset.path} was made from it", again)
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
        # As where a name from elsewhere is longer than any file system allows.
        return False
