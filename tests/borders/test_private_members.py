"""What begins with an underscore is used in the file that defines it, and nowhere else.

A private module may be imported within the package: the underscore of its name says that it is no
part of the public API. A private function, class, method or attribute is of its file alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import airmile

PACKAGE = Path(airmile.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))

OF_PYTHON = {"_asdict", "_replace", "_exit"}
"""Members of `NamedTuple` and `os` that are documented, in spite of their underscore."""


def test_no_file_uses_a_private_member_of_another() -> None:
    used = {str(path.relative_to(PACKAGE)): list(foreign(path.read_text())) for path in FILES}
    assert {name: found for name, found in used.items() if found} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("dataset._rows('')", ["1: dataset._rows"]),
        ("class A:\n    def _rows(self): ...\na._rows()", []),
        ("class A:\n    def __init__(self):\n        self._rows = 1\nb._rows", []),
        ("from airmile.store import Tables\nclass B(Tables):\n    x = 1\n", []),
        ("class B(Tables):\n    def f(self): return self._contents", ["2: self._contents"]),
        ("view._lock = 3", ["1: view._lock"]),
        ("from airmile.store import _sql", []),
        ("from airmile.store._sql import _answer", ["1: airmile.store._sql._answer"]),
        ("row._asdict()", []),
    ],
)
def test_what_is_foreign_is_found(source: str, found: list[str]) -> None:
    assert list(foreign(source)) == found


def foreign(source: str) -> Iterator[str]:
    """Yield the private members that a file uses and does not define, each with its line."""
    module = ast.parse(source)
    own = {*defined(module), *OF_PYTHON}
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own:
            yield f"{node.lineno}: {ast.unparse(node)}"
        elif isinstance(node, ast.ImportFrom) and node.module:
            for each in node.names:
                place = f"{node.module}.{each.name}"
                if is_private(each.name) and place not in modules():
                    yield f"{node.lineno}: {place}"


def defined(module: ast.Module) -> Iterator[str]:
    """Yield the names that a file defines: functions, classes, names, and attributes of `self`."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            of_self = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            yield from (node.attr,) if of_self else ()


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


@cache
def modules() -> set[str]:
    """Return the modules and packages by name, and the compiled one."""
    paths = [path.parent if path.name == "__init__.py" else path.with_suffix("") for path in FILES]
    names = {".".join(path.relative_to(PACKAGE.parent).parts) for path in paths}
    return {*names, "airmile._engine"}
