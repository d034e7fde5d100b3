"""The rooms of the Python package: imports point one way, and no module imports itself in a circle.

What is imported within a function counts as well, and so does what only a type checker sees: to
read a module, one reads the types that it names.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import airmile
from tests.support.circles import circles

PACKAGE = Path(airmile.__file__).parent

BASICS = (
    "_arguments",
    "_capabilities",
    "_citations",
    "_colours",
    "_engine",
    "_errors",
    "_instants",
    "_intervals",
    "_loading",
    "_memory",
    "_scipy",
    "_signals",
    "_statistics",
    "_streams",
    "_words",
)

MAY_IMPORT = {
    "protocols": (),
    "causes": ("protocols",),
    "store": ("causes",),
    "mechanisms": ("store",),
    "answers": ("store", "causes", "mechanisms"),
    "model": ("answers", "protocols", "store"),
    "uplink": ("answers", "store"),
    "draw": ("answers", "causes", "store"),
    "live": ("answers",),
    "doctor": ("answers", "store"),
    "testbed": ("answers", "causes", "store"),
    "study": ("answers", "model", "protocols", "store", "uplink"),
    "comparison": ("store", "study"),
    "render": (
        "answers",
        "causes",
        "comparison",
        "doctor",
        "mechanisms",
        "model",
        "store",
        "study",
    ),
    "printed": ("answers", "render"),
    "dataset": ("answers", "printed", "store"),
    "verbs": ("answers", "dataset", "printed", "store"),
    "campaign": ("comparison", "model", "render", "store", "study", "testbed"),
}
"""What a room may import beside the basics and itself; each room stands below those that import it.

Answers, models, studies and comparisons take `store.Tables` and return values, which `render`
writes in words. `Dataset` stands above them.
"""


def test_basics_import_nothing_but_basics() -> None:
    found = {(a, b) for a, b in between_rooms() if a in BASICS and b not in BASICS}
    assert found == set()


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_what_lies_below_it(room: str) -> None:
    allowed = {*BASICS, *MAY_IMPORT[room], room}
    assert {other for own, other in between_rooms() if own == room} <= allowed


def test_each_room_stands_below_those_that_import_it() -> None:
    rooms = list(MAY_IMPORT)
    for place, room in enumerate(rooms):
        assert set(MAY_IMPORT[room]) <= set(rooms[:place]), room


def test_no_module_imports_itself_in_a_circle() -> None:
    assert list(circles(graph())) == []


def test_what_only_a_type_checker_imports_counts() -> None:
    source = "if TYPE_CHECKING:\n    from airmile.store import Tables, tables\n"
    assert list(imported(source)) == ["airmile.store", "airmile.store.tables"]


def test_a_circle_is_found() -> None:
    found = circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a", "d"}})
    assert list(found) == [["b", "c"]]


def between_rooms() -> set[tuple[str, str]]:
    """Return which package or top-level module imports which others."""
    return {
        (module.split(".")[1], other.split(".")[1])
        for module, others in graph().items()
        for other in others
        if module != "airmile" and other != "airmile"
    }


@cache
def graph() -> dict[str, set[str]]:
    """Return which modules of the package each of its modules imports."""
    files = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}
    known = {*files, "airmile._engine"}
    return {
        name: {
            module for module in imported(path.read_text()) if (module in known) and module != name
        }
        for name, path in files.items()
    }


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(source: str) -> Iterator[str]:
    """Yield the modules that a file imports, including those taken from a package."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for each in node.names:
                inner = f"{node.module}.{each.name}"
                is_module = (PACKAGE.parent / Path(*inner.split("."))).with_suffix(".py").exists()
                is_room = (PACKAGE.parent / Path(*inner.split(".")) / "__init__.py").exists()
                yield inner if is_module or is_room or each.name == "_engine" else node.module
