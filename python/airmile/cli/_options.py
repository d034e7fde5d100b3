"""Options that several verbs share: each is declared once, and verbs take it by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

FORMATS = ("text", "json", "ndjson", "csv", "parquet", "arrow", "md")

_SHARED: dict[str, Callable[..., Decorator]] = {
    "cell-prbs": partial(
        click.option, "--cell-prbs", multiple=True, metavar="[CELL:]N",
        help="PRBs of a cell, or of all, where the log lacks it: 50 for 10 MHz.",
    ),
    "estimator": partial(
        click.option, "--estimator", type=click.Choice(("joint", "bursttracker")),
    ),
    "flow": partial(click.option, "--flow", metavar="FLOW"),
    "format": partial(
        click.option, "--format", "form", type=click.Choice(FORMATS), default="text"
    ),
    "modem": partial(click.option, "--modem", metavar="LOG"),
    "out": partial(
        click.option, "-o", "--out", type=Path, metavar="DIR",
        help="Dataset to write [NAME.airmile].",
    ),
    "overwrite": partial(
        click.option, "--overwrite", is_flag=True, help="Replace a dataset that is already there."
    ),
    "quiet": partial(
        click.option, "-q", "--quiet", is_flag=True,
        help="No progress and no notes: the answer alone.",
    ),
    "set": partial(
        click.option, "--set", multiple=True, metavar="NAME=VALUE",
        help="A threshold (`airmile schema`).",
    ),
    "threads": partial(
        click.option, "--threads", type=click.IntRange(0), default=0, metavar="N",
        help="0: all cores.",
    ),
    "ue-net": partial(
        click.option, "--ue-net", multiple=True, metavar="CIDR", help="Network of the phones."
    ),
    "vantage": partial(
        click.option, "--vantage", type=click.Choice(("auto", "ue", "monitor", "server")),
        default="auto", help="Where the capture was taken; auto finds it by the handshakes.",
    ),
    "verbose": partial(click.option, "-v", "--verbose", is_flag=True),
    "where": partial(click.option, "--where", metavar="SQL"),
}  # fmt: skip
"""The options by name. A help that depends on the verb is given by the verb."""


def option(name: str, **own: Any) -> Decorator:
    """Return a shared option; `own` replaces attributes that differ in a verb, as its help."""
    return _SHARED[name](**own)


def options(*names: str) -> Decorator:
    """Return several shared options, in their order in the help."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(names):
            command = option(name)(command)
        return command

    return add
