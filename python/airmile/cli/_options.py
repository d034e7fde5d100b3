"""Options that several subcommands share; each is declared once and used by its name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from airmile._arguments import MOST_THREADS

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

FORMATS = ("text", "json", "ndjson", "csv", "parquet", "arrow", "md")


class TailType(click.ParamType["str | float"]):
    """A value of `--tail`: seconds, or the word ``auto``."""

    name = "SECONDS|auto"

    def convert(
        self, value: str, parameter: click.Parameter | None, context: click.Context | None
    ) -> str | float:
        """Return the word, or the number."""
        if value == "auto":
            return value
        try:
            return float(value)
        except ValueError:
            self.fail(f"{value!r} is neither a number of seconds nor auto", parameter, context)


_SHARED: dict[str, Callable[..., Decorator]] = {
    "cell-prbs": partial(
        click.option, "--cell-prbs", multiple=True, metavar="[CELL:]N",
        help="Number of PRBs of a cell, or of all cells, if the log lacks it: 50 for 10 MHz.",
    ),
    "estimator": partial(
        click.option, "--estimator", type=click.Choice(("joint", "bursttracker")),
    ),
    "flow": partial(click.option, "--flow", metavar="FLOW"),
    "format": partial(
        click.option, "--format", "form", type=click.Choice(FORMATS), default="text"
    ),
    "label": partial(click.option, "--label", "given_labels", multiple=True, metavar="TEXT"),
    "modem": partial(click.option, "--modem", metavar="LOG"),
    "out": partial(
        click.option, "-o", "--out", type=Path, metavar="DIR",
        help="Dataset to write [NAME.airmile].",
    ),
    "overwrite": partial(
        click.option, "--overwrite", is_flag=True,
        help="Replace a dataset that is there, once the new one is complete."
    ),
    "quiet": partial(
        click.option, "-q", "--quiet", is_flag=True,
        help="Print only the answer, without progress and notes.",
    ),
    "set": partial(
        click.option, "--set", multiple=True, metavar="NAME=VALUE",
        help="Set a threshold (`airmile schema parameters` lists them).",
    ),
    "tail": partial(
        click.option, "--tail", type=TailType(), default="auto", show_default=True
    ),
    "threads": partial(
        click.option, "--threads", type=click.IntRange(0, MOST_THREADS), default=0, metavar="N",
        help="Number of threads; 0 means one per core.",
    ),
    "ue-net": partial(
        click.option, "--ue-net", multiple=True, metavar="CIDR",
        help="IP network of the phones' addresses."
    ),
    "vantage": partial(
        click.option, "--vantage", type=click.Choice(("auto", "ue", "monitor", "server")),
        default="auto", help="The capture point; auto infers it from the handshakes.",
    ),
    "verbose": partial(click.option, "-v", "--verbose", is_flag=True),
    "where": partial(click.option, "--where", metavar="SQL"),
}  # fmt: skip
"""The options by name. If a help text depends on the subcommand, the subcommand gives it."""


def option(name: str, **own: Any) -> Decorator:
    """Return a shared option; `own` replaces attributes for one subcommand, such as the help."""
    return _SHARED[name](**own)


def options(*names: str) -> Decorator:
    """Return several shared options, in their order in the help."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(names):
            command = option(name)(command)
        return command

    return add
