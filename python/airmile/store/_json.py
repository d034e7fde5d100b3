"""JSON from outside: one object, of a bounded size, that says everything once."""

from __future__ import annotations

import json
import math
import os
import stat
from pathlib import Path
from typing import Any

from airmile._errors import InputError

LARGEST_BYTES = 256 << 20
"""The largest manifest in bytes; that of 100,000 captures has half."""

MOST_VALUES = 10_000_000
"""The most values in one manifest: each takes 3 to 100 bytes of text, up to 100 bytes of memory."""


def read(file: Path, hint: str) -> tuple[str, dict[str, Any]]:
    """Read an object from a file: its text, and what it says.

    Raises
    ------
    InputError
        It is a link, no ordinary file, or too large; or no JSON (RFC 8259): nested too deeply, a
        key twice in one object, a number that is none or beyond what a number can be.
    """
    text = _text(file, hint)
    if sum(map(text.count, ",{[")) > MOST_VALUES:
        raise InputError(f"{file}: more than {MOST_VALUES} values", hint)
    try:
        found = json.loads(
            text, object_pairs_hook=_once, parse_constant=_refused, parse_float=_finite
        )
    except RecursionError:
        raise InputError(f"{file}: nested too deeply", hint) from None
    except ValueError as error:
        raise InputError(f"{file}: not JSON ({_said(error)})", hint) from None
    if not isinstance(found, dict):
        raise InputError(f"{file}: no object", hint)
    return text, found


def _text(file: Path, hint: str) -> str:
    try:
        # Not the file behind a link, and no pipe that never ends.
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as content:
            state = os.fstat(handle)
            if not stat.S_ISREG(state.st_mode):
                raise InputError(f"{file}: not an ordinary file", hint)
            # The buffer is as large as what is requested, and files grow while they are read.
            read = content.read(state.st_size) if state.st_size <= LARGEST_BYTES else None
    except OSError as error:
        said = "a link" if file.is_symlink() else error.strerror or str(error)
        raise InputError(f"{file}: {said}", hint) from None
    if read is None:
        raise InputError(f"{file}: more than {LARGEST_BYTES} bytes", hint)
    try:
        return read.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{file}: not UTF-8", hint) from None


def _said(error: ValueError) -> str:
    """Say what is wrong, without Python's advice on how to allow very long numbers."""
    return str(error).split(";")[0]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that comes twice: readers differ in which of its values they take."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the key {name[:40]!r} comes twice")
        found[name] = value
    return found


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits[:40]} is beyond what a number can be")
    return number
