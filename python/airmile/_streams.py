"""Standard input, output and error, which whoever starts a command may have closed."""

from __future__ import annotations

import os
import sys
from typing import IO

STDERR = 2
"""The last of the three that a process begins with."""


def fill() -> None:
    """Put nothing in the place of those that are closed: a file would get their numbers."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= STDERR:
        pass
    os.close(number)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123


def discard(stream: IO[str]) -> None:
    """Point one nowhere: the interpreter would complain when it flushes at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
