"""Signals that end a command: Ctrl-C, SIGTERM and SIGHUP, each with its exit code.

A signal raises an exception, so that a command keeps what is finished and clears up. This module
imports little, because a signal may come while everything else is imported.
"""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

ONCE_S = 1.0
"""A second signal within this time, in s, counts as the same one: timeout(1) sends two."""

PATIENCE_S = 0.8
"""The time in s after which a signal kills a process in a :func:`forced` block.

DuckDB checks for interrupts only between two steps of a query, and one step may never end.
"""

_DUCKDB_INTERRUPTED = "Query interrupted"
"""The message of the RuntimeError that DuckDB raises instead of a signal's exception."""


class Ended(KeyboardInterrupt):
    """The process received a signal that ends it.

    Parameters
    ----------
    number : int
        The number of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def described(error: BaseException) -> tuple[str, int]:
    """Return the message of an interrupt and its exit code, 128 plus the signal's number."""
    found = cause(error)
    number = found.number if found else signal.SIGINT
    said = "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"
    return said, 128 + number


def cause(error: BaseException | None) -> Ended | None:
    """Return the signal that caused an error; click and Python raise other exceptions for it."""
    while error:
        if isinstance(error, Ended):
            return error
        if isinstance(error, RuntimeError) and str(error) == _DUCKDB_INTERRUPTED:
            return Ended(_heard[-1] if _heard else signal.SIGINT)
        error = error.__cause__ or error.__context__
    return None


def check() -> None:
    """Raise :class:`Ended` again if a signal came and the program still runs.

    Python drops an exception that a handler raises during a callback of a weak reference or a
    destructor, as happens within an import. Code that waits without limit calls this from time to
    time.
    """
    if _heard:
        raise Ended(_heard[-1])


_heard: list[int] = []
"""The numbers of the signals that came since :func:`heard` was entered."""


_handlers: list[object] = []
"""The signal handler that :func:`heard` installs."""

_forced: set[object] = set()
"""The open blocks that a signal may end at any time."""

_watching: list[threading.Thread] = []


@contextmanager
def heard() -> Iterator[None]:
    """Raise :class:`Ended` for Ctrl-C, SIGTERM and SIGHUP; ignored signals stay ignored."""
    minded = [each for each in ENDING if signal.getsignal(each) is not signal.SIG_IGN]
    raised_s = -math.inf

    def end(number: int, _: FrameType | None) -> None:
        nonlocal raised_s
        if time.monotonic() - raised_s >= ONCE_S:
            raised_s = time.monotonic()
            _heard.append(number)
            raise Ended(number)

    _handlers.append(end)
    _heard.clear()
    for each in minded:
        signal.signal(each, end)
    try:
        yield
    finally:
        for each in minded:
            # The process is about to end, and no exception may interrupt that.
            signal.signal(each, signal.SIG_DFL)


@contextmanager
def forced() -> Iterator[None]:
    """End the process if a signal does not end this block within :data:`PATIENCE_S`.

    This applies only while the signals are :func:`heard`. It does not apply in other programs that
    import airmile, nor in a run of the testbed, which handles signals itself to clean up.
    """
    block = object()
    try:
        if _are_heard():
            _watch()
            _forced.add(block)
        yield
    finally:
        _forced.discard(block)


def _are_heard() -> bool:
    in_main = threading.current_thread() is threading.main_thread()
    return in_main and any(signal.getsignal(each) in _handlers for each in ENDING)


def _watch() -> None:
    """Begin to notice signals while the main thread runs code outside of Python."""
    if _watching:
        return
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    thread = threading.Thread(target=_end, args=(ours,), daemon=True, name="airmile-signals")
    _watching.append(thread)
    thread.start()


def _end(ours: int) -> None:
    """End the process shortly after a signal that did not end a forced block."""
    while True:
        number = os.read(ours, 1)[0]
        if number in ENDING:
            time.sleep(PATIENCE_S)
            if _forced:
                break
    said, code = described(Ended(number))
    with suppress(OSError):
        os.write(2, f"error: {said}\n".encode())
    os._exit(code)
