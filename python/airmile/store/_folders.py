"""Folders that runs hold while they write into them, as the engine does (crates/dataset)."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

HALF_MANIFEST = "manifest.partial"
"""A manifest while it is written; the engine calls it the same, and clears it away."""

_NUMBERS = 100
"""How many folders of one name are tried: some may be there to be kept."""


MARK = ".airmile-run"
"""The first file in such a folder and the last to leave it: a run has made what is beside it."""

_MARKED = b"made by a run of airmile"
"""What a mark begins with; the engine writes the same."""


@contextmanager
def beside(target: Path) -> Iterator[Path]:
    """Make a folder for a dataset beside its place; in the end it is gone, unless moved there.

    It lies in one that is held and marked, so that a run that finds it knows whose it is.

    Raises
    ------
    OSError
        None can be made.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    folder, handle = _claim(target)
    try:
        (folder / "new").mkdir()
        yield folder / "new"
    finally:
        # Whatever ends it, also an interrupt.
        remove(folder)
        os.close(handle)


def mark(folder: Path) -> int:
    """Hold a folder that was just made, then mark it; gives what holds it.

    Raises
    ------
    OSError
        It cannot be marked; then it is gone.
    """
    handle = os.open(folder, os.O_RDONLY)
    # A file system may have no locks: nothing is cleared away there.
    with suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        (folder / MARK).write_bytes(_MARKED + b", process %d\n" % os.getpid())
    except BaseException:
        remove(folder)
        os.close(handle)
        raise
    return handle


def is_marked(folder: Path) -> bool:
    """Return whether a run made a folder: a name alone proves nothing."""
    mark = folder / MARK
    try:
        if not (stat.S_ISDIR(folder.lstat().st_mode) and stat.S_ISREG(mark.lstat().st_mode)):
            return False
        with mark.open("rb") as file:
            return file.read(len(_MARKED)) == _MARKED
    except OSError:
        return False


def remove(folder: Path) -> None:
    """Remove a marked folder, the mark last: who is killed meanwhile leaves what has one."""
    with suppress(OSError):
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            elif entry.name != MARK:
                Path(entry.path).unlink()
        (folder / MARK).unlink(missing_ok=True)
        folder.rmdir()


def foreign(dataset: Path) -> str | None:
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
        try:
            folder.mkdir()
        except FileExistsError as error:
            last = error
        else:
            return folder, mark(folder)
    raise last or FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))


def sync(path: Path) -> None:
    """Wait until the disk has a file."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def is_held(folder: Path) -> bool:
    """Return whether a run holds a folder; true where that cannot be known."""
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
