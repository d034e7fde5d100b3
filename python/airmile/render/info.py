"""What a capture holds, as text."""

from __future__ import annotations

from typing import Any


def render(document: dict[str, Any]) -> str:
    """Return one block of `name: value` lines for each input."""
    blocks = (_block(source) for source in document.get("inputs", []))
    return "\n\n".join("\n".join(block) for block in blocks)


def _block(source: dict[str, Any]) -> list[str]:
    return [line for key, value in source.items() for line in _lines(key, value)]


def _lines(key: str, value: Any) -> list[str]:
    label = f"{key.replace('_', ' '):<16}"
    if isinstance(value, dict):
        return [f"{label}{', '.join(f'{k} {v}' for k, v in value.items() if v)}"] if value else []
    if isinstance(value, list):
        shown = [_item(item) for item in value]
        return [f"{label if n == 0 else ' ' * 16}{text}" for n, text in enumerate(shown)]
    return [] if value is None else [f"{label}{value}"]


def _item(item: Any) -> str:
    if isinstance(item, dict):
        return ", ".join(f"{key} {value}" for key, value in item.items() if value is not None)
    return str(item)
