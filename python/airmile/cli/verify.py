"""`airmile verify`: whether a dataset is complete and unchanged."""

from __future__ import annotations

from pathlib import Path

import click

from airmile._words import printable
from airmile.cli import _output
from airmile.store import _manifest

DAMAGED = 1


@click.command()
@click.argument("dataset", type=Path)
def verify(dataset: Path) -> int:
    """Check whether a DATASET is complete, unchanged and consistent.

    The command checks the digest of every part and of the manifest, the columns and their types,
    and conditions on the rows (ids are unique, nothing ends before it begins, shares add up to 1).
    It also computes the verdict again from the tables. This finds damage; it does not show who made
    a dataset. In a folder of runs, every run is checked.

    Exit codes: 0 no problem; 1 problems were found, or a run of a folder cannot be opened; 3 the
    manifest is damaged, or parts are missing.
    """
    from airmile.verbs import _verify

    findings = list(_verify.verify(dataset))
    for finding in findings:
        _output.say(printable(f"{finding.where}: {finding.fault}"))
    if not findings:
        said = f"{dataset}: {_state(dataset)}; the verdict agrees with the tables"
        _output.say(printable(said))
    return DAMAGED if findings else 0


def _state(dataset: Path) -> str:
    """Return whether an unchanged dataset is of all that its run was to read."""
    manifest = _manifest.read(dataset)
    if manifest.get("interrupted"):
        return "unchanged, but partial: the run was interrupted"
    if manifest.get("status") == "partial":
        return f"unchanged, but partial: {'; '.join(manifest['reasons'])}"
    return "complete"
