"""Checks of the options of workloads against the dataclasses that declare them.

A value must have the type of its annotation. A number must be at least 0, and at most the limit for
the unit in which its name ends. If the metadata of a field are `POSITIVE`, a number must be more
than 0 and a list must not be empty. The upper limits catch mistakes, and untrusted files that would
fill the disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, fields
from typing import Any, get_args, get_origin, get_type_hints

from airmile._errors import UsageError

POSITIVE: Mapping[str, Any] = {"positive": True}
"""Metadata of a field whose number must be more than 0, or whose list must not be empty."""

PORT: Mapping[str, Any] = {"most": 65_535}
"""Metadata of a field that holds a TCP port."""

THREADS: Mapping[str, Any] = {**POSITIVE, "most": 1000}
"""Metadata of a field that is a number of things done at the same time."""

IN_MEMORY: Mapping[str, Any] = {**POSITIVE, "most": 10**9}
"""Metadata of a field that is a number of bytes held in memory."""

LONGEST_S = 7200
"""The longest run, in seconds."""

STALLS: Mapping[str, Any] = {"parts": ({"most": 10**11}, {"most": LONGEST_S})}
"""Metadata of a field that is a list of pairs: a number of bytes, and seconds."""

MOST_ITEMS = 1000
"""The most items of a list."""

_MOST: Mapping[str, float] = {
    "seed": 2**63 - 1,
    "bytes": 10**11,
    "buffer": 10**9,
    "mbps": 10**4,
    "bps": 10**10,
    "_ms": LONGEST_S * 1000,
    "_s": LONGEST_S,
    "seconds": LONGEST_S,
    "": 10**6,
}
"""The greatest value of an option, by the end of its name; the first end that fits counts.

Each is more than the link can carry in the longest run.
"""

_WORDS = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "text in quotes",
    dict: "a table",
}


def check(options: type, chosen: Mapping[str, Any], where: str) -> None:
    """Check the chosen options of a workload against the dataclass that declares them.

    Raises
    ------
    UsageError
        An option has the wrong type, or is too small or too large; the message names the option.
    """
    hints = get_type_hints(options)
    for option in fields(options):
        if option.name in chosen:
            _check(chosen[option.name], hints[option.name], bounds(option), where + option.name)


def bounds(option: Field[Any]) -> dict[str, Any]:
    """Return the bounds of a field's numbers."""
    most = next(value for end, value in _MOST.items() if option.name.endswith(end))
    return {"most": most, **option.metadata}


def bounds_text(limits: Mapping[str, Any]) -> str:
    """Return the bounds of a number in words."""
    least = f"{limits['least']:g} or more" if "least" in limits else "0 or more"
    return f"{'more than 0' if limits.get('positive') else least}, at most {_short(limits['most'])}"


def _short(value: float) -> str:
    return str(value) if value < 10**6 else f"{value:g}".replace("e+0", "e").replace("e+", "e")


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
    if len(value) > MOST_ITEMS:
        raise UsageError(f"{where} has {len(value)} items", f"write at most {MOST_ITEMS}")
    for number, each in enumerate(value, 1):
        _check(each, kind, bounds, f"{where}.{number}")


def _check_tuple(value: object, kinds: tuple[Any, ...], bounds: Any, where: str) -> None:
    if not isinstance(value, list | tuple) or len(value) != len(kinds):
        words = ", ".join(_WORDS[kind] for kind in kinds)
        raise UsageError(f"{where} = {value!r}", f"a list of {words}")
    parts = bounds.get("parts", [bounds] * len(kinds))
    for number, (each, kind, own) in enumerate(zip(value, kinds, parts, strict=True), 1):
        _check(each, kind, own, f"{where}.{number}")


def _is(value: object, kind: type) -> bool:
    """Return whether a value has a type; true is no number, but a whole number is also a float."""
    if kind is float:
        return type(value) in (int, float)
    return isinstance(value, Mapping) if kind is dict else type(value) is kind


def _check_bounds(value: Any, bounds: Mapping[str, Any], where: str) -> None:
    positive, least = bounds.get("positive", False), bounds.get("least", 0)
    if not least <= value <= bounds["most"] or (positive and value == 0):
        raise UsageError(f"{where} = {value!r}", bounds_text(bounds))
