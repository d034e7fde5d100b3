"""A modem log that is followed while it is written; the engine reads it in a separate thread."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from airmile import _signals
from airmile._errors import engine_errors
from airmile.live import serial

if TYPE_CHECKING:
    from airmile._engine import ModemStream, Option


class Log:
    """A log that is being followed."""

    def __init__(self, stream: ModemStream) -> None:
        self._stream = stream

    def read(self, timeout_s: float, silent_s: float) -> str | None:
        """Return new bursts and the state as JSON (`bursts`, `state`); None at the log's end."""
        _signals.check()
        with engine_errors():
            return self._stream.read(timeout_s, silent_s)

    def report(self) -> dict[str, Any] | None:
        """Return the entry of the log, as in a manifest; None if no log was opened."""
        report: dict[str, Any] | None = json.loads(self._stream.report())
        return report


@contextmanager
def opened(path: str, options: dict[str, Option]) -> Iterator[Log]:
    """Begin to follow a log; a serial device is set to raw mode meanwhile."""
    from airmile import _engine

    with serial.raw(path), engine_errors():
        yield Log(_engine.ModemStream(path, options))
