"""Options that several verbs share, each written once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

FORMATS = ("text", "json", "ndjson", "csv", "parquet", "arrow", "md")

out = click.option("-o", "--out", type=Path, metavar="DIR", help="Dataset to write [NAME.airmile].")
overwrite = click.option(
    "--overwrite", is_flag=True, help="Replace a dataset that is already there."
)
threads = click.option(
    "--threads", type=click.IntRange(0), default=0, metavar="N", help="0: all cores."
)
memory = click.option(
    "--memory",
    metavar="SIZE",
    help="What live flows and phones may hold [4G]; beyond it the longest silent are ended.",
)
vantage = click.option(
    "--vantage",
    type=click.Choice(["auto", "ue", "monitor", "server"]),
    default="auto",
    help="Where the capture was taken; auto tells it from the handshakes.",
)
ue_net = click.option("--ue-net", multiple=True, metavar="CIDR", help="Network of the phones.")
cell_prbs = click.option(
    "--cell-prbs",
    multiple=True,
    metavar="[CELL:]N",
    help="PRBs of a cell, or of all, where the log does not tell: 50 for 10 MHz.",
)
settings = click.option(
    "--set", multiple=True, metavar="NAME=VALUE", help="A threshold (`airmile schema`)."
)
quiet = click.option(
    "-q", "--quiet", is_flag=True, help="No progress and no notes: the answer alone."
)


def flow(help: str) -> Decorator:
    """Make the option ``--flow`` of a verb."""
    return click.option("--flow", metavar="FLOW", help=help)


def form(help: str) -> Decorator:
    """Make the option ``--format`` of a verb."""
    return click.option("--format", "form", type=click.Choice(FORMATS), default="text", help=help)
