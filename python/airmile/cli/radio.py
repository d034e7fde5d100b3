"""`airmile radio`: whether the downlink was the bottleneck, from a modem's log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from airmile._errors import kept
from airmile.cli import _answer, _exit_codes, _output, _progress, _style
from airmile.cli._options import option, options
from airmile.verbs._modem_formats import titles

if TYPE_CHECKING:
    from airmile.dataset import Dataset


HELP = """Decide from the log of a modem whether the downlink was the bottleneck.

A LOG is one of: {titles}. It may be plain, gzip or zstd; - is standard input. With a capture
of the same phone and time (--capture), both are put on one clock and the answer is better, because
the capture distinguishes an empty queue from a queue that waits. If LOG is a dataset that was
written before, the command prints its answer again.

With --overwrite, the old tables stay until the new ones are complete. The tables of a run that was
interrupted go to NAME.partial.airmile, as do those of a run in which a part of a log failed of
which the old tables hold more messages.

Exit codes: 0 done; 1 done, but a part of the input failed; 2 usage; 3 nothing readable;
5 environment; 130 interrupted (143 and 129: by SIGTERM and SIGHUP).
"""


@click.command(help=HELP.format(titles=titles()))
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
@click.option(
    "--capture", multiple=True, metavar="FILE", help="Capture of the same phone and time."
)
@options("out", "overwrite", "cell-prbs")
@option(
    "estimator",
    help="Estimate from all the evidence (joint), or by the published burst rule (bursttracker) "
    "[the best available].",
)
@click.option(
    "--compat",
    type=click.Choice(["online"]),
    help="Also give the bursts as the published program computes them.",
)
@options("threads", "vantage", "ue-net", "set")
@option("format", help="text, json and md print the answer; the others print the table bursts.")
@option("quiet")
@option("verbose", help="Print every user of a log and every kind of record.")
def radio(
    logs: tuple[str, ...],
    capture: tuple[str, ...],
    out: Path | None,
    estimator: str | None,
    form: str,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> int:
    """Read the logs, and print the answer."""
    import airmile
    from airmile.cli import _datasets
    from airmile.verbs._analyze import default_out

    found = _datasets.named(logs)
    if found:
        show(found, form, estimator, verbose=verbose)
        return _exit_codes.of(found)
    target = out or default_out(logs[0])
    try:
        with _progress.shown(not quiet) as progress:
            dataset = airmile.radio(
                *logs, capture=capture, out=target, progress=progress, **options
            )
    except KeyboardInterrupt as error:
        return _output.interrupted(error, kept(error))
    _output.warn_of_partial(dataset.path, target)
    show(dataset, form, estimator, verbose=verbose)
    if form != "text" and not quiet:
        _output.note(f"tables: {dataset.path}")
    return _exit_codes.of(dataset)


def show(dataset: Dataset, form: str, estimator: str | None, *, verbose: bool = False) -> None:
    """Print the answer, or the table `bursts`, in a format."""
    from airmile.answers.radio.findings import find
    from airmile.render import radio as words

    found = find(dataset, estimator) if estimator else dataset.radio
    _answer.show(
        form,
        text=lambda: words.render(found, _output.width(), verbose=verbose),
        json=lambda: words.json(found),
        md=lambda: words.markdown(found),
        table=lambda: dataset.table("bursts"),
        style=_style.styled,
    )
