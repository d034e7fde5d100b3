"""The owner of a run: the process that runs it, distinguished from later ones of that number.

Process numbers are reused, so an owner is the number together with the time when the process began
(field 22 of ``/proc/PID/stat``, proc_pid_stat(5)). Its mark, ``PID-TICKS``, is in the name or the
environment of everything that a run makes.
"""

from __future__ import annotations

import os
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

VARIABLE = "AIRMILE_TESTBED_RUN"
"""The variable with the mark of the owner, in the environment of every process of a run."""

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_ENDED_STATES = ("Z", "X")
"""States of a process that has ended and has not been waited for."""


@dataclass(frozen=True)
class Owner:
    """A process, by its number and its start time.

    Parameters
    ----------
    pid : int
        Its number.
    ticks : int, optional
        Its start, in clock ticks after boot; None if unknown, when any process of this number
        counts.
    """

    pid: int
    ticks: int | None

    @classmethod
    def me(cls) -> Owner:
        """Give this process."""
        pid = os.getpid()
        return cls(pid, _began(pid))

    @classmethod
    def of(cls, mark: str) -> Owner | None:
        """Read a mark; None where the text is not one."""
        found = re.fullmatch(r"([0-9]{1,10})(?:-([0-9]{1,20}))?", mark)
        return cls(int(found[1]), int(found[2]) if found[2] else None) if found else None

    @property
    def mark(self) -> str:
        """The text that is put into names and environments."""
        return str(self.pid) if self.ticks is None else f"{self.pid}-{self.ticks}"

    def alive(self) -> bool:
        """Say whether the process is still running."""
        began = _began(self.pid)
        return began is not None and self.ticks in (None, began)


@contextmanager
def endable() -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and SIGHUP end the block as an exception, so that it clears up.

    Only the first one counts: a second would interrupt the clearing up. A signal that the process
    ignores (``nohup``) stays ignored, and only the main thread gets them (signal(7)).
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _ENDING}
    heard = [number for number, handler in before.items() if handler is not signal.SIG_IGN]

    def end(number: int, _: FrameType | None) -> NoReturn:
        for each in heard:
            signal.signal(each, signal.SIG_IGN)
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(128 + number)

    for number in heard:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, before[number])


@contextmanager
def undisturbed() -> Iterator[None]:
    """Hold these signals back until the block has ended."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _began(pid: int) -> int | None:
    """Give the clock ticks from boot to the start of a process; None without such a process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The name in brackets may hold spaces and brackets: fields 3 and on follow the last one.
    rest = stat.rpartition(")")[2].split()
    return None if rest[0] in _ENDED_STATES else int(rest[19])
