"""`airmile verify`: whether a dataset is whole."""

from __future__ import annotations

from pathlib import Path

import click

from airmile._words import printable
from airmile.cli import _output

DAMAGED = 1


@click.command()
@click.argument("dataset", type=Path)
def verify(dataset: Path) -> int:
    """Say whether a DATASET is whole, and as airmile writes one.

    It checks the digest of every part and of the manifest, columns and their types, what must hold
    of every row (numbers are unique, nothing ends before it begins, shares add up to 1), and adds
    the verdict up again from the tables. This finds damage; it does not show who made a dataset.

    Exit code 1 where something is wrong, 3 where the manifest is damaged or parts are missing; of a
    campaign every run is looked at, and one that cannot be opened is something wrong.
    """
    from airmile.verbs import _verify

    findings = list(_verify.verify(dataset))
    for finding in findings:
        _output.say(printable(f"{finding.where}: {finding.fault}"))
    if not findings:
        _output.say(printable(f"{dataset}: whole; the verdict is what its tables add up to"))
    return DAMAGED if findings else 0
