"""Which processes belong to the PID namespace of this one (pid_namespaces(7)).

A process sees those of its own namespace and of those below it, such as the processes of
containers. Its number for a process is another than the container's own.
"""

from __future__ import annotations

from pathlib import Path

from airmile._errors import OutputError

PROC = Path("/proc")


def check() -> None:
    """Check that /proc shows the processes by the numbers that this process uses.

    Raises
    ------
    OutputError
        /proc belongs to another PID namespace.
    """
    # NSpid has a number for each namespace from that of /proc down to that of the process.
    if len(status(PROC / "self").get("NSpid", "1").split()) != 1:
        raise OutputError(
            "/proc shows the processes of another PID namespace",
            "mount it again: mount -t proc proc /proc, or unshare with --mount-proc",
        )


def namespace(process: Path = PROC / "self") -> int | None:
    """Return the inode of a process's PID namespace; None if the process does not exist."""
    try:
        return (process / "ns" / "pid").stat().st_ino
    except OSError:
        return None


def is_of(handle: int, pid: int) -> bool:
    """Return whether a handle (pidfd_open(2)) is that of the process that /proc calls `pid`."""
    lines = (PROC / "self" / "fdinfo" / str(handle)).read_text().splitlines()
    return f"Pid:\t{pid}" in lines


def status(process: Path) -> dict[str, str]:
    """Return the lines of /proc/PID/status by their names.

    Raises
    ------
    OSError
        The process does not exist.
    """
    lines = (process / "status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
