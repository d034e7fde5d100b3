"""Finds the processes and namespaces of a run by the mark of its owner, and removes them."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from airmile._errors import OutputError
from airmile.testbed.hosts import orphans
from airmile.testbed.hosts.attempts import Attempts
from airmile.testbed.hosts.owner import VARIABLE

NAMESPACES = Path("/run/netns")

PATIENCE_S = 3.0
"""How long processes may take to end after a signal, in seconds."""

_OURS = re.compile(r"^airmile-(\d+(?:-\d+)?)-(server|core|phone)$")


def marks() -> set[str]:
    """Return the marks of all runs that have a process or a namespace on this machine."""
    return {match[1] for _, match in _namespaces()} | {mark for _, mark in _processes() if mark}


def end_processes(mark: str) -> Iterator[str]:
    """End the processes of a run, by SIGKILL if they do not end in time; yield their names.

    Raises
    ------
    OutputError
        Some processes do not end.
    """
    found = _open(mark)
    left = set(found)
    try:
        for number in (signal.SIGTERM, signal.SIGKILL):
            for handle in left:
                with contextlib.suppress(OSError):
                    signal.pidfd_send_signal(handle, number)
            left = _wait(left)
    finally:
        for handle in found:
            os.close(handle)
    yield from (
        f"process {pid} ({name})" for each, (pid, name) in found.items() if each not in left
    )
    if left:
        pids = ", ".join(str(found[each][0]) for each in left)
        raise OutputError(f"these processes do not end: {pids}")


def remove_namespaces(mark: str) -> Iterator[str]:
    """Remove the namespaces of a run, with their devices and routes; yield their names.

    Raises
    ------
    OutputError
        A namespace could not be removed, or holds connections that cannot be ended.
    """
    from pyroute2 import netns

    attempts = Attempts()
    for file in [file for file, match in _namespaces() if match[1] == mark]:
        with attempts.at(f"connections in {file.name}"), _inside_of(file.name):
            orphans.destroy()
        with attempts.at(f"namespace {file.name}"):
            netns.remove(file.name)
            yield f"namespace {file.name}"
    attempts.check()


@contextlib.contextmanager
def _inside_of(namespace: str) -> Iterator[None]:
    from pyroute2 import netns

    netns.pushns(namespace)
    try:
        yield
    finally:
        netns.popns()


def _namespaces() -> Iterator[tuple[Path, re.Match[str]]]:
    for file in sorted(NAMESPACES.glob("airmile-*")):
        if match := _OURS.match(file.name):
            yield file, match


def _processes() -> Iterator[tuple[int, str | None]]:
    """Return every other process, with the mark of its run or None."""
    inside = _inside()
    for folder in Path("/proc").glob("[0-9]*"):
        if folder.name != str(os.getpid()):
            yield int(folder.name), _mark(folder, inside)


def _inside() -> dict[tuple[int, int] | None, str]:
    """Return the mark of each namespace of the testbed, by the namespace's device and inode."""
    marks = {_identity(file): match[1] for file, match in _namespaces()}
    marks.pop(None, None)
    return marks


def _identity(namespace: Path) -> tuple[int, int] | None:
    try:
        status = namespace.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _mark(process: Path, inside: Mapping[tuple[int, int] | None, str]) -> str | None:
    """Return the mark of a process.

    A process such as nginx overwrites its environment, and its namespace shows the mark. A process
    outside of the namespaces is recognised by its environment.
    """
    if mark := inside.get(_identity(process / "ns" / "net")):
        return mark
    with contextlib.suppress(OSError):
        for entry in (process / "environ").read_bytes().split(b"\0"):
            name, _, value = entry.partition(b"=")
            if name == VARIABLE.encode():
                return value.decode("ascii", "replace")
    return None


def _open(mark: str) -> dict[int, tuple[int, str]]:
    """Open the processes of a run as handles, which unlike numbers are never reused."""
    found = {}
    for pid in [pid for pid, its in _processes() if its == mark]:
        with contextlib.suppress(OSError):
            process, handle = Path(f"/proc/{pid}"), os.pidfd_open(pid)
            name = (process / "comm").read_text().strip()
            if _mark(process, _inside()) == mark:
                found[handle] = (pid, name)
            else:
                os.close(handle)
    return found


def _wait(handles: set[int]) -> set[int]:
    """Wait for processes until all have ended or the time is over; return those still running."""
    left = set(handles)
    until = time.monotonic() + PATIENCE_S
    while left and (rest_s := until - time.monotonic()) > 0:
        ended, _, _ = select.select(left, [], [], rest_s)
        left -= set(ended)
    return left
