"""Checks of the numbers that functions take; each error names the argument and its range."""

from __future__ import annotations

import math
from operator import index
from typing import Any

from airmile._errors import ArgumentError

MOST_THREADS = 1024
"""The most threads that may be asked for; more would only take memory."""


def threads(value: Any) -> int:
    """Return a number of threads; raise the error of `whole`."""
    return whole("threads", value, 0, MOST_THREADS, "0 means one per core")


def whole(name: str, value: Any, least: int, most: int | None = None, meaning: str = "") -> int:
    """Return a whole number, of whatever type has such numbers.

    Raises
    ------
    ArgumentError
        The value is not a whole number (True and 2.0 are none), or is out of the range.

    Examples
    --------
    >>> whole("draws", 10, 1)
    10
    """
    number = None if _is_flag(value) else _index(value)
    if number is None or number < least or (most is not None and number > most):
        upper = "or more" if most is None else f"to {most}"
        why = f"; {meaning}" if meaning else ""
        raise ArgumentError(
            f"{name} is {shown(value)}", f"it has to be a whole number of {least} {upper}{why}"
        )
    return number


def finite(name: str, value: Any, wanted: str, least: float = -math.inf) -> float:
    """Return a finite number of at least `least`; `wanted` says in words what it has to be.

    Raises
    ------
    ArgumentError
        The value is not such a number.
    """
    try:
        number = math.nan if _is_flag(value) or isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and number >= least):
        raise ArgumentError(f"{name} is {shown(value)}", f"it has to be {wanted}")
    return number


def shown(value: Any) -> str:
    """Return a value for a message; a long one is cut."""
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


_LONGEST = 60


def _is_flag(value: Any) -> bool:
    return type(value).__name__ in ("bool", "bool_")


def _index(value: Any) -> int | None:
    try:
        return index(value)
    except TypeError:
        return None
