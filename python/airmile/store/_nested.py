"""SQL that changes the values within lists, structs, maps and unions, however deep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from airmile.store import _sql
from airmile.store._names import unique

Change = Callable[[str, Any], str]
"""Returns the SQL for a value, from its own SQL and its DuckDB type."""


@dataclass(frozen=True)
class Rewriting:
    """How values are rewritten.

    Attributes
    ----------
    leaf : callable
        Changes a value without parts.
    key : callable, optional
        Changes the key of a map after its parts were changed.
    """

    leaf: Change
    key: Change | None = None

    def of(self, value: str, kind: Any, depth: int = 0) -> str:
        """Return the SQL for a value of any type; it is unchanged if all of its parts are."""
        made = {
            "list": self._list,
            "array": self._list,
            "map": self._map,
            "struct": self._struct,
            "tuple": self._tuple,
            "union": self._union,
        }.get(kind.id)
        return made(value, kind, depth + 1) if made else self.leaf(value, kind)

    def _list(self, value: str, kind: Any, depth: int) -> str:
        return self._each(value, kind.children[0][1], depth)

    def _map(self, value: str, kind: Any, depth: int) -> str:
        (_, of_keys), (_, of_values) = kind.children
        keys, values = f"map_keys({value})", f"map_values({value})"
        new_keys = self._each(keys, of_keys, depth, self.key)
        new_values = self._each(values, of_values, depth)
        if (new_keys, new_values) == (keys, values):
            return value
        return f"map({new_keys}, {new_values})"

    def _each(self, items: str, kind: Any, depth: int, then: Change | None = None) -> str:
        item = f"x{depth}"
        changed = self.of(item, kind, depth)
        changed = then(changed, kind) if then else changed
        return items if changed == item else f"list_transform({items}, lambda {item}: {changed})"

    def _struct(self, value: str, kind: Any, depth: int) -> str:
        if any(not name for name, _ in kind.children):
            # Before its version 2, DuckDB has no tuples, but structs of parts without names.
            return _struct_of(value, self._changed(self._places(value, kind), kind, depth))
        parts = {
            name: f"struct_extract({value}, {_sql.literal(name)})" for name, _ in kind.children
        }
        return self._packed(value, parts, kind, depth)

    def _tuple(self, value: str, kind: Any, depth: int) -> str:
        return self._packed(value, self._places(value, kind), kind, depth)

    def _places(self, value: str, kind: Any) -> dict[str, str]:
        """Return the parts without names, with the names that DuckDB gives them in Arrow."""
        places = range(1, len(kind.children) + 1)
        return {f"element{place}": f"{value}[{place}]" for place in places}

    def _union(self, value: str, kind: Any, depth: int) -> str:
        """Return a struct with the name of the member that is set, and a field for each member."""
        members = kind.children[1:]
        tag = unique([*(name.lower() for name, _ in members), "tag"])[-1]
        parts = {tag: f"CAST(union_tag({value}) AS VARCHAR)"} | {
            name: self.of(f"union_extract({value}, {_sql.literal(name)})", of, depth)
            for name, of in members
        }
        return _struct_of(value, parts)

    def _packed(self, value: str, parts: dict[str, str], kind: Any, depth: int) -> str:
        changed = self._changed(parts, kind, depth)
        return value if changed == parts else _struct_of(value, changed)

    def _changed(self, parts: dict[str, str], kind: Any, depth: int) -> dict[str, str]:
        kinds = [of for _, of in kind.children]
        return {
            name: self.of(part, of, depth)
            for (name, part), of in zip(parts.items(), kinds, strict=True)
        }


def _struct_of(value: str, parts: dict[str, str]) -> str:
    packed = ", ".join(f"{_sql.name(name)} := {part}" for name, part in parts.items())
    return f"CASE WHEN {value} IS NULL THEN NULL ELSE struct_pack({packed}) END"
