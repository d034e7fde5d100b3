"""Standard input, output and error, which may be closed when a command starts; open files."""

from __future__ import annotations

import os
import resource
import sys
from contextlib import suppress
from typing import IO

STDERR = 2
"""The number of the last standard stream."""


def fill() -> None:
    """Replace closed streams by /dev/null; otherwise a file would get the number of a stream."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= STDERR:
        pass
    os.close(number)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123


MOST_FILES = 65_536
"""How many files a command may have open, if the system allows it: those of very many runs."""


def make_room() -> None:
    """Let the command open as many files as the system allows, because a query opens every part.

    The limit that processes begin with is low only for programs that call select(2).
    """
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if most == resource.RLIM_INFINITY else min(most, MOST_FILES)
    if now != resource.RLIM_INFINITY and now < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def discard(stream: IO[str]) -> None:
    """Redirect a stream to /dev/null, so that flushing it at exit does not fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
