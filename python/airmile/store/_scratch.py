"""Temporary folders, which are removed when the process that made them ends.

If the process is killed, the next one that makes such a folder removes the old ones.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from airmile.store import _folders

PREFIX = "airmile-"
"""The prefix of the names of temporary folders."""


@contextmanager
def folder() -> Iterator[Path]:
    """Yield a new, locked folder, and remove it afterwards.

    Raises
    ------
    OSError
        The folder cannot be made.
    """
    made, handle = _made()
    try:
        yield made
    finally:
        _folders.remove(made)
        os.close(handle)


def fresh() -> Path:
    """Return a path that does not exist, in a folder that the process removes at its end."""
    return _of_process() / uuid.uuid4().hex


@cache
def _of_process() -> Path:
    try:
        made, handle = _made()
    except OSError:
        # Few queries need temporary files, so the lack of a folder is not an error yet.
        return Path(tempfile.gettempdir())
    atexit.register(_leave, made, handle, os.getpid())
    return made


def _leave(made: Path, handle: int, pid: int) -> None:
    # A forked child must not remove the folder of its parent.
    if os.getpid() == pid:
        _folders.remove(made)
        os.close(handle)


def _made() -> tuple[Path, int]:
    _clear(Path(tempfile.gettempdir()))
    made = Path(tempfile.mkdtemp(prefix=PREFIX))
    return made, _folders.mark(made)


def _clear(place: Path) -> None:
    """Remove folders that killed processes of this user left, as far as possible."""
    if not _folders.free_locks_prove(place):
        return
    with suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX):
                _clear_one(Path(entry.path))


def _clear_one(path: Path) -> None:
    with suppress(OSError):
        if path.lstat().st_uid != os.getuid() or not _folders.is_marked(path):
            return
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _folders.remove(path)
        finally:
            os.close(handle)
