"""Folders that a run locks while it writes into them, in the same way as the engine."""

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
"""The name of a manifest while it is being written; the engine uses it too, and removes it."""

_NUMBERS = 100
"""How many names are tried for a new folder, because folders of killed runs may exist."""


MARK = ".airmile-run"
"""The first file written to such a folder and the last one removed.

It proves that a run made the other files.
"""

_MARKED = b"made by a run of airmile"
"""The beginning of the mark's content; the engine writes the same."""


@contextmanager
def beside(target: Path) -> Iterator[Path]:
    """Yield a new folder for a dataset, in a locked and marked folder next to `target`.

    The caller moves the new folder to its place; otherwise it is removed.

    Raises
    ------
    OSError
        The folder cannot be made.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    folder, handle = _claim(target)
    try:
        (folder / "new").mkdir()
        yield folder / "new"
    finally:
        # This also runs after an interrupt.
        remove(folder)
        os.close(handle)


def mark(folder: Path) -> int:
    """Lock and mark a new folder, and return the handle of the lock.

    Raises
    ------
    OSError
        The folder cannot be marked; it is then removed.
    """
    handle = os.open(folder, os.O_RDONLY)
    # On a file system without locks, later runs remove nothing.
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
    """Return whether a run made a folder, by its mark."""
    mark = folder / MARK
    try:
        if not (stat.S_ISDIR(folder.lstat().st_mode) and stat.S_ISREG(mark.lstat().st_mode)):
            return False
        with mark.open("rb") as file:
            return file.read(len(_MARKED)) == _MARKED
    except OSError:
        return False


def remove(folder: Path) -> None:
    """Remove a marked folder; the mark is removed last, so that it stays if the run is killed."""
    with suppress(OSError):
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            elif entry.name != MARK:
                Path(entry.path).unlink()
        (folder / MARK).unlink(missing_ok=True)
        folder.rmdir()


def foreign(dataset: Path) -> str | None:
    """Return the name of a file in a dataset that airmile did not write; None if there is none."""
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
    """Make a locked folder next to a path, and return it with the handle of its lock."""
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
    """Wait until a file is on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def free_locks_prove(folder: Path) -> bool:
    """Return whether a folder without a lock belongs to no run: no other machine may hold one.

    False as well if that is unknown, because the engine cannot be loaded.
    """
    try:
        from airmile import _engine
    except ImportError:
        return False
    return _engine.free_locks_prove(str(folder))


def is_held(folder: Path) -> bool:
    """Return whether a run holds the lock of a folder; true if that is unknown."""
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
