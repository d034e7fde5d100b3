"""Options of workloads, checked by what their dataclasses declare.

Each value has the type of its annotation. A number is at least 0; a field whose metadata are
`POSITIVE` wants more than 0 (a list: at least one thing in it), one of `PORT` at most 65535.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, get_args, get_origin, get_type_hints

from airmile._errors import UsageError

POSITIVE: Mapping[str, Any] = {"positive": True}
"""Metadata of a field."""

PORT: Mapping[str, Any] = {"most": 65_535}
"""Metadata of a field, too."""

_WORDS = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "text in quotes",
    dict: "a table",
}


def check(options: type, chosen: Mapping[str, Any], where: str) -> None:
    """Check chosen values against the dataclass of a workload's options.

    Raises
    ------
    UsageError
        One has another type, or is too small or too large; the message names it.
    """
    hints = get_type_hints(options)
    for option in fields(options):
        if option.name in chosen:
            _check(chosen[option.name], hints[option.name], option.metadata, where + option.name)


def _check(value: object, kind: Any, bounds: Mapping[str, Any], where: str) -> None:
    origin = get_origin(kind) or kind
    if origin is list:
        _check_list(value, get_args(kind)[0], bounds, where)
    elif origin is tuple:
        _check_tuple(value, get_args(kind), bounds, where)
    elif not _is(value, origin):
        raise UsageError(f"{where} = {value!r}", _WORDS[origin])
    elif origin in (int, float):
        _check_bounds(value, bounds, where)


def _check_list(value: object, kind: Any, bounds: Mapping[str, Any], where: str) -> None:
    if not isinstance(value, list) or (bounds.get("positive") and not value):
        some = ", with at least one in it" if bounds.get("positive") else ""
        raise UsageError(f"{where} = {value!r}", f"a list{some}")
    for number, each in enumerate(value, 1):
        _check(each, kind, bounds, f"{where}.{number}")


def _check_tuple(value: object, kinds: tuple[Any, ...], bounds: Any, where: str) -> None:
    if not isinstance(value, list | tuple) or len(value) != len(kinds):
        parts = ", ".join(_WORDS[kind] for kind in kinds)
        raise UsageError(f"{where} = {value!r}", f"a list of {parts}")
    for number, (each, kind) in enumerate(zip(value, kinds, strict=True), 1):
        _check(each, kind, bounds, f"{where}.{number}")


def _is(value: object, kind: type) -> bool:
    """Tell whether a value is of a type: true is no number, and a whole number is a number."""
    if kind is float:
        return type(value) in (int, float)
    return isinstance(value, Mapping) if kind is dict else type(value) is kind


def _check_bounds(value: Any, bounds: Mapping[str, Any], where: str) -> None:
    positive, most = bounds.get("positive", False), bounds.get("most", math.inf)
    if not math.isfinite(value) or value < 0 or (positive and value == 0) or value > most:
        least = "more than 0" if positive else "0 or more"
        raise UsageError(
            f"{where} = {value!r}", least if most == math.inf else f"{least}, at most {most}"
        )
