"""The command line: each public module of this package is the subcommand of its name.

Exit codes: 0 done; 1 done, but a part of the input failed; 2 usage; 3 nothing readable;
4 ``--fail-if`` holds; 5 environment; 130 interrupted, 143 by SIGTERM, 129 by SIGHUP.
"""

from __future__ import annotations

import os
from pkgutil import iter_modules

import click

from airmile.cli import _output
from airmile.cli._group import Commands, Verbs

_ORDER = (
    *("analyze", "info", "flows", "query", "verify", "schema", "plot", "radio", "live"),
    *(
        "study",
        "model",
        "compare",
        "align",
        "doctor",
        "testbed",
        "demo",
        "help",
        "man",
        "completion",
    ),
)
"""The order of subcommands in the help; all others follow."""


def _names() -> list[str]:
    """Return the names of the subcommands, which are the public modules of this package."""
    found = {module.name for module in iter_modules(__path__) if not module.name.startswith("_")}
    return [*(name for name in _ORDER if name in found), *sorted(found - set(_ORDER))]


@click.group(
    cls=Verbs, commands=Commands(_names()), context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(None, "-V", "--version", package_name="airmile", prog_name="airmile")
def airmile() -> None:
    """Find what limits TCP over a cellular link.

    `airmile CAPTURE` is short for `airmile analyze CAPTURE`. Try `airmile demo` first.
    """


def __getattr__(name: str) -> tuple[click.Command, ...]:
    """Return all subcommands as `VERBS`, and import them only then."""
    if name == "VERBS":
        return tuple(airmile.commands.values())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code."""
    if os.environ.get("_AIRMILE_COMPLETE"):
        from airmile.cli import _completion

        _completion.register()
    return _output.guarded(lambda: airmile.main(arguments, "airmile", standalone_mode=False))
