"""Reads untrusted JSON: one object of limited size, without repeated keys."""

from __future__ import annotations

import json
import math
import os
import stat
from pathlib import Path
from typing import Any

from airmile._errors import InputError

LARGEST_BYTES = 256 << 20
"""The largest manifest in bytes, twice as large as that of 100,000 captures."""

MOST_VALUES = 10_000_000
"""The most values in a manifest: each takes at least 3 bytes of text and 100 bytes of memory."""


def read(file: Path, hint: str) -> tuple[str, dict[str, Any]]:
    """Read a JSON object from a file; return its text and its value.

    Raises
    ------
    InputError
        The file is a link, no ordinary file, or too large. Or it is not JSON (RFC 8259), is nested
        too deeply, repeats a key in an object, or has NaN or a number that is too large.
    """
    text = _text(file, hint)
    return text, parsed(text, file, hint)


def parsed(text: str, file: Path, hint: str) -> dict[str, Any]:
    """Return the JSON object that the text of a file contains, as :func:`read` does.

    Raises
    ------
    InputError
        The text is not an object that :func:`read` accepts.
    """
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
        raise InputError(f"{file}: not a JSON object", hint)
    return found


def _text(file: Path, hint: str) -> str:
    try:
        # A link may lead anywhere, and a pipe may never end.
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as content:
            state = os.fstat(handle)
            if not stat.S_ISREG(state.st_mode):
                raise InputError(f"{file}: not an ordinary file", hint)
            # Read no more than the size found before, because the file may be growing.
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
    """Return the message of an error, without Python's advice about very long numbers."""
    return str(error).split(";")[0]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raise an error for a repeated key: readers differ in which of its values they use."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the key {name[:40]!r} is repeated")
        found[name] = value
    return found


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits[:40]} is too large for a number")
    return number
