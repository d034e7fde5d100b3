"""The Parquet parts of a dataset: which there are, and whether they are as they were written.

A manifest lists size and digest of each part. A part is checked before it is first read in a
process, in one pass over its bytes; only tables that a query names are. Digests show damage: a
broken disk, a copy that was cut, a file that was laid in. Who can write the manifest can write a
digest too, so they are no proof of where a dataset comes from.

A name in a manifest is compared with what is in the folder and never opened. A symbolic link in
a dataset, which may lead anywhere, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from airmile._errors import InputError
from airmile.store._tables import is_table

Manifests = Mapping[Path, Mapping[str, Any]]
"""Folders of datasets, resolved, and their manifests."""

Parts = dict[str, list[Path]]
"""The files of each table, in the order of their rows."""

AGAIN = "copy the dataset once more, or analyse the capture again with --overwrite"

MISSING = "lay the file back in its place, or analyse the capture again with --overwrite"

_checked: set[tuple[Path, int, int, int, str]] = set()
"""What was found whole in this process: as long as a file stays as it is, it is not read again."""


def find(manifests: Manifests) -> Parts:
    """Find the parts of each table: of a dataset, or of all the runs that it is made of.

    Raises
    ------
    InputError
        A link leads out of the dataset, or the parts are not those that the manifest lists.
    """
    found: Parts = {}
    for dataset, manifest in manifests.items():
        here = _of(dataset)
        _compare(dataset, manifest.get("parts"), here)
        for table, files in here.items():
            found.setdefault(table, []).extend(files)
    # `flows` comes first: the other views are restricted by it.
    return dict(sorted(found.items(), key=lambda item: item[0] != "flows"))


def expected(manifests: Manifests) -> dict[Path, tuple[int, str]]:
    """Return size and digest of every part that a manifest lists."""
    return {
        dataset / name: (part["size_bytes"], part["xxh3_128"])
        for dataset, manifest in manifests.items()
        for name, part in (manifest.get("parts") or {}).items()
    }


def check(files: Iterable[Path], known: Mapping[Path, tuple[int, str]]) -> None:
    """Refuse parts that are not as they were written; of older datasets nothing is known.

    Raises
    ------
    InputError
        One is damaged, or cannot be read.
    """
    for file in files:
        check_name(file)
        if file in known and (fault := damage(file, *known[file])):
            raise InputError(f"{file}: {fault}", MISSING if fault == _GONE else AGAIN)


def check_name(file: Path) -> None:
    """Refuse a name that neither DuckDB nor pyarrow accepts.

    Raises
    ------
    InputError
        It is not UTF-8.
    """
    try:
        str(file).encode()
    except UnicodeEncodeError:
        raise InputError(f"{file}: {_NO_UTF8}", "rename the file, or the folders above") from None


_GONE = "missing"
_NO_UTF8 = "the name is not UTF-8"


def damage(file: Path, size: int, digest: str) -> str | None:
    """Say what is wrong with a part; None where it is as it was written."""
    from airmile import _engine

    try:
        state = file.stat()
        same = (file, state.st_ino, state.st_mtime_ns, state.st_size, digest)
        if state.st_size != size:
            return f"damaged: it has {state.st_size} bytes and was written with {size}"
        if same not in _checked and _engine.digest_file(str(file))[1] != digest:
            return "damaged: its digest is not that in the manifest"
    except FileNotFoundError:
        return _GONE
    except OSError as error:
        return error.strerror or str(error)
    except UnicodeEncodeError:
        return _NO_UTF8
    _checked.add(same)
    return None


def digests(dataset: Path) -> dict[str, dict[str, Any]]:
    """Return size and digest of every part in a folder, as a manifest lists them."""
    from airmile import _engine

    found = {}
    for file in (file for files in _of(dataset.resolve()).values() for file in files):
        size, digest = _engine.digest_file(str(file))
        name = f"{file.parent.name}/{file.name}"
        found[name] = {"size_bytes": size, "xxh3_128": digest}
    return found


def refuse_link(path: Path) -> None:
    """Refuse a symbolic link in a dataset: it may lead anywhere.

    Raises
    ------
    InputError
        It is one, or cannot be looked at, as by a name that is too long.
    """
    try:
        link = path.is_symlink()
    except OSError as error:
        raise InputError(f"{_short(path)}: {error.strerror or error}", AGAIN) from None
    if link:
        raise InputError(
            f"{path}: a symbolic link, which a dataset does not hold",
            "lay the file itself in its place, if you trust it",
        )


def _short(path: Path) -> Path:
    """Cut a name that no file can have."""
    return path if len(path.name) <= _LONGEST else path.with_name(f"{path.name[:40]}...")


_LONGEST = 255
"""The longest name in bytes, on nearly all file systems."""


def _of(dataset: Path) -> Parts:
    """Find the parts in one folder."""
    folders = [each for each in sorted(dataset.iterdir()) if is_table(each.name) and each.is_dir()]
    found = {}
    for folder in folders:
        refuse_link(folder)
        if files := sorted(_files(folder), key=_number):
            found[folder.name] = files
    return found


def _files(folder: Path) -> Iterator[Path]:
    for file in folder.glob("*.parquet"):
        refuse_link(file)
        if file.is_file():
            yield file


def _compare(dataset: Path, listed: Mapping[str, Any] | None, here: Parts) -> None:
    """Refuse a dataset that lacks parts, or holds more than it was written with."""
    if listed is None:
        return
    there = {f"{file.parent.name}/{file.name}" for files in here.values() for file in files}
    newer = {name for name in set(listed) - there if _is_of_newer(dataset, name)}
    if missing := sorted(set(listed) - there - newer):
        others = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise InputError(f"{dataset}: its file {missing[0]!r} is missing{others}", MISSING)
    if more := sorted(there - set(listed)):
        raise InputError(
            f"{dataset}: {more[0]!r} is here and not in its manifest", "move that file away"
        )


def _is_of_newer(dataset: Path, name: str) -> bool:
    """Return whether a part, which is left alone, is of a table that only a newer airmile knows."""
    found = re.fullmatch(r"([a-z][a-z0-9_]*)/part-[0-9]+\.parquet", name)
    if found is None or is_table(found[1]):
        return False
    refuse_link(dataset / found[1])
    refuse_link(dataset / name)
    return (dataset / name).is_file()


def _number(part: Path) -> tuple[int, str]:
    digits = re.search(r"(\d{1,9})\.parquet$", part.name)
    return (int(digits[1]) if digits else 0, part.name)
