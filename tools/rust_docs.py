"""Reads structs and enums of a Rust file with their doc comments, as needed for settings.

It reads public structs, enums of units, and enums whose variants have named fields. rustfmt has
formatted the file, so that every field has its own line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Field:
    """A field: its name, its Rust type and its doc comment."""

    name: str
    kind: str
    doc: str


@dataclass
class Item:
    """A struct, an enum, or a variant of one.

    Attributes
    ----------
    name, doc : str
        The name and the doc comment.
    fields : list of Field
        The fields of a struct or a variant.
    variants : list of Item
        The variants of an enum.
    holds : str
        The struct that a variant contains; empty if the variant has fields of its own.
    """

    name: str
    doc: str
    fields: list[Field] = field(default_factory=list)
    variants: list[Item] = field(default_factory=list)
    holds: str = ""


_ITEM = re.compile(r"pub (?:struct|enum) (\w+) \{")
_FIELD = re.compile(r"(?:pub )?([a-z]\w*): (.+),")
_VARIANT = re.compile(r"([A-Z]\w*)(?:\((\w+)\))?(?:,| \{)")


def items(path: Path) -> dict[str, Item]:
    """Return the public types in a file, by their names."""
    found: dict[str, Item] = {}
    doc: list[str] = []
    item: Item | None = None
    for line in path.read_text(encoding="utf-8").splitlines():
        text = line.strip()
        if text.startswith("///"):
            doc.append(text.removeprefix("///").strip())
            continue
        if text.startswith("#["):
            continue
        if begun := _ITEM.fullmatch(text):
            item = found[begun[1]] = Item(begun[1], " ".join(doc))
        elif line == "}":
            item = None
        elif item:
            _add(item, text, " ".join(doc))
        doc = []
    return found


def snake(name: str) -> str:
    """Return the name of a variant as in a settings file (serde's rename_all).

    >>> snake("OneUserFirst")
    'one_user_first'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _add(item: Item, text: str, doc: str) -> None:
    if said := _FIELD.fullmatch(text):
        last = item.variants[-1] if item.variants else item
        last.fields.append(Field(said[1], said[2], doc))
    elif said := _VARIANT.fullmatch(text):
        item.variants.append(Item(snake(said[1]), doc, holds=said[2] or ""))
