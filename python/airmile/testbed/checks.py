"""Tables of an experiment: what is not known is refused, presets are laid under."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from airmile._errors import UsageError


def only(table: Mapping[str, Any], known: tuple[str, ...] | list[str], where: str) -> None:
    """Refuse what is not known, with the nearest that is."""
    if not isinstance(table, Mapping):
        raise UsageError(f"{where.rstrip('.')} is a table", f"write [{where.rstrip('.')}]")
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {where}{near[0]}?" if near else "known: " + ", ".join(known)
            raise UsageError(f"{where}{key} is not known", hint)


def merge(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Lay `change` over `base`; what has a `kind` is one thing, and replaced whole."""
    merged = deepcopy(dict(base))
    for key, value in change.items():
        before = merged.get(key)
        if isinstance(value, Mapping) and isinstance(before, Mapping) and "kind" not in value:
            merged[key] = merge(before, value)
        else:
            merged[key] = deepcopy(value)
    return merged
