"""`airmile analyze`: captures in, verdict out, tables beside."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

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
    help="What live flows and phones may hold [4G]; beyond it the longest silent are ended.",
)  # fmt: skip
@click.option("--hash", is_flag=True, help="Record a hash of each input.")
@options("vantage", "ue-net")
@option("modem", multiple=True, metavar="LOG", help=f"Modem log of the phone: {titles()}.")
@option("cell-prbs")
@click.option("--profile", metavar="NAME", help="Thresholds of a paper, as lte13.")
@option("set")
@option("flow", help="Judge this flow alone.")
@option("where", help="Judge only the flows that meet a condition.")
@click.option(
    "--fail-if", multiple=True, metavar="SQL",
    help="Exit 4, and say what held, if this holds over the one-row view summary; may be repeated.",
)  # fmt: skip
@option("format", help="text, json and md give the verdict; the others the table flows.")
@option("quiet")
@option("verbose", help="Evidence of every flow.")
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
    standard input; several are read as one, in time order. The verdict goes to standard output,
    the tables into a directory that `airmile query` reads. Of such a directory, or a folder of runs
    of the testbed, it prints the verdict again.

    FLOW is HOST[:PORT], address or name of the server, of whose flows the heaviest is taken; or a
    uid; or a rank, 1 for the heaviest (`airmile flows` lists them). A number that is the uid of no
    flow is a rank.

    Exit codes: 0 done; 1 done, but a part of the input failed; 2 usage; 3 nothing readable;
    4 the --fail-if condition holds; 5 environment; 130 interrupted (143 and 129: by SIGTERM and
    SIGHUP).
    """
    import airmile
    from airmile.cli import _conditions, _datasets
    from airmile.verbs._analyze import default_out

    asked = _Asked(flow, where, fail_if, form, quiet, verbose)
    found = _datasets.named(captures)
    # A dataset checks a condition by its own columns.
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
        return _output.interrupted(error, _output.kept(target))
    code = _said(dataset, asked)
    if not quiet:
        _talk(dataset, form)
    return code


@dataclass(frozen=True)
class _Asked:
    """What is to be said of a dataset."""

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
        # Ranks count all flows, whatever the condition leaves out.
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
    """Say on standard error what a machine-readable form leaves out."""
    if form != "text":
        _output.note(f"tables: {dataset.path}")
