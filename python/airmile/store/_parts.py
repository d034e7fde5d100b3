"""The Parquet parts of a dataset, and whether they are unchanged.

A manifest lists the size and the digest of each part. A process checks the parts of a table before
it first reads them. Digests reveal damage: a broken disk, a truncated copy, an added file. They do
not prove where a dataset comes from, because whoever writes a manifest can also write its digests.

The names in a manifest are only compared with the files in the folder, and never opened. A symbolic
link in a dataset is refused, because it may lead anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from airmile._errors import InputError
from airmile.store._tables import is_table

Manifests = Mapping[Path, Mapping[str, Any]]
"""The resolved folders of datasets, with their manifests."""

Parts = dict[str, list[Path]]
"""The files of each table, in the order of their rows."""

AGAIN = "copy the dataset once more, or analyse the capture again with --overwrite"

MISSING = "put the file back, or analyse the capture again with --overwrite"

_checked: set[tuple[Path, int, int, int, str]] = set()
"""The state of each part that passed the check in this process, and need not be checked again."""


def find(manifests: Manifests) -> Parts:
    """Return the parts of each table, of a dataset or of all of its runs.

    Raises
    ------
    InputError
        A part is a link, or the parts are not those that the manifest lists.
    """
    found: Parts = {}
    for dataset, manifest in manifests.items():
        here = _of(dataset)
        _compare(dataset, manifest.get("parts"), here)
        for table, files in here.items():
            found.setdefault(table, []).extend(files)
    # The views of other tables are restricted by that of `flows`, so it comes first.
    return dict(sorted(found.items(), key=lambda item: item[0] != "flows"))


def expected(manifests: Manifests) -> dict[Path, tuple[int, str]]:
    """Return the size and the digest of every part that a manifest lists."""
    return {
        dataset / name: (part["size_bytes"], part["xxh3_128"])
        for dataset, manifest in manifests.items()
        for name, part in (manifest.get("parts") or {}).items()
    }


def check(files: Iterable[Path], known: Mapping[Path, tuple[int, str]]) -> None:
    """Raise an error if parts have changed; parts of older datasets have no digests.

    Raises
    ------
    InputError
        A part is damaged, or cannot be read.
    """
    for file in files:
        check_name(file)
        if file in known and (fault := damage(file, *known[file])):
            raise InputError(f"{file}: {fault}", MISSING if fault == _GONE else AGAIN)


def check_name(file: Path) -> None:
    """Raise an error for a name that DuckDB and pyarrow do not accept.

    Raises
    ------
    InputError
        The name is not UTF-8.
    """
    try:
        str(file).encode()
    except UnicodeEncodeError:
        raise InputError(f"{file}: {_NO_UTF8}", "rename the file, or the folders above") from None


_GONE = "missing"
_NO_UTF8 = "the name is not UTF-8"


def damage(file: Path, size: int, digest: str) -> str | None:
    """Return what is wrong with a part; None if it is unchanged."""
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
    """Return the size and the digest of every part in a folder, as a manifest lists them."""
    from airmile import _engine

    found = {}
    for file in (file for files in _of(dataset.resolve()).values() for file in files):
        size, digest = _engine.digest_file(str(file))
        name = f"{file.parent.name}/{file.name}"
        found[name] = {"size_bytes": size, "xxh3_128": digest}
    return found


def refuse_link(path: Path) -> None:
    """Raise an error for a symbolic link in a dataset: a link may lead anywhere.

    Raises
    ------
    InputError
        The path is a link, or cannot be examined, for example because its name is too long.
    """
    try:
        link = path.is_symlink()
    except OSError as error:
        raise InputError(f"{_short(path)}: {error.strerror or error}", AGAIN) from None
    if link:
        raise InputError(
            f"{path}: a symbolic link, which is not allowed in a dataset",
            "replace it by the file itself, if you trust it",
        )


def _short(path: Path) -> Path:
    """Return the path; a name that is too long for a file is cut."""
    return path if len(path.name) <= _LONGEST else path.with_name(f"{path.name[:40]}...")


_LONGEST = 255
"""The longest name of a file, in bytes, on nearly all file systems."""


def _of(dataset: Path) -> Parts:
    """Return the parts in one folder, by table."""
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
    """Raise an error if a dataset lacks parts, or has others than those listed."""
    if listed is None:
        return
    there = {f"{file.parent.name}/{file.name}" for files in here.values() for file in files}
    newer = {name for name in set(listed) - there if _is_of_newer(dataset, name)}
    if missing := sorted(set(listed) - there - newer):
        others = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise InputError(f"{dataset}: its file {missing[0]!r} is missing{others}", MISSING)
    if more := sorted(there - set(listed)):
        raise InputError(f"{dataset}: {more[0]!r} is not in its manifest", "move that file away")


def _is_of_newer(dataset: Path, name: str) -> bool:
    """Return whether a part belongs to a table that only a newer airmile knows, and is ignored."""
    found = re.fullmatch(r"([a-z][a-z0-9_]*)/part-[0-9]+\.parquet", name)
    if found is None or is_table(found[1]):
        return False
    refuse_link(dataset / found[1])
    refuse_link(dataset / name)
    return (dataset / name).is_file()


def _number(part: Path) -> tuple[int, str]:
    digits = re.search(r"(\d{1,9})\.parquet$", part.name)
    return (int(digits[1]) if digits else 0, part.name)
