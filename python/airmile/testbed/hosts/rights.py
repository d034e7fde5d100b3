"""The rights of a run's processes: they run as an unprivileged user and end with the run.

A run needs root for its namespaces and devices, but the programs that use these do not. Each
program becomes a user that owns nothing, keeps only the capabilities that it lists, can gain none
(PR_SET_NO_NEW_PRIVS), and is killed with its parent (PR_SET_PDEATHSIG). A change of user clears
that last setting (prctl(2)), so it is made after the change. Files are opened before the change, or
by the parent.
"""

from __future__ import annotations

import codecs
import ctypes
import os
import signal
import struct
import subprocess
from collections.abc import Callable, Collection
from pathlib import Path

from airmile import _capabilities
from airmile._errors import OutputError
from airmile._words import listed

USER = 65_523
"""The number of the user and its group.

It lies between the numbers that systemd gives to services (61184 to 65519) and nobody (65534), so
that nothing else on a machine belongs to this user.
"""

NET_ADMIN, NET_RAW, IPC_LOCK = (
    _capabilities.NUMBERS[name] for name in ("NET_ADMIN", "NET_RAW", "IPC_LOCK")
)
"""Numbers of the capabilities that some programs keep."""

KEEPS = "AIRMILE_TESTBED_KEEPS"
"""The variable that makes a module of the testbed become the user.

Its value lists the capabilities to keep.
"""

_PDEATHSIG, _KEEPCAPS, _NO_NEW_PRIVS, _AMBIENT = 1, 8, 38, 47
_AMBIENT_RAISE = 2
_VERSION_3 = 0x20080522
_LIBC = ctypes.CDLL(None, use_errno=True)


def drop(keep: Collection[int] = ()) -> None:
    """Become the unprivileged user for good, if this process is root or may change its user."""
    if os.geteuid() == 0 or not _capabilities.lacking(["SETUID"]):
        _prctl(_KEEPCAPS, int(bool(keep)))
        os.setgroups([])
        os.setresgid(USER, USER, USER)
        os.setresuid(USER, USER, USER)
        if keep:
            _hold(keep)
    _prctl(_NO_NEW_PRIVS, 1)


def become() -> None:
    """Become the unprivileged user, if the runner of the run has requested it.

    Call this after the imports: the interpreter may be in a folder that only root can read.
    """
    keeps = os.environ.get(KEEPS)
    if keeps is not None:
        # Python loads this codec at the first look-up of a host, when it may no longer be readable.
        codecs.lookup("idna")
        parent = os.getppid()
        drop([int(each) for each in keeps.split()])
        die_with(parent)


def die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends; exit if the parent has ended."""
    _prctl(_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def dying() -> Callable[[], None]:
    """Return the function to call in a child of this process before it executes a program."""
    parent = os.getpid()
    return lambda: die_with(parent)


def check() -> None:
    """Check that this process has the capabilities of a run, and can become the unprivileged user.

    Raises
    ------
    OutputError
        A capability is missing, or the system has no such user, as a container with only one user.
    """
    require("a run")
    try:
        subprocess.run(["/bin/true"], preexec_fn=drop, check=True)
    except (OSError, subprocess.SubprocessError):
        raise OutputError(
            f"the workloads cannot run as the unprivileged user {USER}",
            "run it as root of the machine, or in a container with 65536 users",
        ) from None


def require(what: str) -> None:
    """Raise an error that names the capabilities which this process lacks.

    Raises
    ------
    OutputError
        A capability is missing; the hint says how to get it.
    """
    if missing := _capabilities.lacking(_capabilities.TESTBED):
        raise OutputError(f"{what} needs {listed(missing)}", _capabilities.advice(missing))


def permitted() -> int:
    """Return the bit mask of the capabilities that this process may have."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("CapPrm")), 16)


def _hold(wanted: Collection[int]) -> None:
    """Keep capabilities when the user changes, and through the next execve(2).

    Root of a container may lack some of them. A program that needs one of these fails with an error
    of its own, or works without it.
    """
    had = permitted()
    keep = [each for each in wanted if had >> each & 1]
    bits = sum(1 << each for each in keep)
    # Effective, permitted and inheritable sets of 2 x 32 bits; ours are in the first 32.
    _call(_LIBC.capset, struct.pack("=Ii", _VERSION_3, 0), struct.pack("=6I", *[bits] * 3, 0, 0, 0))
    for each in keep:
        _prctl(_AMBIENT, _AMBIENT_RAISE, each)


def _prctl(option: int, *arguments: int) -> None:
    every = [*arguments, 0, 0, 0, 0][:4]
    _call(_LIBC.prctl, option, *map(ctypes.c_ulong, every))


def _call(function: Callable[..., int], *arguments: object) -> None:
    if function(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
