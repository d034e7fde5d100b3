"""`airmile plot`: draw one flow."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from airmile._errors import UsageError
from airmile._words import printable
from airmile.cli import _datasets, _exit_codes, _output
from airmile.cli._options import option

if TYPE_CHECKING:
    from airmile.dataset import Dataset


@click.command()
@click.argument("source", metavar="DATASET|CAPTURE")
@option("flow", help="The flow to draw [the heaviest].")
@option("out", metavar="FILE", help="File to write: PNG, SVG, PDF or xplot (.xpl) [flow-UID.png].")
@click.option(
    "--from", "begin", type=float, metavar="S",
    help="Begin S seconds after the flow's first packet.",
)  # fmt: skip
@click.option(
    "--to", "end", type=float, metavar="S", help="End S seconds after the flow's first packet."
)
@option("quiet")
def plot(
    source: str,
    flow: str | None,
    out: Path | None,
    begin: float | None,
    end: float | None,
    quiet: bool,
) -> None:
    """Draw one TCP flow: what limited it over time, and the evidence.

    The picture shows sequence numbers over time with ACKs, the edge of the window, SACK blocks and
    retransmissions; bytes in flight against the window; round trips; and the bandwidth that the
    flow used against the available bandwidth.

    FLOW is the server's address or name, with or without a port (HOST[:PORT]), and means the
    heaviest flow with that server. Or FLOW is the uid or the rank of a flow (`airmile flows` lists
    both; rank 1 is the heaviest). A number that is not the uid of a flow is a rank.

    The packets are read again from the captures of the DATASET. A CAPTURE is analysed first, and
    its tables are not kept. Pictures need matplotlib (pip install 'airmile[study]'); xplot files
    (-o FILE.xpl) do not.
    """
    from airmile.draw import picture

    if out is not None and out.suffix not in (*picture.FORMATS, ".xpl"):
        known = ", ".join((*picture.FORMATS, ".xpl"))
        raise UsageError(f"-o {out}: no picture format {out.suffix!r}", f"name it with {known}")
    span = _span(begin, end)
    if source == "-" or Path(source).is_fifo():
        raise UsageError(
            f"{source}: a picture needs the packets twice, and a pipe gives them once",
            "keep the capture in a file: tcpdump -w FILE, then airmile plot FILE",
        )
    with _datasets.opened(source, quiet=quiet) as dataset:
        _exit_codes.need_packets(dataset)
        _draw(dataset, _chosen(source, dataset, flow, quiet=quiet), out, span)


def _chosen(source: str, dataset: Dataset, wanted: str | None, *, quiet: bool) -> int:
    """Return the uid of the flow that `--flow` names, or of the heaviest flow."""
    from airmile.answers.verdict import _flows

    if wanted is not None:
        return _datasets.flow(dataset, wanted, quiet=quiet).uid
    heaviest = _flows.heaviest(dataset)
    if heaviest is None:
        raise UsageError(f"{source} has no TCP flow with payload to draw", _flows.offer(dataset))
    return heaviest.uid


def _draw(dataset: Dataset, uid: int, out: Path | None, asked: tuple[float, float | None]) -> None:
    from airmile.draw import picture, xplot
    from airmile.draw.series import flow_series

    path = out or Path(f"flow-{uid}.png")
    series = flow_series(dataset, uid)
    span = _within(series.duration_s, asked)
    if path.suffix == ".xpl":
        written = xplot.write(series.part(span) if span else series, path)
    else:
        picture.write(series, path, span)
        written = [path]
    for name in written:
        _output.say(printable(str(name)))


def _within(duration_s: float, asked: tuple[float, float | None]) -> tuple[float, float] | None:
    """Return the span to draw in seconds; None for the whole flow.

    Raises
    ------
    UsageError
        The span begins after the end of the flow.
    """
    begin, end = asked
    if begin == 0.0 and end is None:
        return None
    if begin >= duration_s:
        raise UsageError(
            f"--from {begin:g}: the flow is {duration_s:.3g} s long",
            "seconds count from the first packet of the flow",
        )
    return begin, duration_s if end is None else end


def _span(begin: float | None, end: float | None) -> tuple[float, float | None]:
    for name, value in (("--from", begin), ("--to", end)):
        if value is not None and not 0 <= value < math.inf:
            raise UsageError(
                f"{name} {value:g} is not a time within a flow",
                "seconds count from the first packet of the flow",
            )
    if end is not None and end <= (begin or 0.0):
        raise UsageError(f"--to {end:g} is not after --from {begin or 0:g}", "both are in seconds")
    return begin or 0.0, end
