"""`airmile compare`: whether groups of measurements differ, and by how much."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from airmile._errors import OutputError
from airmile.cli import _answer, _output
from airmile.cli._options import option
from airmile.store import _files

if TYPE_CHECKING:
    from airmile.comparison import Comparison


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--by", metavar="COLUMN",
    help="What distinguishes the groups: congestion_control, port, carrier, session, iteration, "
    "label (each SOURCE is a group), or a column "
    "[label for several sources, else congestion_control].",
)  # fmt: skip
@click.option(
    "--metric", "metrics", multiple=True, metavar="COLUMN", help="Column to compare [a rate]."
)
@option("label", help="Name of a SOURCE, once for each.")
@click.option(
    "--estimate", type=click.Choice(("mean", "median")), default="mean", show_default=True,
    help="Compare means or Hodges-Lehmann medians; choose before you see the data.",
)  # fmt: skip
@click.option("--baseline", metavar="GROUP", help="Compare each group only with this one.")
@click.option("--pair", metavar="COLUMN", help="Equal values in two groups are pairs [iteration].")
@click.option("--unpaired", is_flag=True, help="Compare without pairs.")
@click.option("--drop-unmatched", is_flag=True, help="Leave out samples without a partner.")
@click.option(
    "--unit", metavar="COLUMN|capture|subscriber|session|pair|row",
    help="Rows with the same value are one sample; pair: of one phone and one server [iteration, "
    "seed or subscriber; capture if all are of one subscriber].",
)  # fmt: skip
@click.option(
    "--difference", type=float, metavar="X",
    help="Also say how many trials would show a difference of X, in the unit of the metric.",
)  # fmt: skip
@click.option("--table", metavar="TABLE", help="Table of the datasets [trials, else flows].")
@option("where", help="Compare only rows of the table that meet this SQL condition.")
@option("out", help="Folder for pictures of distributions, boxes and means.")
@option(
    "format", help="text and md: sentences; json: everything; other formats: a row per comparison."
)
@option("quiet")
def compare(
    sources: tuple[str, ...],
    by: str | None,
    metrics: tuple[str, ...],
    given_labels: tuple[str, ...],
    unpaired: bool,
    out: Path | None,
    form: str,
    quiet: bool,
    **chosen: Any,
) -> None:
    """Compare groups of measurements: by how much they differ, and whether the data show it.

    SOURCE is a dataset (tables trials, flows, sessions, transfers, ...) or a CSV file. Rows of one
    iteration, seed, drive or subscriber are one sample. Samples of the same iteration are compared
    in pairs: the answer is the mean of their differences, with an interval by the studentised
    bootstrap and a p-value by sign flips. If differences resemble their neighbours, blocks of them
    are used. Samples without pairs are compared by Welch's test, or by rank sums. With several
    comparisons the p-values are adjusted by Holm's method (methods I3).

    The command claims a difference only if both the interval and the p-value exclude no difference.
    It says how many trials would show the difference that a paper published, if there is one, and
    the difference that --difference names. With --by port it also says whether a middlebox shows:
    by restarts after idle gaps, or a lower rate, only on ports 80 and 443 (methods C7).

    Examples: airmile compare runs --by congestion_control --metric rate_bps;
    airmile compare before.airmile after.airmile --metric handshake_rtt_ms --estimate median;
    airmile compare trials.csv --by port -o pictures

    Exit codes: 0 done, whatever the answer; 2 usage, or the data allow no comparison; 3 nothing
    readable; 5 environment, also without scipy (pip install 'airmile[study]').
    """
    import airmile
    from airmile.render import compare as words
    from airmile.render import json
    from airmile.study._several import labels

    named = dict(zip(labels(list(sources), given_labels), sources, strict=True))
    found = airmile.compare(named, metric=metrics, by=by, paired=not unpaired, **chosen)
    _answer.show(
        form,
        text=lambda: words.render(found, _output.width()),
        md=lambda: words.as_markdown(found),
        json=lambda: json.written(found.document()),
        table=lambda: found.table,
    )
    if out is not None:
        _draw(found, out, quiet=quiet)


def _draw(found: Comparison, folder: Path, *, quiet: bool) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise OutputError(f"-o {folder} is a file", "name a folder") from None
    for name, figure in found.figures():
        with _files.whole(folder / f"{name}.png") as part:
            figure.savefig(part)
        if not quiet:
            _output.note(f"picture: {folder / name}.png")
