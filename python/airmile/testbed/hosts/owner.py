"""Whose a run is: the process that runs it, told apart from a later one with the same number.

A process number is given again, so an owner is the number together with the time the process
began (field 22 of ``/proc/PID/stat``, proc_pid_stat(5)). Its mark, ``PID-TICKS``, is in the name or
the environment of whatever a run makes.
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
"""In the environment of every process of a run: the mark of its owner."""

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_ENDED_STATES = ("Z", "X")
"""Killed, and only not yet waited for."""


@dataclass(frozen=True)
class Owner:
    """A process, by its number and when it began.

    Parameters
    ----------
    pid : int
        Its number.
    ticks : int, optional
        When it began, in clock ticks after boot; None: not known, and any process of this number
        is taken for it.
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
        """Read a mark; None where it is none."""
        found = re.fullmatch(r"([0-9]{1,10})(?:-([0-9]{1,20}))?", mark)
        return cls(int(found[1]), int(found[2]) if found[2] else None) if found else None

    @property
    def mark(self) -> str:
        """What stands in names and environments."""
        return str(self.pid) if self.ticks is None else f"{self.pid}-{self.ticks}"

    def alive(self) -> bool:
        """Tell whether the process still runs."""
        began = _began(self.pid)
        return began is not None and self.ticks in (None, began)


@contextmanager
def endable() -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and SIGHUP end the block as an exception, so that it clears up.

    The first one counts: a second would break off the clearing up. What the process was told to
    ignore (``nohup``) stays ignored, and only the main thread is told (signal(7)).
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
    """Keep these signals waiting until the block is done."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _began(pid: int) -> int | None:
    """Clock ticks from boot to the start of a process; None when there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The name in brackets may hold spaces and brackets: fields 3 and on follow the last one.
    rest = stat.rpartition(")")[2].split()
    return None if rest[0] in _ENDED_STATES else int(rest[19])
