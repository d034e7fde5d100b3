"""Finds the processes and namespaces of runs by their marks, and removes those of an ended run."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from airmile._errors import OutputError
from airmile.testbed.hosts import orphans, proc, rights
from airmile.testbed.hosts.attempts import Attempts
from airmile.testbed.hosts.owner import VARIABLE, Owner

NAMESPACES = Path("/run/netns")

PATIENCE_S = 3.0
"""How long processes may take to end after a signal, in seconds."""

_MARK = re.compile(rb"[0-9a-z]+(-[0-9]+)?")

_OURS = re.compile(r"^airmile-([0-9a-z]+(?:-[0-9]+)?)-(server|core|phone)$")
"""The names of namespaces; marks of older versions were numbers, with a hyphen between them."""


def found() -> Iterator[tuple[str, str]]:
    """Yield the mark and the name of each process and namespace of a run on this machine."""
    yield from ((match[1], f"namespace {file.name}") for file, match in _namespaces())
    for pid, mark in _processes():
        if mark and (name := _name(pid)):
            yield mark, f"process {pid} ({name})"


def end_processes(owner: Owner) -> Iterator[str]:
    """End the processes of a run, by SIGKILL if they do not end in time; yield their names.

    A process in another PID namespace gets no signal: it ends with its run, or is named.

    Raises
    ------
    OutputError
        Some processes do not end.
    """
    processes = _open(owner)
    left = set(processes)
    try:
        for number in (signal.SIGTERM, signal.SIGKILL):
            for handle in left:
                if processes[handle].is_ours:
                    with contextlib.suppress(OSError):
                        signal.pidfd_send_signal(handle, number)
            left = _wait(left)
    finally:
        for handle in processes:
            os.close(handle)
    yield from (str(each) for handle, each in processes.items() if handle not in left)
    if left:
        names = ", ".join(str(processes[handle]) for handle in sorted(left))
        raise OutputError(f"these do not end: {names}")


def remove_namespaces(owner: Owner) -> Iterator[str]:
    """Remove the namespaces of a run, with their devices and routes; yield their names.

    Raises
    ------
    OutputError
        A namespace could not be removed, or holds connections that cannot be ended.
    """
    from pyroute2 import netns

    attempts = Attempts()
    for file in [file for file, match in _namespaces() if match[1] == owner.mark]:
        with attempts.at(f"connections in {file.name}"):
            _end_connections(file)
        with attempts.at(f"namespace {file.name}"):
            netns.remove(file.name)
            yield f"namespace {file.name}"
    attempts.check()


def _end_connections(namespace: Path) -> None:
    from pyroute2 import netns

    # The file of a run in another mount namespace is an empty file here.
    if os.path.ismount(namespace):
        netns.pushns(namespace.name)
        try:
            orphans.destroy()
        finally:
            netns.popns()


def _namespaces() -> Iterator[tuple[Path, re.Match[str]]]:
    for file in sorted(NAMESPACES.glob("airmile-*")):
        if match := _OURS.match(file.name):
            yield file, match


def _processes() -> Iterator[tuple[int, str | None]]:
    """Return every other process, with the mark of its run or None."""
    inside, own = _inside(), (proc.PROC / "self").readlink()
    for folder in proc.PROC.glob("[0-9]*"):
        if folder.name != own.name:
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

    A process such as nginx overwrites its environment. Its namespace and its user, who has no other
    processes, show the mark; a user's shell in the namespace is not the run's.
    """
    with contextlib.suppress(OSError):
        for entry in (process / "environ").read_bytes().split(b"\0"):
            name, _, value = entry.partition(b"=")
            if name == VARIABLE.encode() and _MARK.fullmatch(value):
                return value.decode()
        if (mark := inside.get(_identity(process / "ns" / "net"))) and _is_of_a_run(process):
            return mark
    return None


def _name(pid: int) -> str | None:
    """Return the name of a process; None if the process has ended."""
    try:
        return (proc.PROC / str(pid) / "comm").read_text().strip()
    except OSError:
        return None


def _is_of_a_run(process: Path) -> bool:
    return set(proc.status(process).get("Uid", "").split()) == {str(rights.USER)}


@dataclass(frozen=True)
class _Process:
    """A process of a run, by its number in this PID namespace."""

    pid: int
    name: str
    is_ours: bool

    def __str__(self) -> str:
        where = "" if self.is_ours else " in another PID namespace"
        return f"process {self.pid} ({self.name}){where}"


def _open(owner: Owner) -> dict[int, _Process]:
    """Open the processes of a run as handles, which unlike numbers are never reused."""
    opened = {}
    for pid in [pid for pid, its in _processes() if its == owner.mark]:
        with contextlib.suppress(OSError):
            handle = os.pidfd_open(pid)
            try:
                opened[handle] = _examined(handle, pid, owner)
            except (OSError, LookupError):
                os.close(handle)
    return opened


def _examined(handle: int, pid: int, owner: Owner) -> _Process:
    """Describe an open process, after checking that the handle is that of the run's process."""
    process = proc.PROC / str(pid)
    name = _name(pid)
    if not name or not proc.is_of(handle, pid) or _mark(process, _inside()) != owner.mark:
        raise LookupError
    own = proc.namespace()
    is_ours = own is not None and own == proc.namespace(process) == owner.pid_namespace
    return _Process(pid, name, is_ours)


def _wait(handles: set[int]) -> set[int]:
    """Wait for processes until all have ended or the time is over; return those still running."""
    left = set(handles)
    until = time.monotonic() + PATIENCE_S
    while left and (rest_s := until - time.monotonic()) > 0:
        ended, _, _ = select.select(left, [], [], rest_s)
        left -= set(ended)
    return left
