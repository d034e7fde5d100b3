"""`airmile align`: compare two captures of the same traffic."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from airmile.cli import _answer, _output, _progress, _style
from airmile.cli._exit_codes import PARTLY_FAILED
from airmile.cli._options import option, options

if TYPE_CHECKING:
    from airmile.printed import Alignment


@click.command()
@click.argument("first", metavar="CAPTURE")
@click.argument("second", metavar="CAPTURE")
@option("out", help="Write the tables to this directory [not written].")
@option("overwrite", help="Replace tables that are already there.")
@options("threads", "ue-net")
@option("format", help="text, json and md print the summary; the others print the table pairs.")
@option("quiet")
def align(
    first: str,
    second: str,
    out: Path | None,
    overwrite: bool,
    threads: int,
    ue_net: tuple[str, ...],
    form: str,
    quiet: bool,
) -> int:
    """Compare two simultaneous captures of the same traffic, such as from the phone and the core.

    The answer says how the two clocks differ (offset and drift, each with its uncertainty), how
    long packets took from one capture point to the other, how many were lost between them, and how
    much the bandwidth estimate of the capture farther from the phone differs from the data that
    arrived at the capture nearer to the phone.

    Packets are recognised by addresses, ports, sequence and acknowledgement numbers, timestamps
    and length, so nothing between the capture points may translate addresses or terminate
    connections.

    Exit codes: 0 done; 1 done, but a part of a capture could not be read; 2 usage; 3 a capture
    cannot be read, or the captures share no packet; 5 environment; 130 interrupted.
    """
    import airmile

    with _progress.shown(not quiet) as progress:
        found = airmile.align(
            first, second, out=out, overwrite=overwrite, ue_net=ue_net, threads=threads,
            progress=progress,
        )  # fmt: skip
    _show(found, form)
    if out is not None and found.path is not None:
        _output.warn_of_partial(found.path, out)
        if form != "text" and not quiet:
            _output.note(f"tables: {found.path}")
    return PARTLY_FAILED if found.partly_failed else 0


def _show(found: Alignment, form: str) -> None:
    from airmile.render import align as words

    _answer.show(
        form,
        text=lambda: words.render(found, _output.width()),
        json=lambda: words.json(found),
        md=lambda: words.markdown(found),
        table=lambda: found.tables["pairs"],
        style=_style.styled,
    )
