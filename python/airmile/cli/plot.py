"""`airmile plot`: one flow as pictures."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from airmile._errors import UsageError
from airmile.cli import _options, _output, _progress

if TYPE_CHECKING:
    from airmile.dataset import Dataset


@click.command()
@click.argument("source", metavar="DATASET|CAPTURE", type=Path)
@click.option("--flow", "uid", type=int, metavar="UID", help="The flow [the one that weighs most].")
@click.option(
    "-o", "--out", type=Path, metavar="FILE", help="PNG, SVG, PDF, or xplot (.xpl) [flow-UID.png]."
)
@click.option(
    "--from", "begin", type=float, metavar="S", help="Begin so many seconds into the flow."
)
@click.option("--to", "end", type=float, metavar="S", help="End there.")
@_options.quiet
def plot(
    source: Path,
    uid: int | None,
    out: Path | None,
    begin: float | None,
    end: float | None,
    quiet: bool,
) -> None:
    """Draw one TCP flow: what limited it when; sequence over time with ACKs, the edge of the
    window, SACK blocks and retransmissions; bytes in flight against the window; round trips; and
    the bandwidth that it used against what was available.

    The packets are read again from the captures of the DATASET; a CAPTURE is analysed first, and
    its tables are not kept. Pictures need matplotlib (pip install 'airmile[study]'), xplot files
    (-o FILE.xpl) need nothing.
    """  # noqa: D205
    from airmile.draw import picture

    if out is not None and out.suffix not in (*picture.FORMATS, ".xpl"):
        known = ", ".join((*picture.FORMATS, ".xpl"))
        raise UsageError(f"-o {out}: no picture format {out.suffix!r}", f"name it with {known}")
    span = _span(begin, end)
    if str(source) == "-" or source.is_fifo():
        raise UsageError(
            f"{source}: a picture needs the packets twice, and a pipe gives them once",
            "keep the capture in a file: tcpdump -w FILE, then airmile plot FILE",
        )
    if (source / "manifest.json").exists() or source.suffix == ".airmile":
        import airmile

        _draw(source, airmile.open(source), uid, out, span)
        return
    with tempfile.TemporaryDirectory(prefix="airmile-plot-") as scratch:
        _draw(source, _analysed(source, Path(scratch), quiet), uid, out, span)


def _analysed(capture: Path, folder: Path, quiet: bool) -> Dataset:
    import airmile

    with _progress.shown(not quiet) as progress:
        # The name is kept whole: the packets are read again from another directory.
        whole = capture.resolve()
        return airmile.analyze(whole, out=folder / "plot.airmile", progress=progress)


def _draw(
    source: Path,
    dataset: Dataset,
    uid: int | None,
    out: Path | None,
    asked: tuple[float, float | None],
) -> None:
    from airmile.draw import picture, xplot
    from airmile.draw.series import flow_series

    uid = _heaviest(source, dataset) if uid is None else uid
    path = out or Path(f"flow-{uid}.png")
    series = flow_series(dataset, uid)
    span = _within(series.duration_s, asked)
    if path.suffix == ".xpl":
        written = xplot.write(series.part(span) if span else series, path)
    else:
        picture.write(series, path, span)
        written = [path]
    for name in written:
        _output.say(str(name))


def _heaviest(source: Path, dataset: Dataset) -> int:
    flows = dataset.verdict.top_flows(1)
    if not flows:
        raise UsageError(
            f"{source} has no flow with a transfer to draw", "name one with --flow UID"
        )
    return flows[0].uid


def _within(duration_s: float, asked: tuple[float, float | None]) -> tuple[float, float] | None:
    """Return the span to draw, None for the whole flow; refuse one that holds nothing of it."""
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
                f"{name} {value:g} is no time within a flow",
                "seconds count from the first packet of the flow",
            )
    if end is not None and end <= (begin or 0.0):
        raise UsageError(f"--to {end:g} is not after --from {begin or 0:g}", "both are in seconds")
    return begin or 0.0, end
