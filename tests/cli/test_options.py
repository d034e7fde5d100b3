"""Each option of the command line is declared in one place."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from airmile import cli

OF_TWO_MEANINGS = {
    "--baseline": "model takes a protocol; compare takes a group",
    "--capture": "radio takes a file; testbed score takes the capture point of a run",
    "--from": "plot takes a time; model takes the source of the samples",
    "--seed": "model takes the seed of its draws, testbed run that of the link",
}
"""The options whose meaning differs between subcommands, and how."""


def test_an_option_of_several_verbs_is_declared_in_the_shared_table() -> None:
    files = defaultdict(set)
    for file in Path(cli.__file__).parent.glob("*.py"):
        for name in declared(file):
            files[name].add(file.name)
    assert {name for name, where in files.items() if len(where) > 1} == set(OF_TWO_MEANINGS)


def declared(file: Path) -> Iterator[str]:
    """Yield the long names of the options that a module passes to `click.option`."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call) and "click.option" in map(
            ast.unparse, [node.func, *node.args[:1]]
        ):
            for argument in node.args:
                if isinstance(argument, ast.Constant) and str(argument.value).startswith("--"):
                    yield str(argument.value)
