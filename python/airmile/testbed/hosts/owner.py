"""The owner of a run, and whether it has ended.

A run holds a lock (flock(2)) on its record, a file in its state folder and in the folder that it
writes, until its process ends in whatever way. The lock decides whether the run is going on. A
process number could not: it means nothing in another PID namespace, such as a container's, and it
is given again. The processes that a run starts do not inherit the lock.

A free lock proves the end only if everybody who can open the record takes locks from this kernel,
and if the record is the one that the run has made. So the record holds the identity of its own
file, which a copy does not have, and that of the boot. What is not proven is not touched.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import stat
import string
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from airmile import _engine
from airmile.testbed.hosts import proc

VARIABLE = "AIRMILE_TESTBED_RUN"
"""The environment variable of every process of a run that holds the mark of the run."""

RECORD = ".owner"
"""The name of the file that a run locks, in each folder of its own."""

MARK_LENGTH = 9
"""The length of a mark: a congestion control named after it may have 15 characters."""

VERSION = 1
"""The version of the record; a record of another version proves nothing."""

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_MARK = re.compile(rf"[a-z][a-z0-9]{{{MARK_LENGTH - 1}}}")
_MOST_BYTES = 4096


class RunningError(Exception):
    """The run is going on: its process holds the lock."""


class UnprovenError(Exception):
    """Whether the run has ended is unknown; the message gives the reason."""


@dataclass(frozen=True)
class Owner:
    """A run, by the mark in the name or the environment of everything that it makes.

    Parameters
    ----------
    mark : str
        Letters and digits that no other run has.
    boot : str, optional
        The kernel's number of the boot in which the run began; None if the kernel has none.
    pid_namespace : int, optional
        The inode of the PID namespace of the run's processes.
    """

    mark: str
    boot: str | None
    pid_namespace: int | None

    @classmethod
    def new(cls) -> Owner:
        """Return the owner of a new run of this process."""
        letters = string.ascii_lowercase
        first, more = secrets.choice(letters), letters + string.digits
        mark = first + "".join(secrets.choice(more) for _ in range(MARK_LENGTH - 1))
        return cls(mark, boot(), proc.namespace())


def boot() -> str | None:
    """Return the kernel's number of this boot (random(4)); None if the kernel has none."""
    try:
        return _BOOT.read_text().strip()
    except OSError:
        return None


def hold(folder: Path, owner: Owner) -> int:
    """Make the record of a run in a folder, and return the handle of its lock.

    Raises
    ------
    OSError
        The record exists, or cannot be written.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    handle = os.open(folder / RECORD, flags, 0o600)
    try:
        # On a file system without locks, nobody can prove that the run has ended.
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        text = json.dumps({"version": VERSION, **asdict(owner), "file": _identity(handle)})
        os.write(handle, text.encode())
    except BaseException:
        os.close(handle)
        raise
    return handle


@contextmanager
def after_end(folder: Path) -> Iterator[Owner]:
    """Yield the owner of a folder, proven to have ended; meanwhile nobody else can take it over.

    Raises
    ------
    RunningError
        The run is going on, or somebody else is removing what it left.
    UnprovenError
        Nothing proves that the run has ended.
    """
    with _opened(folder) as handle:
        _take(handle)
        yield _proven(handle, folder)


@contextmanager
def made_by(owner: Owner, folder: Path) -> Iterator[bool]:
    """Yield whether an owner that has ended has made the record in a folder.

    Raises
    ------
    RunningError
        Another run is replacing the folder.
    UnprovenError
        The record cannot be read.
    """
    with _opened(folder) as handle:
        # Where locks fail, no run replaces the folder of another.
        with suppress(UnprovenError):
            _take(handle)
        record = _read(handle)
        yield _is_original(record, handle, folder) and record["mark"] == owner.mark


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    try:
        handle = os.open(folder / RECORD, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        raise UnprovenError(f"its lock is not to be seen in {folder}") from None
    except OSError as error:
        raise UnprovenError(f"its record cannot be opened ({error.strerror})") from None
    try:
        yield handle
    finally:
        os.close(handle)


def _take(handle: int) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RunningError from None
    except OSError as error:
        raise UnprovenError(f"its file system has no locks ({error.strerror})") from None


def _proven(handle: int, folder: Path) -> Owner:
    """Return the owner in a locked record, after checking that the free lock proves its end."""
    if not _engine.free_locks_prove(str(folder)):
        raise UnprovenError("its file system may be shared with other machines")
    record = _read(handle)
    if record.get("version") != VERSION:
        raise UnprovenError("another version of airmile has made it")
    if record.get("boot") is None or record["boot"] != boot():
        raise UnprovenError("it began on another machine, or before this one was started")
    if not _is_original(record, handle, folder):
        raise UnprovenError("its record is a copy")
    return Owner(record["mark"], record["boot"], record.get("pid_namespace"))


def _is_original(record: Mapping[str, Any], handle: int, folder: Path) -> bool:
    """Return whether an open record is the file that the run has made, and still at its place.

    A lock on a copy says nothing, nor does one on the lower file of an overlay file system.
    """
    try:
        found = (folder / RECORD).lstat()
    except OSError:
        return False
    return record.get("file") == _identity(handle) == [found.st_dev, found.st_ino]


def _read(handle: int) -> dict[str, Any]:
    """Return the content of a record; it is empty if no run has written it."""
    text = os.read(handle, _MOST_BYTES) if stat.S_ISREG(os.fstat(handle).st_mode) else b""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    known = isinstance(record, dict) and isinstance(record.get("mark"), str)
    return record if known and _MARK.fullmatch(record["mark"]) else {}


def _identity(handle: int) -> list[int]:
    status = os.fstat(handle)
    return [status.st_dev, status.st_ino]
