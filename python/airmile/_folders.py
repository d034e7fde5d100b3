"""Folders that runs hold while they write into them, as the engine does (crates/dataset)."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold a folder: a run that finds one that nobody holds takes it for a killed one's."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        # A file system may have no locks: nothing is cleared away there.
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
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
