"""Everything public is described: the Python API, every subcommand, option and column."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import airmile
from airmile import _engine
from airmile.cli import VERBS
from airmile.store import Tables

ROOT = Path(__file__).parents[2]
SCHEMA: dict[str, Any] = json.loads(_engine.schema())
TYPES = {"int64", "uint64", "uint16", "float64", "bool", "utf8"}


def public() -> Iterator[tuple[str, Any]]:
    """Yield every public function, class and method of the package."""
    items = {name: getattr(airmile, name) for name in airmile.__all__}
    for name, item in {**items, "store.Tables": Tables}.items():
        yield name, item
        if inspect.isclass(item):
            for member, value in vars(item).items():
                if not member.startswith("_") and _is_code(value):
                    yield f"{name}.{member}", value


def _is_code(value: Any) -> bool:
    return callable(value) or isinstance(value, property) or hasattr(value, "func")


@pytest.mark.parametrize(("name", "item"), [pytest.param(*each, id=each[0]) for each in public()])
def test_the_python_api_is_documented(name: str, item: Any) -> None:
    assert inspect.getdoc(item), name


@pytest.mark.parametrize("item", [airmile.Dataset, Tables])
def test_what_everything_is_read_from_gives_an_example(item: type) -> None:
    assert ">>>" in (inspect.getdoc(item) or "")


@pytest.mark.parametrize("name", [n for n, i in public() if inspect.isfunction(i) and "." not in n])
def test_functions_name_their_parameters_and_give_an_example(name: str) -> None:
    function = getattr(airmile, name)
    text = inspect.getdoc(function) or ""
    assert ">>>" in text
    for parameter in inspect.signature(function).parameters:
        assert f"{parameter} :" in text or f"*{parameter} :" in text, parameter


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: str(verb.name))
def test_every_verb_and_option_has_a_help_text(verb: click.Command) -> None:
    assert verb.help
    for parameter in verb.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{verb.name} {parameter.opts}"


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: str(verb.name))
def test_every_verb_is_in_the_guide(verb: click.Command) -> None:
    pages = [ROOT / "docs" / "guide.md", *(ROOT / "docs" / "guide").glob("*.md")]
    assert any(f"airmile {verb.name}" in page.read_text() for page in pages)


def test_the_engine_exposes_only_what_the_package_wraps() -> None:
    errors = {"UsageError", "InputError", "OutputError"}
    link = {"link_check", "link_download", "link_recorded", "link_replay"}
    link |= {"link_run"} if sys.platform == "linux" else set()
    radio = {"radio", "ModemStream", "modem_formats"}
    digests = {"digest_file", "seal", "is_sealed"}
    wrapped = {"align", "analyze", "how_sure", "info", "judge_log", "schema", "trace"} | digests
    wrapped |= {"present_parameter", "put", "recover", "free_locks_prove"}
    wrapped |= radio | link | errors
    assert {name for name in dir(_engine) if not name.startswith("_")} == wrapped


def columns() -> Iterator[tuple[str, dict[str, str]]]:
    for table, description in SCHEMA["tables"].items():
        yield from ((table, column) for column in description["columns"])


def test_every_column_says_what_it_is_and_where_it_comes_from() -> None:
    for table, column in columns():
        assert column["doc"].strip(), (table, column["name"])
        assert column["cite"].strip(), (table, column["name"])
        assert column["type"] in TYPES, (table, column["name"])


_UNITS = {"_ns": "ns", "_s": "s", "_ms": "ms", "_us": "us", "_bps": "bps", "_bytes": "bytes"}


def test_a_unit_in_a_name_is_the_unit_of_the_column() -> None:
    for table, column in columns():
        ending = "_" + column["name"].rsplit("_", 1)[-1]
        if ending in _UNITS:
            assert column["unit"] == _UNITS[ending], (table, column["name"])


def test_names_are_unique() -> None:
    for table, description in SCHEMA["tables"].items():
        names = [column["name"] for column in description["columns"]]
        assert len(names) == len(set(names)), table
    for kind in ("parameters", "causes"):
        names = [item["name"] for item in SCHEMA[kind]]
        assert len(names) == len(set(names)), kind


def test_parameters_name_unit_meaning_and_source() -> None:
    for parameter in SCHEMA["parameters"]:
        assert parameter["doc"].strip(), parameter["name"]
        assert parameter["source"].strip(), parameter["name"]
