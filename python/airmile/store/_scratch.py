"""Folders among the temporary files, gone when their run ends.

What a run leaves that was killed goes with the next one that makes such a folder.
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
"""What the name of each begins with."""


@contextmanager
def folder() -> Iterator[Path]:
    """Make and hold a folder; in the end it is gone.

    Raises
    ------
    OSError
        None can be made.
    """
    made, handle = _made()
    try:
        yield made
    finally:
        _folders.remove(made)
        os.close(handle)


def fresh() -> Path:
    """Name a folder that is not there, in one that is gone when the process ends."""
    return _of_process() / uuid.uuid4().hex


@cache
def _of_process() -> Path:
    try:
        made, handle = _made()
    except OSError:
        # Few queries need it.
        return Path(tempfile.gettempdir())
    atexit.register(_leave, made, handle, os.getpid())
    return made


def _leave(made: Path, handle: int, pid: int) -> None:
    # A process that forked shares it with its children.
    if os.getpid() == pid:
        _folders.remove(made)
        os.close(handle)


def _made() -> tuple[Path, int]:
    _clear(Path(tempfile.gettempdir()))
    made = Path(tempfile.mkdtemp(prefix=PREFIX))
    return made, _folders.mark(made)


def _clear(place: Path) -> None:
    """Remove what dead runs of this user left; what cannot be removed stays."""
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
