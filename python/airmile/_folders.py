"""Folders that runs hold while they write into them, as the engine does (crates/dataset)."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

HALF_MANIFEST = "manifest.partial"
"""A manifest while it is written; the engine calls it the same, and clears it away."""

_NUMBERS = 100
"""How many folders of one name are tried: some may be there to be kept."""


@contextmanager
def beside(target: Path) -> Iterator[Path]:
    """Make and hold a folder beside a dataset's place; in the end it is gone, unless moved there.

    A run that finds a folder that nobody holds takes it for a killed one's.

    Raises
    ------
    OSError
        None can be made.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    folder, handle = _claim(target)
    try:
        yield folder
    finally:
        # Whatever ends it, also an interrupt; after the move there is nothing left here.
        shutil.rmtree(folder, ignore_errors=True)
        os.close(handle)


def stranger(dataset: Path) -> str | None:
    """Name what is neither a manifest nor a folder of parts: it must not be lost."""
    names = ("manifest.json", HALF_MANIFEST)
    for entry in sorted(os.scandir(dataset), key=lambda entry: entry.name):
        ours = entry.name in names and entry.is_file(follow_symlinks=False)
        if not ours and not _is_table(entry):
            return entry.name
    return None


def _is_table(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False) and all(
        re.fullmatch(r"part-.*\.parquet", part.name) and part.is_file(follow_symlinks=False)
        for part in os.scandir(entry.path)
    )


def _claim(target: Path) -> tuple[Path, int]:
    """Make a folder, and give it with what holds it."""
    last: OSError | None = None
    for number in range(1, _NUMBERS + 1):
        again = "" if number == 1 else f"-{number}"
        folder = target.with_name(f".{target.name}.{os.getpid()}{again}.partial")
        if os.path.lexists(folder.with_suffix(".old")):
            continue
        try:
            return folder, _made(folder)
        except FileExistsError as error:
            last = error
    raise last or FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))


def _made(folder: Path) -> int:
    """Make a folder and hold it, anew where another run took it for a dead one's meanwhile."""
    while True:
        folder.mkdir()
        try:
            handle = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:
            continue
        # A file system may have no locks: nothing is cleared away there.
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), folder.lstat()):
                return handle
        os.close(handle)


def sync(path: Path) -> None:
    """Wait until the disk has a file."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def is_held(folder: Path) -> bool:
    """Tell whether a run holds a folder; where that cannot be told, it does."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False
