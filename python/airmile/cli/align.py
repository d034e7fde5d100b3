"""`airmile align`: two captures of the same traffic side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from airmile.cli import _answer, _output, _progress, _style
from airmile.cli._exit_codes import PARTLY_FAILED
from airmile.cli._options import option, options

if TYPE_CHECKING:
    from airmile.answers.pair.result import Alignment


@click.command()
@click.argument("first", metavar="CAPTURE")
@click.argument("second", metavar="CAPTURE")
@option("out", help="Write the tables there [not written].")
@option("overwrite", help="Replace tables that are already there.")
@options("threads", "ue-net")
@option("format", help="text, json and md give the figures; the others the table pairs.")
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
    """Lay two captures of the same traffic side by side, as from the phone and from the core.

    It says how their clocks differ (offset and drift, each with its uncertainty), how long packets
    took from one capture point to the other and how many were lost between them, and how far the
    bandwidth that is estimated farther from the phone is from what arrived nearer to it.

    Packets are recognised by addresses, ports, sequence and acknowledgement numbers, timestamps
    and length, so nothing between the two may translate addresses or terminate connections.

    Exit codes: 0 done; 1 done, but a part of a capture could not be read; 2 usage; 3 a capture
    cannot be read, or the two share no packet; 5 environment; 130 interrupted.
    """
    import airmile

    with _progress.shown(not quiet) as progress:
        found = airmile.align(
            first, second, out=out, overwrite=overwrite, ue_net=ue_net, threads=threads,
            progress=progress,
        )  # fmt: skip
    _show(found, form)
    if out is not None and form != "text" and not quiet:
        _output.note(f"tables: {out}")
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
