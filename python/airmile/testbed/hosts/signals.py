"""Lets a run clear up after Ctrl-C, SIGTERM and SIGHUP."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


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
        with _noted():
            yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _noted() -> Iterator[None]:
    """Send the signals that come during the block once more at its end; they must be blocked.

    The kernel gives a signal that is blocked in one thread to another one, for instance of DuckDB;
    Python's handler runs in the main thread all the same.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _ENDING}
    heard = [number for number, handler in before.items() if handler not in (None, signal.SIG_IGN)]
    noted: set[int] = set()
    try:
        for number in heard:
            signal.signal(number, lambda its, _: noted.add(its))
        yield
    finally:
        for number in heard:
            signal.signal(number, before[number])
        for each in noted:
            signal.raise_signal(each)
