"""`airmile table`: print a table that is computed from the other tables of a dataset."""

from __future__ import annotations

import click

from airmile.cli import _answer, _datasets, _exit_codes
from airmile.cli._options import option
from airmile.store._derived_tables import TABLES


@click.command()
@click.argument("source", metavar="DATASET|CAPTURE")
@click.argument("name", type=click.Choice(tuple(TABLES)))
@option(
    "tail",
    help="How long the radio stays on after a packet (radio_on, time_lost); auto estimates it from "
    "the data.",
)  # fmt: skip
@option("format", help="text: aligned columns; the others are for programs.")
@option("quiet")
def table(source: str, name: str, tail: str | float, form: str, quiet: bool) -> int:
    """Print a table that is computed from the other tables of a dataset.

    concurrency: the seconds of each session by the number of active TCP flows (methods A8).
    findings: mechanisms by name, with what shows them and what to do (methods T10).
    periodic: the periods of the requests of each phone to each service (methods F2). radio_on: how
    long the radio was on in each session (methods F3). time_lost: how much longer large downloads
    took than they would at the estimated bandwidth (methods F3). `airmile schema NAME` describes
    the columns.

    Examples: airmile table phone.airmile periodic; airmile table phone.pcap concurrency --format
    csv; airmile table phone.airmile time_lost --tail 10

    Exit codes: 0 done; 1 done, but a part of the input failed; 2 usage; 3 nothing readable;
    5 environment; 130 interrupted.
    """
    from airmile.answers import derived

    with _datasets.opened(source, quiet=quiet) as dataset:
        _exit_codes.need_packets(dataset)
        rows = derived.table(dataset, name, "auto" if tail == "auto" else float(tail))
        _answer.show(form, table=lambda: rows)
        return _exit_codes.of(dataset)
