"""The owner of a run: the process that runs it.

Process numbers are reused. So an owner is a number together with the time when the process began
(field 22 of ``/proc/PID/stat``, proc_pid_stat(5)). The mark of an owner, ``PID-TICKS``, is in the
name or the environment of everything that the run makes.
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
"""The environment variable of every process of a run that holds the mark of the owner."""

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_ENDED_STATES = ("Z", "X")
"""States of a process that has ended but is not reaped yet."""


@dataclass(frozen=True)
class Owner:
    """A process, by its number and its start time.

    Parameters
    ----------
    pid : int
        The number of the process.
    ticks : int, optional
        The start of the process in clock ticks after boot. None if unknown: any process of this
        number then counts as the owner.
    """

    pid: int
    ticks: int | None

    @classmethod
    def me(cls) -> Owner:
        """Return this process as an owner."""
        pid = os.getpid()
        return cls(pid, _began(pid))

    @classmethod
    def of(cls, mark: str) -> Owner | None:
        """Return the owner that a mark names; None if the text is not a mark."""
        found = re.fullmatch(r"([0-9]{1,10})(?:-([0-9]{1,20}))?", mark)
        return cls(int(found[1]), int(found[2]) if found[2] else None) if found else None

    @property
    def mark(self) -> str:
        """The mark of this owner, for names and environments."""
        return str(self.pid) if self.ticks is None else f"{self.pid}-{self.ticks}"

    def alive(self) -> bool:
        """Return whether the process is still running."""
        began = _began(self.pid)
        return began is not None and self.ticks in (None, began)


@contextmanager
def endable() -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and SIGHUP end the block with an exception, so that it can clear up.

    Only the first signal counts, because a second one would interrupt the clearing up. A signal
    that the process ignores (``nohup``) stays ignored. Only the main thread gets signals
    (signal(7)).
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
    """Hold Ctrl-C, SIGTERM and SIGHUP back until the block has ended."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _began(pid: int) -> int | None:
    """Return the clock ticks from boot to the start of a process; None if it does not exist."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The name in brackets may itself contain spaces and brackets; field 3 follows the last one.
    rest = stat.rpartition(")")[2].split()
    return None if rest[0] in _ENDED_STATES else int(rest[19])
