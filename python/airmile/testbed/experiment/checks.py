"""Checks of the tables of an experiment, and the merging of a table into a preset."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from airmile._errors import UsageError
from airmile._words import printable


def a_table(value: object, where: str) -> Mapping[str, Any]:
    """Return `value` if it is a table; else raise `UsageError`."""
    if not isinstance(value, Mapping):
        raise UsageError(f"{where} is not a table", f"write [{where}]")
    return value


MOST_DEPTH = 32
"""The most levels of nested tables, twice as many as any setting has."""


def bounded(value: object, where: str = "", depth: int = 0) -> None:
    """Raise `UsageError` for values that no setting can have, so that other code need not check.

    Raises
    ------
    UsageError
        A number has more than 64 bits (TOML 1.0, section Integer), a key has characters that
        control a terminal, or tables are nested too deeply.
    """
    if depth > MOST_DEPTH:
        raise UsageError(f"{where.split('.', 1)[0]}: tables are nested more than {MOST_DEPTH} deep")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise UsageError(f"{where} has more than 64 bits", "write a smaller number")
    inner = value.items() if isinstance(value, Mapping) else ()
    items = enumerate(value, 1) if isinstance(value, list) else inner
    for key, each in items:
        if not str(key).isprintable():
            raise UsageError(
                f"{printable(str(key))} is not known", "keys consist of ordinary letters"
            )
        bounded(each, f"{where}.{key}".lstrip("."), depth + 1)


def only(chosen: Mapping[str, Any], known: tuple[str, ...] | list[str], where: str) -> None:
    """Raise `UsageError` for an unknown key, and suggest the nearest known one."""
    for key in a_table(chosen, where.rstrip(".")):
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {where}{near[0]}?" if near else "known: " + ", ".join(known)
            raise UsageError(f"{where}{key} is not known", hint)


def merge(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with the values of `change`; a table with a `kind` is replaced as a whole."""
    merged = deepcopy(dict(base))
    for key, value in change.items():
        before = merged.get(key)
        if isinstance(value, Mapping) and isinstance(before, Mapping) and "kind" not in value:
            merged[key] = merge(before, value)
        else:
            merged[key] = deepcopy(value)
    return merged
