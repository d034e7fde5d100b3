"""`airmile energy`: how long the radio of each phone was on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from airmile.cli import _answer, _datasets, _exit_codes, _output
from airmile.cli._options import option

if TYPE_CHECKING:
    from airmile.answers.radio_on import Tail
    from airmile.dataset import Dataset


@click.command()
@click.argument("source", metavar="DATASET|CAPTURE")
@option("tail", help="How long the radio stays on after a packet; auto estimates it from the data.")
@option("format", help="text: the tail and the sums; other formats: a row per session.")
@option("quiet")
def energy(source: str, tail: str | float, form: str, quiet: bool) -> int:
    """Say how long the radio of each phone was on, and how much energy that cost.

    After each packet the radio stays on for a time called the tail; after a longer silence it has
    to wake up. The tail is estimated from flows that began after a silence: it is longer than the
    longest silence after which the radio was awake, and shorter than the shortest silence after
    which the radio woke up. The ideal is shown for comparison: the same bytes at the estimated
    bandwidth, and one tail (methods F3).

    Examples: airmile energy phone.pcap; airmile energy phone.airmile --tail 10 --format csv

    Exit codes: 0 done; 1 done, but a part of the input failed; 2 usage; 3 nothing readable;
    5 environment; 130 interrupted.
    """
    from airmile.answers import radio_on

    with _datasets.opened(source, quiet=quiet) as dataset:
        _exit_codes.need_packets(dataset)
        known = radio_on.tail(dataset) if tail == "auto" else radio_on.given(dataset, float(tail))
        _answer.show(
            form,
            text=lambda: _text(dataset, known),
            table=lambda: radio_on.of_tail(dataset, known),
        )
        return _exit_codes.of(dataset)


def _text(dataset: Dataset, known: Tail) -> str:
    from airmile.answers import coverage, radio_on
    from airmile.render import energy as words

    return words.render(
        known,
        radio_on.sums(dataset, known),
        coverage.of(dataset),
        coverage.filtered(dataset),
        _output.width(),
    )
