"""`airmile analyze`: print the verdict on captures, and write their tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from airmile._errors import kept
from airmile.cli import _answer, _exit_codes, _output, _progress, _style
from airmile.cli._options import option, options
from airmile.verbs._modem_formats import titles

if TYPE_CHECKING:
    from airmile.dataset import Dataset


@click.command()
@click.argument("captures", nargs=-1, required=True, metavar="CAPTURE...")
@options("out", "overwrite", "threads")
@click.option("--samples", is_flag=True, help="Keep every RTT and bytes-in-flight sample.")
@click.option(
    "--memory", metavar="SIZE",
    help="Most memory of the process [half of what is free]; above it, the flows and phones that "
    "were silent for longest are ended, and the exit code is 1.",
)  # fmt: skip
@click.option("--hash", is_flag=True, help="Record a hash of each input file in the manifest.")
@options("vantage", "ue-net")
@option("modem", multiple=True, metavar="LOG", help=f"Modem log of the phone: {titles()}.")
@option("cell-prbs")
@click.option("--profile", metavar="NAME", help="Use the thresholds of a paper, such as lte13.")
@option("set")
@option("flow", help="Give the verdict of this flow alone.")
@option("where", help="Give the verdict of the flows that meet an SQL condition.")
@click.option(
    "--fail-if", multiple=True, metavar="SQL",
    help="Exit with 4 if this condition holds for the one-row view summary; may be repeated.",
)  # fmt: skip
@option("format", help="text, json and md print the verdict; the others print the table flows.")
@option("quiet")
@option("verbose", help="Print the evidence of every flow.")
def analyze(
    captures: tuple[str, ...],
    out: Path | None,
    overwrite: bool,
    flow: str | None,
    where: str | None,
    fail_if: tuple[str, ...],
    form: str,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> int:
    """Say what limits the transfers in captures.

    A CAPTURE is a pcap or pcapng file (plain, gzip or zstd), a directory, a pattern, or - for
    standard input; several captures are read as one, in time order. The verdict goes to standard
    output, and the tables go into a directory that `airmile query` reads. If CAPTURE is such a
    directory, or a folder of testbed runs, the command prints its verdict again.

    FLOW is the server's address or name, with or without a port (HOST[:PORT]), and means the
    heaviest flow with that server. Or FLOW is the uid or the rank of a flow (`airmile flows` lists
    both; rank 1 is the heaviest). A number that is not the uid of a flow is a rank.

    With --overwrite, the old tables stay until the new ones are complete. The tables of a run that
    was interrupted go to NAME.partial.airmile, as do those of a run in which a part of an input
    failed of which the old tables hold more packets. A capture without packets replaces nothing.

    Exit codes: 0 done; 1 done, but a part of the input failed or --memory was short; 2 usage;
    3 nothing readable; 4 the --fail-if condition holds; 5 environment; 130 interrupted (143 and
    129: by SIGTERM and SIGHUP).
    """
    import airmile
    from airmile.cli import _conditions, _datasets
    from airmile.verbs._analyze import default_out

    asked = _Asked(flow, where, fail_if, form, quiet, verbose)
    found = _datasets.named(captures)
    # For a dataset, the condition is checked later, against the dataset's own columns.
    _conditions.check(None if found else where, fail_if)
    if found:
        return _said(found, asked)
    target = out or default_out(captures[0])
    try:
        with _progress.shown(not quiet) as progress:
            dataset = airmile.analyze(
                *captures, out=target, overwrite=overwrite, progress=progress, **options
            )
    except KeyboardInterrupt as error:
        return _output.interrupted(error, kept(error))
    _output.warn_of_partial(dataset.path, target)
    code = _said(dataset, asked)
    if not quiet:
        _talk(dataset, form)
    return code


@dataclass(frozen=True)
class _Asked:
    """The options that select what to report about a dataset."""

    flow: str | None
    where: str | None
    fail_if: tuple[str, ...]
    form: str
    quiet: bool
    verbose: bool


def _said(dataset: Dataset, asked: _Asked) -> int:
    """Print the verdict and return the exit code."""
    from airmile.cli import _conditions, _datasets

    chosen = dataset.where(asked.where) if asked.where else dataset
    scope = "capture"
    if asked.flow is not None:
        # Ranks count all flows, including those that the condition leaves out.
        uid = _datasets.flow(dataset, asked.flow, quiet=asked.quiet).uid
        chosen, scope = chosen.where(f"uid = {uid}"), "flow"
    show(chosen, asked.form, verbose=asked.verbose, scope=scope)
    if _conditions.hold(chosen, asked.fail_if):
        return _exit_codes.CONDITION_HOLDS
    return _exit_codes.of(dataset)


def show(
    dataset: Dataset,
    form: str,
    *,
    verbose: bool = False,
    kept: bool = True,
    scope: str = "capture",
) -> None:
    """Print the verdict, or the table `flows`, in a format."""
    from airmile.render import json, markdown, text

    verdict = replace(dataset.verdict, scope=scope)
    _answer.show(
        form,
        text=lambda: text.render(verdict, _output.width(), every_flow=verbose, kept=kept),
        json=lambda: json.render(verdict),
        md=lambda: markdown.render(verdict),
        table=lambda: dataset.table("flows"),
        style=_style.styled,
    )


def _talk(dataset: Dataset, form: str) -> None:
    """Print on standard error where the tables are, which only the text form shows."""
    if form != "text":
        _output.note(f"tables: {dataset.path}")
