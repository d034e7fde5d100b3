"""A modem at a serial port, whose terminal settings must not change the bytes of the log."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def raw(path: str) -> Iterator[None]:
    """Keep a serial device in raw mode; do nothing to a file, a pipe or standard input.

    In its usual mode a terminal waits for line ends, changes some bytes and takes others for
    signals (termios(3)).
    """
    if path == "-" or not _is_terminal(path):
        yield
        return
    import termios
    import tty

    # Keep the device open: the settings are lost when nobody has it open.
    device = os.open(path, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        before = termios.tcgetattr(device)
        tty.setraw(device)
        try:
            yield
        finally:
            # The device may have been unplugged.
            with suppress(termios.error):
                termios.tcsetattr(device, termios.TCSANOW, before)
    finally:
        os.close(device)


def _is_terminal(path: str) -> bool:
    """Return whether a path is a terminal; a pipe is not opened, as that waits for a writer."""
    try:
        if not stat.S_ISCHR(Path(path).stat().st_mode):
            return False
        device = os.open(path, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        # The code that reads the path will report the error.
        return False
    try:
        return os.isatty(device)
    finally:
        os.close(device)
