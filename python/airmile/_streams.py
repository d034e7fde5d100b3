"""Standard input, output and error, which may be closed when a command starts."""

from __future__ import annotations

import os
import sys
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


def discard(stream: IO[str]) -> None:
    """Redirect a stream to /dev/null, so that flushing it at exit does not fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
