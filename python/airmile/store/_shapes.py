"""Shapes of untrusted JSON: each consists of a check and the JSON Schema of the check.

Check and schema are made together, so that the published schema
(`docs/reference/manifest.schema.json`) is what the check accepts. Numbers have bounds: Python reads
JSON integers of any length, and a later division by such an integer fails.
"""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Schema = dict[str, Any]

INT64 = 2**63 - 1
UINT64 = 2**64 - 1

MOST = 2**96
"""The largest sum of 64-bit numbers over any number of rows; any float can hold it."""


@dataclass(frozen=True)
class Shape:
    """The shape of a value.

    Attributes
    ----------
    fault : callable
        A function that returns what is wrong with a value and where, such as ``.votes.ue: not a
        whole number``; None if the value fits.
    schema : dict
        The JSON Schema of the check.
    """

    fault: Callable[[Any], str | None]
    schema: Schema

    def fits(self, value: Any) -> bool:
        """Return whether a value has this shape."""
        return self.fault(value) is None


def whole(least: int = -INT64 - 1, most: int = INT64) -> Shape:
    """Return the shape of whole numbers; the default bounds are those of signed 64-bit integers.

    >>> whole().fits(7), whole().fits(True), whole().fits(10**400)
    (True, False, False)
    """

    def check(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

    schema = {"type": "integer", "minimum": least, "maximum": most}
    return _checked(check, "not a whole number in its bounds", schema)


def real(least: float = -MOST, most: float = MOST) -> Shape:
    """Return the shape of finite numbers within bounds.

    >>> real().fits(0.5), real().fits(float("nan")), real().fits(1e308)
    (True, False, False)
    """

    def check(value: Any) -> bool:
        known = isinstance(value, int | float) and not isinstance(value, bool)
        return (
            known
            and math.isfinite(value if isinstance(value, float) else 0)
            and (least <= value <= most)
        )

    schema = {"type": "number", "minimum": least, "maximum": most}
    return _checked(check, "not a number in its bounds", schema)


def text(most: int = 65_536) -> Shape:
    """Return the shape of text; text may be printed only through `printable`."""
    schema = {"type": "string", "maxLength": most}
    return _checked(lambda value: isinstance(value, str) and len(value) <= most, "no text", schema)


def word(*words: str) -> Shape:
    """Return the shape of text that is one of a few words."""
    said = f"none of {', '.join(words)}"
    return _checked(
        lambda value: isinstance(value, str) and value in words, said, {"enum": [*words]}
    )


def address() -> Shape:
    """Return the shape of an IP address.

    >>> address().fits("2001:db8::1"), address().fits("10.0.0.1; rm")
    (True, False)
    """
    schema = {"type": "string", "anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]}
    return _checked(_is_address, "no IP address", schema)


def flag() -> Shape:
    """Return the shape of a truth value."""
    return _checked(
        lambda value: isinstance(value, bool), "neither true nor false", {"type": "boolean"}
    )


def known(shape: Shape) -> Shape:
    """Return a shape that may also be null."""
    return either(null(), shape)


def null() -> Shape:
    """Return the shape of null."""
    return _checked(lambda value: value is None, "not null", {"type": "null"})


def either(*shapes: Shape) -> Shape:
    """Return the shape of values with one of several shapes; a fault is that of the last."""

    def fault(value: Any) -> str | None:
        faults = [shape.fault(value) for shape in shapes]
        return None if None in faults else faults[-1]

    return Shape(fault, {"anyOf": [shape.schema for shape in shapes]})


def each(shape: Shape, most: int | None = None) -> Shape:
    """Return the shape of a list whose items have one shape."""

    def fault(value: Any) -> str | None:
        if not isinstance(value, list) or (most is not None and len(value) > most):
            return ": no list" if most is None else f": no list of at most {most}"
        return _first((f"[{at}]", shape.fault(inner)) for at, inner in enumerate(value))

    bound = {} if most is None else {"maxItems": most}
    return Shape(fault, {"type": "array", "items": shape.schema, **bound})


def named(shape: Shape, names: Iterable[str] | None = None) -> Shape:
    """Return the shape of an object with arbitrary keys, or with keys from `names`."""
    allowed = None if names is None else frozenset(names)

    def fault(value: Any) -> str | None:
        if not isinstance(value, dict):
            return ": no object"
        if allowed is not None and not allowed.issuperset(value):
            return ": a key that has no meaning"
        return _first((f".{_key(name)}", shape.fault(inner)) for name, inner in value.items())

    keys = {} if allowed is None else {"propertyNames": {"enum": sorted(allowed)}}
    return Shape(fault, {"type": "object", "additionalProperties": shape.schema, **keys})


def record(
    fields: Mapping[str, Shape], *, optional: Iterable[str] = (), more: bool = False
) -> Shape:
    """Return the shape of an object with these keys; with `more`, other keys are ignored."""
    needed = [name for name in fields if name not in frozenset(optional)]

    def fault(value: Any) -> str | None:
        if not isinstance(value, dict):
            return ": no object"
        if missing := [name for name in needed if name not in value]:
            return f".{missing[0]}: missing"
        if not more and not fields.keys() >= value.keys():
            return ": a key that has no meaning"
        there = (
            (f".{name}", value[name], shape) for name, shape in fields.items() if name in value
        )
        return _first((name, shape.fault(inner)) for name, inner, shape in there)

    properties = {name: shape.schema for name, shape in fields.items()}
    schema = {"type": "object", "properties": properties, "required": needed}
    return Shape(fault, schema if more else {**schema, "additionalProperties": False})


def every(names: str, shape: Shape) -> dict[str, Shape]:
    """Return several fields of the same shape, for :func:`record`."""
    return dict.fromkeys(names.split(), shape)


def _checked(check: Callable[[Any], bool], said: str, schema: Schema) -> Shape:
    return Shape(lambda value: None if check(value) else f": {said}", schema)


def _first(faults: Iterable[tuple[str, str | None]]) -> str | None:
    return next((place + fault for place, fault in faults if fault is not None), None)


def _key(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:40]}..."


def _is_address(value: Any) -> bool:
    try:
        # A scope ("%eth0") is not part of an address in a packet, and may be any text.
        return isinstance(value, str) and "%" not in value and bool(ipaddress.ip_address(value))
    except ValueError:
        return False
